"""What published layers can and cannot do at any width: one class of transitions each, with its theorem and its depth.

A class says what the transitions of one layer may be. Widths are free, counters and positions are exact, and the states that a
layer reaches are finitely many: then a word that permutes states acts as an affine map that permutes a finite set X. It has a
power that is the identity on X, and a translation of finite order is none.

* A product of factors with 0 <= A <= 1 (a gate in [0, 1], or 1 - b k k^T with b in [0, 1] and |k| = 1) shrinks no difference
  of two points of X, so each factor keeps its norm. A symmetric factor with eigenvalues in [0, 1] keeps the norm of its fixed
  vectors alone. So the word moves X by a translation, that is, not at all. Stacks of such layers divide wreath products of
  aperiodic semigroups, which are aperiodic.
* Diagonal transitions that are the same for all letters split into |a| = 1 and |a| < 1. On the first part two letters differ
  by a translation of finite order, so all letters act alike: a clock. On the second part a contraction permutes no two points
  of X, so a = 0 or X is one point, which is a window. So a stack knows its last letters and the length modulo some number.
* diag(w) - (a k) k^T with w in [exp(-exp(-1/2)), 1], a in [0, 1] and |k| = 1 (RWKV-7) is similar to a symmetric matrix, where a
  is positive. Its eigenvalues are at most 1, and at least 0.545 - 1. So a letter that permutes X fixes it, and after the word
  x x x ... every layer of a stack comes to rest. Words of two letters are not bounded so: their products may stretch.
* One non-zero entry in each column: e_i goes to the code of the next state, for every automaton of that many states.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from theory.automata.classes import ClassDepth, before_the_last_letter, class_depth, layer_class, unknown_class
from theory.automata.semiautomaton import Semiautomaton
from theory.bound import Assumption, Bound, Report
from theory.checks import positive_integer
from theory.cost import Estimate, power, refuse

__all__ = ["LIMITS", "ClassLayers", "ClassLimits", "Limits", "class_layers", "class_limits"]

PRECISION = "states are finitely many: finite precision (taken as given)"
LETTERS = 100  # of the longest words, where nothing else is said; only attention depends on it


@dataclass(frozen=True)
class Limits:
    """What a class of layers can and cannot do at any width.

    Attributes:
        what: The transitions of one layer.
        layers: Published layers of this class.
        can: What stacks of such layers do.
        cannot: What no stack of them does, at any width.
        source: The theorem.
        depth: (semiautomaton, length) -> the layers that simulate it; raises ValueError where this is not known.
        derived_length: Of the maps of one layer, as `theory.automata.classes.LayerClass` has it; 0 if there is none.
    """

    what: str
    layers: tuple[str, ...]
    can: str
    cannot: str
    source: str
    depth: Callable[[Semiautomaton, int], ClassDepth]
    derived_length: int = 0


@dataclass(frozen=True, repr=False)
class ClassLimits(Report):
    """What a class of layers can and cannot do, with the law that its layers obey.

    Attributes:
        name: The class.
        limits: What is known of it.
        bound: The derived length of the solvable groups whose laws one layer obeys, 0 if it obeys none.
    """

    name: str
    limits: Limits
    bound: Bound

    @property
    def statement(self) -> str:
        """The class in a sentence."""
        return f"{self.name}: {self.limits.what}; cannot: {self.limits.cannot}"

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """What it is, which layers are of it, what it can and cannot do."""
        found = self.limits
        return {
            "in words": (found.what,),
            "published": found.layers or ("none that is named here",),
            "can": (found.can,),
            "cannot": (found.cannot,),
        }


@dataclass(frozen=True, repr=False)
class ClassLayers(Report):
    """How many layers of a class something needs.

    Attributes:
        of: What was asked about.
        depth: The layers that suffice, at least how many, and why.
        limits: What is known of the class.
        bound: The number with its hypotheses; it refuses to evaluate if no number suffices.
    """

    of: str
    depth: ClassDepth
    limits: Limits
    bound: Bound

    @property
    def number(self) -> int | None:
        """Number of layers that suffice; None if no number does."""
        return self.depth.layers

    @property
    def exact(self) -> bool:
        """Whether fewer never do."""
        return self.depth.layers == self.depth.fewest

    @property
    def statement(self) -> str:
        """The answer in a sentence."""
        return f"{self.of}: {self.depth}"

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The answer in words, and what the class can and cannot do."""
        found = self.limits
        each = (self.statement, f"at least {self.depth.fewest}")
        return {
            "in words": each[: 1 + (not self.exact and self.number is not None)],
            "class": (found.what,),
            "cannot": (found.cannot,),
        }


def class_limits(name: str) -> ClassLimits:
    """Return what a class of layers can and cannot do at any width.

    Raises:
        ValueError: There is no such class; the nearest name is suggested.

    >>> class_limits("positive").bound.at(), class_limits("pd").bound.at()
    (2.0, 0.0)
    >>> class_limits("time_invariant").limits.layers
    ('S4', 'S4D', 'S5', 'LRU', 'RetNet')
    """
    found = _limits(name)
    return ClassLimits(
        name,
        found,
        Bound(
            expr=sympy.Integer(found.derived_length),
            quantity=f"the derived length of the solvable groups whose laws one {name} layer obeys; 0 if it obeys none",
            assumes=(Assumption(PRECISION),),
            source=found.source,
        ),
    )


def class_layers(name: str, a: Semiautomaton, of: str = "", length: int = LETTERS, *, reason: str = "") -> ClassLayers:
    """Return how many layers of a class simulate a semiautomaton, at any width.

    Args:
        name: The class, a name of `LIMITS`.
        a: The semiautomaton.
        of: How the answer names it; by default the automaton's own name.
        length: Letters of the longest word; only attention depends on it.
        reason: Why so many layers are enough, where more is known than the class tells of any automaton.

    Raises:
        ValueError: There is no such class, its depth is not known for this automaton, or the length is below 1.
        TooExpensive: The automaton has too many images to decompose.

    >>> from theory.automata import semiautomaton
    >>> [class_layers(name, semiautomaton("S3")).number for name in ("signed", "complex", "delta_net", "pd")]
    [None, 2, None, 1]
    """
    positive_integer("length", length, "the number of letters of the longest word")
    limits, of = _limits(name), of or a.name
    found = limits.depth(a, length)
    found = ClassDepth(name, found.layers, found.fewest, reason or found.reason, found.source)
    never = found.layers is None
    doubled = name == "attention" and limits.depth(a, 4 * length).layers != found.layers  # the number grows with the length
    words = f"words of up to {length} letters" if doubled else "words of any length"
    bound = Bound(
        expr=sympy.oo if never else sympy.Integer(int(found.layers or 0)),
        quantity=f"a number of {name} layers that simulate {of} on {words}, at some width",
        assumes=(
            Assumption(
                f"some number of {name} layers does ({found.reason or limits.cannot})", sympy.false if never else sympy.true
            ),
            Assumption(PRECISION),
        ),
        source=f"{found.source}; {limits.source}" if limits.source not in found.source else found.source,
    )
    return ClassLayers(of, found, limits, bound)


def _limits(name: str) -> Limits:
    if not isinstance(name, str) or name not in LIMITS:
        described = {known: each.what for known, each in LIMITS.items()}
        raise unknown_class(name, described, {known: each.layers for known, each in LIMITS.items()})
    return LIMITS[name]


def _as(kind: str) -> Callable[[Semiautomaton, int], ClassDepth]:
    return lambda a, length: class_depth(a, kind, length)


def _time_invariant(a: Semiautomaton, length: int) -> ClassDepth:
    """The letters that decide the state together with the length, by pairs of states that words of the same clock reach."""
    before = before_the_last_letter(a)
    states, source = before.num_states, LIMITS["time_invariant"].source
    if states == 1 or (before.table == np.arange(states)[:, None]).all():
        return ClassDepth("time_invariant", 0, 0, "no letter but the last moves the state", source)
    apart = _pairs_of_one_clock(a.name, before.table)
    needed = 0
    while apart.any():
        following = _followed(a.name, apart, before.table)
        if (following == apart).all():
            why = "words that end alike, however long, and have the same length modulo any number lead to different states"
            return ClassDepth("time_invariant", None, 1, why, source)
        apart, needed = following, needed + 1
    layers = max(needed, 1)
    why = (
        f"the length and the last {needed + 1} letters decide the state"
        if needed
        else "the length and the last letter decide the state"
    )
    return ClassDepth("time_invariant", layers, layers, why, source)


def _pairs_of_one_clock(name: str, table: np.ndarray) -> np.ndarray:
    """All pairs of different states that two words reach from one state, if their lengths agree modulo the best clock.

    The sets of states that words of n letters reach are powers of a matrix of truth values. They have settled after states^2
    letters, and then repeat with the least common multiple of its periods (Schwarz, Czechoslovak Math. J. 20, 1970).

    Returns:
        Bool array (states, states).

    Raises:
        TooExpensive: There are too many states for products of such matrices, see `theory.cost`.
    """
    states = len(table)
    work = f"the pairs of states that words of one length reach in {name} ({states} states)"
    refuse(Estimate(work, 1e-8 * power(states, 3), 40.0 * power(states, 2) / 2**30))
    step = np.zeros((states, states), bool)
    step[np.arange(states)[:, None], table] = True
    period = _period(step)
    clock, later, doubled = -(-(states**2) // period) * period, np.eye(states, dtype=bool), step
    while clock:
        later = _product(later, doubled) if clock & 1 else later
        doubled, clock = _product(doubled, doubled), clock >> 1
    found, longer = later | np.eye(states, dtype=bool), step
    # pairs after fewer letters than some number, and with each round after fewer than twice as many
    while (more := _product(longer.T, _product(found, longer)) & ~found).any():
        found, longer = found | more, _product(longer, longer)
    np.fill_diagonal(found, False)
    return found


def _product(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The product of two matrices of truth values; float32 counts exactly up to 2^24 states, and its products are fast."""
    return first.astype(np.float32) @ second.astype(np.float32) > 0


def _period(step: np.ndarray) -> int:
    """The least common multiple of the periods of the strong components: of each, what the lengths of its cycles share."""
    periods = [1]
    number, component = connected_components(csr_array(step), directed=True, connection="strong")
    for each in range(number):
        members = np.flatnonzero(component == each)
        inside = step[np.ix_(members, members)]
        level, front = np.full(len(members), -1), np.arange(len(members)) == 0
        while front.any():
            level[front] = level.max() + 1
            front = inside[front].any(axis=0) & (level < 0)
        here, there = inside.nonzero()
        if len(here):
            periods.append(int(np.gcd.reduce(level[here] + 1 - level[there])))
    return math.lcm(*periods)


def _followed(name: str, apart: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The pairs of different states to which one letter leads such pairs; they are pairs of the same kind, so none is new.

    Raises:
        TooExpensive: The pairs and letters looked at so far exceed the limit of `theory.cost`.
    """
    first, second = apart.nonzero()
    found = np.zeros_like(apart)
    for number, column in enumerate(table.T, 1):
        refuse(Estimate(f"the pairs of states that {number} letters of {name} leave apart", 2e-8 * number * len(first)))
        found[column[first], column[second]] = True
        np.fill_diagonal(found, False)
        if found.sum() == len(first):
            break
    return found


def _rank_one(a: Semiautomaton, length: int) -> ClassDepth:
    before, source = before_the_last_letter(a), LIMITS["rank_one"].source
    for letter, column in enumerate(before.table.T):
        if (cycle := _longest_cycle(column)) > 1:
            why = f"the letter {letter}, repeated, runs through a cycle of {cycle} states, and every layer comes to rest on it"
            return ClassDepth("rank_one", None, 1, why, source)
    if a.is_aperiodic:
        return class_depth(a, "positive", length)
    raise ValueError(
        "the depth is not known: no letter counts by itself, which this class could not do, but words of several letters "
        "permute states, and no limit of products of different letters of this class is known here; ask for dense or pd"
    )


def _permutation_diagonal(a: Semiautomaton, length: int) -> ClassDepth:
    before, source = before_the_last_letter(a), LIMITS["pd"].source
    states = before.num_states
    if states == 1 or (before.table == np.arange(states)[:, None]).all():
        return ClassDepth("pd", 0, 0, "no letter but the last moves the state", source)
    return ClassDepth("pd", 1, 1, f"each letter sends the code of a state to that of the next one, at width {states}", source)


def _longest_cycle(column: np.ndarray) -> int:
    """The longest cycle of a map of states."""
    kept = np.arange(len(column))
    for _ in range(len(column)):
        kept = np.unique(column[kept])
    left, longest = set(kept.tolist()), 0
    while left:
        here, size = left.pop(), 1
        while (here := int(column[here])) in left:
            left.remove(here)
            size += 1
        longest = max(longest, size)
    return longest


_DERIVED = "(derived)"
_GRAZZI = "Grazzi et al., arXiv 2411.12537, Theorem 1 for parity"
_OWN = {
    "time_invariant": Limits(
        "recurrences h <- a h + b(x) with one complex diagonal a for all letters",
        ("S4", "S4D", "S5", "LRU", "RetNet"),
        "windows of letters and the length modulo a number: automata whose state the length and the last letters decide",
        "remember a letter over words of any length, count letters modulo any number, follow any group whose letters differ",
        f"an affine map that permutes finitely many points {_DERIVED}; Merrill, Petty, Sabharwal, arXiv 2404.08819, for S4",
        _time_invariant,
        derived_length=2,
    ),
    "delta_net": Limits(
        "products of gates in [0, 1] and of factors 1 - b k k^T with b in [0, 1] and |k| = 1, of eigenvalues in [0, 1]",
        ("DeltaNet", "Gated DeltaNet", "DeltaProduct with allow_neg_eigval=False"),
        "what positive diagonals can: star-free languages, one layer of resets a level of the cascade",
        "parity, counting modulo any number, any group: words permute no states",
        f"{_GRAZZI}; a symmetric contraction that keeps a norm keeps the vector {_DERIVED}",
        _as("positive"),
    ),
    "pd": Limits(
        "transitions with one non-zero entry in each column (permutations and resets times a diagonal)",
        ("PD-SSM",),
        "every automaton in one layer, at a width of as many states",
        "run an automaton whose states outnumber what its width and precision hold",
        f"Terzic et al., arXiv 2509.22284; one-hot codes of the states {_DERIVED}",
        _permutation_diagonal,
    ),
    "rank_one": Limits(
        "diag(w) - (a k) k^T with w in [0.545, 1], a in [0, 1] and |k| = 1, of eigenvalues in (-0.46, 1]",
        ("RWKV-7",),
        "what positive diagonals can: star-free languages, one layer of resets a level of the cascade",
        "parity, or count one repeated letter modulo any number; words of several letters are open",
        f"eigenvalues of a diagonal minus a rank one matrix {_DERIVED}; the update is that of Peng et al., arXiv 2503.14456",
        _rank_one,
    ),
    "nonlinear": Limits(
        "recurrences whose step is not affine in the state",
        ("M2RNN", "RNN", "LSTM", "GRU"),
        "every automaton in one layer",
        "run an automaton whose states outnumber what its width and precision hold",
        "the step keeps the state of the automaton itself (derived); Mishra et al., arXiv 2603.14360, for M2RNN",
        _as("dense"),
    ),
}
_KNOWN = {
    "positive": (
        ("Mamba", "Mamba-2", "GLA", "RWKV-6", "HGRN2", "RG-LRU", "minGRU", "linear attention"),
        "star-free languages, one layer of resets a level of the cascade",
        "parity, any group",
    ),
    "signed": (
        ("signed Mamba",),
        "automata whose groups are 2-groups, in stages of exponent 2",
        "counting modulo 3, any group of odd order",
    ),
    "complex": (
        ("AUSSM",),
        "solvable automata, one layer for each abelian stage or reset",
        "groups that are not solvable, such as A5",
    ),
    "delta_product": (
        ("DeltaProduct", "DeltaNet with allow_neg_eigval=True"),
        "every automaton, one layer a level of its cascade, with as many factors as the letters need reflections",
        "a letter that needs more reflections than it has factors, in one layer",
    ),
    "dense": ((), "every automaton in one layer", "run an automaton whose states outnumber what its width and precision hold"),
    "abelian": (
        ("uniform attention",),
        "groups of derived length k, in k layers",
        "forget: letters that merge states; groups that are not solvable",
    ),
    "window": (
        ("convolutions", "local attention"),
        "automata whose last letters decide the state",
        "anything that lasts: parity, a memory of one bit",
    ),
    "attention": (
        ("transformers", "softmax attention"),
        "solvable automata in a constant number of layers, all others in the logarithm of the length",
        "automata that are not solvable, in a constant number of layers (unless TC0 = NC1)",
    ),
}


def _known(name: str) -> Limits:
    published, can, cannot = _KNOWN[name]
    found = layer_class(name)
    return Limits(found.what, published, can, cannot, found.source, _as(name), found.derived_length)


LIMITS = {name: _known(name) for name in _KNOWN} | _OWN
"""The classes of layers by name, those of `theory.automata.classes.CLASSES` first."""

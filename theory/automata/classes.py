"""The classes of layers that have a name here, and how many layers of each simulate a semiautomaton, or that no number does.

Every level of the holonomy cascade is a permutation-reset automaton, and a class simulates the levels one after the other:

* positive: diagonal recurrences with entries in [0, 1] write and forget, one layer of resets a level, and have no group inside;
* signed: entries in [-1, 1] add stages of exponent 2, so exactly the automata whose groups are 2-groups remain;
* complex: entries in the unit disc add abelian stages, so exactly the solvable automata remain;
* delta_product: a permutation of n states that has c cycles is a product of n - c reflections I - 2 k k^T, and a reset of n
  states the n overwrites k = e_i: one layer a level, whatever its groups, if it has that many Householder factors;
* attention: the abelian and reset layers of the cascade as uniform and latest-write heads, if the automaton is solvable, or
  the doubling of the reach with the logarithm of the length;
* dense: a recurrence with any transition matrices, or an RNN or LSTM, keeps the state itself in one layer.

The depths of two classes are exact:

* abelian: a cascade of commutative sums is a permutation automaton whose group has at most the derived length of its height,
  and so is every automaton that it covers; conversely a group of derived length k embeds in such a cascade of k sums
  (Kaloujnine and Krasner);
* window: k layers that read one earlier position each see the last k + 1 letters, which must decide the state (an automaton
  of which this holds for some k is called definite). A window carries nothing along, not even the state at the start.

All classes are asked one question: an answer is read from the last letter and the layers' states *before* it, which start where
the automaton does. So states from which every letter leads to the same state count as one. No layer is needed if that one never
changes, and at least one otherwise, because then two words with the same last letter have different answers.

Classes include each other: window < positive < signed < complex < delta_product < dense, abelian < complex, and abelian and
window < attention. (A window's layer writes the letter before over the one before that. A sum modulo m turns a phase. A factor
I - b k k^T with b in [0, 2] scales by any number in [-1, 1], and two reflections turn a plane. A head may look one position
back, or average.) A class may therefore take the layers of any class that it includes.

Counters and positions are exact and states are finitely many: the statements "never" are about finite precision.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theory.automata.cascade import Level, Tiles
from theory.automata.depth import automaton as depth_of
from theory.automata.depth import scan
from theory.automata.holonomy import CONSTRUCTIONS
from theory.automata.semiautomaton import Semiautomaton
from theory.checks import positive_integer
from theory.groups.group import FiniteGroup
from theory.groups.subgroups import sign_length

__all__ = ["CLASSES", "DEPTHS", "ClassDepth", "LayerClass", "class_depth", "layer_class"]


class LayerClass(NamedTuple):
    """A class of layers.

    Attributes:
        what: Its layers, with examples.
        depth: (semiautomaton, length) -> number of layers, or None for never, and the reason; None if this is not known.
        source: Where the depth is from, or why it is not known.
        exact: Whether fewer layers never suffice.
        derived_length: Of the maps of one layer, so k layers obey the laws of k times this length; 0 if there is none.
        includes: Names of classes whose layers are layers of this class.
    """

    what: str
    depth: Callable[[Semiautomaton, int], tuple[int | None, str]] | None
    source: str
    exact: bool = False
    derived_length: int = 0
    includes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassDepth:
    """The layers of one class for one semiautomaton.

    Attributes:
        kind: The class, a name of `CLASSES`.
        layers: Number of layers that suffices, or None if no number does.
        fewest: A number of layers below which none suffice; equal to `layers` where the answer is tight.
        reason: The reason in a sentence.
        source: Where the statement is from.

    >>> print(ClassDepth("dense", 1, 1, "", ""))
    1 layer of dense suffices
    """

    kind: str
    layers: int | None
    fewest: int
    reason: str
    source: str

    @property
    def never(self) -> bool:
        """Whether no number of layers suffices."""
        return self.layers is None

    def __str__(self) -> str:
        if self.layers is None:
            return f"no number of {self.kind} layers suffices{': ' * bool(self.reason)}{self.reason}"
        number = f"{self.layers} layer{'s' * (self.layers != 1)} of {self.kind} suffice{'s' * (self.layers == 1)}"
        return f"{number}{': ' * bool(self.reason)}{self.reason}"


def layer_class(name: str) -> LayerClass:
    """Return a class of layers by its name.

    Raises:
        ValueError: There is no such class; the nearest name is suggested.

    >>> layer_class("window").what
    'layers that read a window of earlier positions and carry nothing along (convolutions, local attention)'
    """
    if not isinstance(name, str) or name not in CLASSES:
        raise unknown_class(name, {known: each.what for known, each in CLASSES.items()})
    return CLASSES[name]


def unknown_class(name: str, known: Mapping[str, str], layers: Mapping[str, Sequence[str]] | None = None) -> ValueError:
    """Return the error of a class of layers that is not among those known; a layer's own name finds its classes.

    Args:
        name: What was asked for.
        known: Class -> its layers in words, with examples in brackets.
        layers: Class -> names of layers, in the singular or plural.

    >>> print(unknown_class("gla", {"positive": "gates in [0, 1] (Mamba, GLA)", "window": "convolutions"}))
    no class of layers is named 'gla': 'positive' has such layers; the classes are positive (gates in [0, 1] (Mamba, GLA));
    window (convolutions)
    """
    plain, having = _plain(str(name)), []
    for each, what in known.items():
        names = {_plain(part) for part in (*re.split(r"[^\w ]+", what), *(layers or {}).get(each, ()))}
        if plain and not names.isdisjoint({plain, f"{plain}s", plain.removesuffix("s") or plain}):
            having.append(repr(each))
    same = [each for each in known if _plain(each) == plain]
    near = same or ([] if having else difflib.get_close_matches(str(name), known, n=1))
    hint = f"{' and '.join(having)} {'have' if having[1:] else 'has'} such layers; " if having else ""
    hint = f"did you mean {near[0]!r}? " if near else hint
    described = "; ".join(f"{each} ({what})" for each, what in known.items())
    return ValueError(f"no class of layers is named {name!r}: {hint}the classes are {described}")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def class_depth(a: Semiautomaton, kind: str, length: int) -> ClassDepth:
    """Return the layers of a class that simulate a semiautomaton.

    Args:
        a: The semiautomaton.
        kind: The class, a name of `CLASSES`.
        length: Number of letters of the longest word; only attention depends on it.

    Raises:
        ValueError: There is no such class, its depth is not known, or the length is below 1.
        TooExpensive: The automaton has too many images to decompose.

    >>> from theory.automata import semiautomaton
    >>> q8, s3 = semiautomaton("Q8"), semiautomaton("S3")
    >>> {kind: class_depth(q8, kind, 100).layers for kind in DEPTHS if kind != "dense"}
    {'abelian': 2, 'positive': None, 'signed': 2, 'complex': 2, 'delta_product': 1, 'attention': 2, 'window': None}
    >>> class_depth(s3, "signed", 100).layers is None, class_depth(s3, "complex", 100).layers
    (True, 2)
    """
    positive_integer("length", length, "the number of letters of the longest word")
    asked = layer_class(kind)
    if asked.depth is None:
        raise ValueError(
            f"the layers of class {kind!r} that simulate an automaton are not known: {asked.source}; ask for one of "
            f"{', '.join(DEPTHS)}"
        )
    before = before_the_last_letter(a)
    layers, reason = _layers(before, kind, length)
    if asked.exact and layers is not None:
        return ClassDepth(kind, layers, layers, reason, asked.source)
    still = (before.table == np.arange(before.num_states)[:, None]).all() or (kind == "attention" and length == 1)
    fewest = int(not still)
    if kind in ("signed", "complex") and layers and (group := _whole_group(before)) is not None:
        stages = sign_length(group) if kind == "signed" else group.derived_length
        fewest = max(fewest, stages or 0)
    return ClassDepth(kind, layers, fewest, reason, asked.source)


def _layers(before: Semiautomaton, kind: str, length: int) -> tuple[int | None, str]:
    """The layers of a class, or of a class that it includes if these are fewer, for the states before the last letter."""
    asked = CLASSES[kind]
    assert asked.depth is not None
    if before.num_states == 1:
        return 0, "the last letter decides the state"
    if kind != "window" and (before.table == np.arange(before.num_states)[:, None]).all():
        return 0, "no letter but the last moves the state"
    layers, reason = asked.depth(before, length)
    for smaller in asked.includes if layers != 1 else ():  # one layer is the least
        fewer, why = _layers(before, smaller, length)
        if fewer is not None and (layers is None or fewer < layers):
            layers, reason = fewer, f"as layers of {smaller}: {why}"
    return layers, reason


def _abelian(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    if _resets(a):
        return None, "a letter merges states, and sums never forget"
    whole = a.groups_inside[0]  # all states are the one image
    if not whole.is_solvable:
        return None, f"the letters permute the states by {whole.description}"
    return len(whole.derived_orders) - 1, f"the letters permute the states, in groups of orders {list(whole.derived_orders)}"


def _window(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    seen = 1
    while a.num_states > 1:
        before = before_the_last_letter(a)
        if before.num_states == a.num_states:
            return None, "some states are told apart however long ago the difference began"
        a, seen = before, seen + 1
    return seen - 1, f"the last {seen} letters decide the state; of layers that read r earlier positions, {seen - 1}/r suffice"


def _positive(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    if a.is_aperiodic:
        return _least(a, lambda level: None if any(map(_moves, level.components)) else 0, "aperiodic, layers of resets")
    return None, f"a group is inside ({a.groups_inside[0].description})"


def _signed(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    wrong = next((group for group in a.groups_inside if group.order & (group.order - 1)), None)
    if wrong is not None:
        return None, f"a group inside is no 2-group ({wrong.description})"
    return _least(a, _signs, "stages of exponent 2")


def _complex(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    if not a.is_solvable:
        return None, f"a group inside is not solvable ({a.perfect_witness().description})"  # type: ignore[union-attr]
    return _least(a, lambda level: level.derived_length, "abelian stages")


def _least(a: Semiautomaton, stages: Callable[[Level], int | None], what: str) -> tuple[int, str]:
    """The fewest layers among the constructions of the cascade, if each level takes these stages and a layer of resets."""
    found = []
    for by, construction in CONSTRUCTIONS.items():
        levels = a.holonomy(by).levels
        each = [stages(level) for level in levels]
        if None not in each:
            counted = [count for count in each if count is not None]
            resets = [int(level.resets) for level in levels]
            found.append((sum(counted) + sum(resets), f"{what} {counted}, resets {resets} ({construction})"))
    return min(found, key=lambda answer: answer[0])


def _signs(level: Level) -> int | None:
    """Number of stages of signs that the groups of a level need, side by side; None if one of them is no 2-group."""
    each = [sign_length(_group(component)) for component in level.components if _moves(component)]
    return None if None in each else max((count for count in each if count is not None), default=0)


def _delta_product(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    if not _resets(a):
        factors = max(a.num_states - _cycles(column) for column in a.table.T)
        return 1, f"letters permute the states, and are products of at most {factors} reflections (num_householder = {factors})"
    levels = min((a.holonomy(by).levels for by in CONSTRUCTIONS), key=len)
    tiles = max(len(component.tiles) for level in levels for component in level.components)
    return len(levels), f"one layer a level, of at most {tiles} factors (num_householder = {tiles})"


def _attention(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    doubling = int(scan(length).at())
    if a.is_solvable and (layers := int(depth_of(a).bound.at())) <= doubling:
        return layers, "the layers of the cascade, whatever the length"
    words = f"the reach doubles with each layer, up to {length} letters"
    return max(
        doubling, 1
    ), words if a.is_solvable else f"{words}; no constant number of layers is known, and none exists unless TC0 = NC1"


def _dense(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    return 1, "the recurrence keeps the state itself"


AFFINE = 2  # derived length of the affine maps of a line: their commutators are translations
_DIAGONAL = "Shakerinava, Khavari, Ravanbakhsh, Chandar, arXiv 2603.01959"

CLASSES = {
    "abelian": LayerClass(
        "layers whose states are commutative sums (uniform attention, counters)",
        _abelian,
        "Kaloujnine and Krasner, Acta Sci. Math. Szeged 14 (1951); images of permutation automata (derived)",
        exact=True,
        derived_length=1,
    ),
    "positive": LayerClass(
        "recurrences h <- a h + b with diagonal a in [0, 1] (Mamba, GLA)",
        _positive,
        "Sarrof, Veitsman, Hahn, arXiv 2405.17394; the cascade's resets (derived)",
        derived_length=AFFINE,
        includes=("window",),
    ),
    "signed": LayerClass(
        "recurrences h <- a h + b with diagonal a in [-1, 1] (signed Mamba)",
        _signed,
        f"{_DIAGONAL}; the cascade's levels (derived)",
        derived_length=AFFINE,
        includes=("positive",),
    ),
    "complex": LayerClass(
        "recurrences h <- a h + b with diagonal a in the unit disc (AUSSM)",
        _complex,
        f"{_DIAGONAL}; the cascade's levels (derived)",
        derived_length=AFFINE,
        includes=("signed", "abelian"),
    ),
    "delta_product": LayerClass(
        "recurrences whose transitions are products of Householder factors (DeltaNet, DeltaProduct)",
        _delta_product,
        "products of reflections (derived), as in Siems et al., arXiv 2502.10297",
        includes=("complex",),
    ),
    "attention": LayerClass(
        "masked attention",
        _attention,
        "Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749, Theorems 1 and 2",
        includes=("abelian", "window"),
    ),
    "window": LayerClass(
        "layers that read a window of earlier positions and carry nothing along (convolutions, local attention)",
        _window,
        "definite automata, Perles, Rabin, Shamir, IEEE Trans. Electronic Computers 12 (1963)",
        exact=True,
    ),
    "dense": LayerClass(
        "recurrences with any transitions (RNN, LSTM, dense matrices)",
        _dense,
        "the state is the recurrence's own",
        includes=("delta_product",),
    ),
    "counting": LayerClass(
        "one-sided counting formulas with bounded coefficients (C-RASP)",
        None,
        "no decision procedure for the depth of a counting formula is known",
    ),
}
DEPTHS = tuple(name for name, each in CLASSES.items() if each.depth)


def before_the_last_letter(a: Semiautomaton) -> Semiautomaton:
    """The automaton of the states before the last letter: those from which every letter leads to the same state are one."""
    rows, merged = np.unique(a.table, axis=0, return_inverse=True)
    return Semiautomaton(merged.reshape(-1)[rows], a.name)


def _resets(a: Semiautomaton) -> bool:
    """Whether some letter merges states."""
    return any(len(np.unique(column)) < a.num_states for column in a.table.T)


def _moves(component: Tiles) -> bool:
    return bool(component.generators)


def _group(component: Tiles) -> FiniteGroup:
    return FiniteGroup.from_permutations(component.generators)


def _whole_group(a: Semiautomaton) -> FiniteGroup | None:
    """The group of all words, if letters permute the states."""
    return None if _resets(a) else FiniteGroup.from_permutations(a.table.T.tolist())


def _cycles(permutation: np.ndarray) -> int:
    """Number of cycles of a permutation, fixed points included."""
    left, cycles = set(range(len(permutation))), 0
    while left:
        cycles += 1
        here = left.pop()
        while (here := int(permutation[here])) in left:
            left.remove(here)
    return cycles

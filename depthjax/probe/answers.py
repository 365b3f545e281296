"""What theory says of what the instruments have found: the one file of this package that may import `theory`.

Everything here takes and returns plain numbers, arrays and words. While a claim measures, the names from `theory` refuse to be
used here as they do in the claim (`depthjax.runs.border`).
"""

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from depthjax.located import check_own

check_own("theory")  # before it is imported: a user's project may have a file of this name

from theory import automata, bounds, groups, lie
from theory.automata import classes
from theory.automata.classes import DEPTHS as DEPTHS
from theory.automata.classes import ClassDepth
from theory.automata.classes import layer_class as layer_class
from theory.automata.inside import GroupInside
from theory.automata.limits import ClassLayers
from theory.groups.laws import iterated_commutator
from theory.groups.recognition import MOST, recognised
from theory.logic.counting import blind_lengths, fooling_pair

Word = tuple[int, ...]
MOST_PAIRS = 4096  # of words that differ by a swap or a letter: all of them grow with the cube of the number of letters


class ForcedPair(NamedTuple):
    """Two words that every network of a class answers alike after their last letter.

    Attributes:
        words: The two words.
        theorem: What makes the answers equal.
        given: What the theorem takes for granted of the network.
        must_fail: Whether the right answers differ, so that the network is wrong on one of the words.
    """

    words: tuple[Word, Word]
    theorem: str
    given: str
    must_fail: bool = False


def free_order(letters: int, layers: int) -> int:
    """Return the order of the error of a tower of abelian layers on letters without relations: m_k(n).

    It is the lowest degree of the k-th derived ideal of the free Lie algebra on n letters, for k >= 1 layers and n >= 2.
    """
    return lie.derived_ideal_degree(letters, layers)


def leading_term(
    word: Sequence[int], layers: int, generators: Float[np.ndarray, "letters size size"]
) -> Float[np.ndarray, "size size"]:
    """Return the leading term of what k abelian layers miss of a word, exp(A_n) .. exp(A_1) for letters 1, .., n, at step 1."""
    remainder = lie.tower_remainder(tuple(word), len(generators), layers)
    if not remainder.terms:
        return np.zeros_like(generators[0])
    # theory multiplies on the right, a recurrence on the left: transposition exchanges the two
    return np.asarray(remainder.evaluate(*np.swapaxes(generators, 1, 2)), float).T


def group_facts(permutations: Int[np.ndarray, "generators points"]) -> dict[str, Any]:
    """Return name, solvability, derived length and the orders of the derived series of a group of permutations.

    The name is None if no named group of `theory.groups` is isomorphic to it.
    """
    found = groups.FiniteGroup.from_permutations([tuple(row) for row in permutations.tolist()])
    return {
        "name": recognised(found),
        "is_solvable": bool(found.is_solvable),
        "derived_length": found.derived_length,
        "derived_orders": tuple(len(subgroup) for subgroup in found.derived_series),
    }


ORDER_BLIND = "one abelian layer sees how often each letter occurs, and the last letter (order_blind_layer)"
NO_CLOCK = "in the layers, a letter and its inverse undo each other"


def commuting_pairs(letters: int) -> list[ForcedPair]:
    """Return words a b c and b a c, which one abelian layer answers alike: all, or `MOST_PAIRS` of them, drawn."""
    given = "the state is a commutative sum over the letters, and only it and the last letter are read"
    return [ForcedPair(((a, b, c), (b, a, c)), ORDER_BLIND, given) for a, b, c in _swaps(letters, letters)]


def _swaps(letters: int, others: int) -> list[tuple[int, int, int]]:
    """All triples a < b < letters and c < others, or `MOST_PAIRS` of them, drawn from all with equal chances."""
    if math.comb(letters, 2) * others <= MOST_PAIRS:
        return [(a, b, c) for a, b in itertools.combinations(range(letters), 2) for c in range(others)]
    draw, found = random.Random(0), set()
    while len(found) < MOST_PAIRS:
        a, b = sorted(draw.sample(range(letters), 2))
        found.add((a, b, draw.randrange(others)))
    return sorted(found)


def law_pairs(signed: Sequence[tuple[int, int]], length: int, last: Sequence[int]) -> list[ForcedPair]:
    """Return the two sides v w = w v of a law of solvable groups, each followed by a letter.

    Args:
        signed: Pairs of tokens (letter, its inverse), two or more.
        length: Derived length of the groups in which the law holds; the words have 4^length / 2 letters and one.
        last: Letters that may follow.

    Raises:
        theory.TooExpensive: The words are too long.
    """
    law = [signed[letter][sign < 0] for letter, sign in lie.solvable_law(min(len(signed), 3), length)]
    back = {token: other for pair in signed for token, other in (pair, pair[::-1])}
    half = len(law) // 2
    sides = tuple(law[:half]), tuple(back[token] for token in reversed(law[half:]))
    theorem = f"the law v w = w v of groups of derived length {length} (solvable_law_floor)"
    return [ForcedPair(((*sides[0], c), (*sides[1], c)), theorem, NO_CLOCK) for c in last]


def group_pairs(name: str, length: int) -> list[ForcedPair]:
    """Return words of elements of a group with different products, which groups of a derived length cannot tell apart.

    Raises:
        ValueError: No group has this name, or it has at most this derived length, so that it satisfies the law as well.
    """
    group = groups.group(name)
    word = iterated_commutator(group, length)
    if word is None:
        raise ValueError(
            f"{group.name} has derived length {group.derived_length}, so it satisfies every law of class {length}, and nothing "
            "must fail: ask for fewer layers, or for a group of larger derived length"
        )
    half = len(word) // 2
    sides = word[:half], tuple(int(group.inverses[g]) for g in reversed(word[half:]))
    theorem = (
        f"an iterated commutator of depth {length} is 1 in every group of derived length {length}, and not in {group.name}"
    )
    return [ForcedPair(((*sides[0], 0), (*sides[1], 0)), theorem, f"{NO_CLOCK}, or the states are finitely many", True)]


def counting_pairs(layers: int, coefficient: int) -> list[ForcedPair]:
    """Return the pairs u s s t t and u s t s t that counting formulas of depth 2 or 3 cannot tell apart."""
    lengths = blind_lengths(coefficient, None if layers == 2 else coefficient)
    one, other = (tuple(word.tolist()) for word in fooling_pair(lengths))
    given = f"a one-sided counting formula with coefficients of absolute value at most {coefficient} inside"
    if layers == 3:
        given += f", and sums of coefficients of at most {coefficient} one level up"
    return [ForcedPair((one, other), f"block lengths that fool depth {layers} (alternation_pairs_blind)", given, True)]


def far_pairs(letters: int, distance: int) -> list[ForcedPair]:
    """Return words that differ only in a letter `distance` positions before the end: all, or `MOST_PAIRS` of them, drawn."""
    theorem = f"a letter {distance} positions back is outside the window of all layers together"
    pairs = [((a, *(c,) * distance), (b, *(c,) * distance)) for a, b, c in _swaps(letters, 2)]
    return [ForcedPair(pair, theorem, "every layer reads a window, and nothing is carried along") for pair in pairs]


class Decomposition(NamedTuple):
    """A semiautomaton taken apart; exact.

    Attributes:
        states: Number of states.
        levels: The levels of its holonomy cascade, highest first, one line each.
        groups: The groups inside, one line each; empty if it is aperiodic.
        is_aperiodic: Whether every group inside is trivial.
        is_solvable: Whether every group inside is solvable.
        group: Name of the group of all words, or its order; None if some letter merges states.
        is_cayley: Whether the automaton is the Cayley machine of this group: words that move one state alike are equal in it.
    """

    states: int
    levels: tuple[str, ...]
    groups: tuple[str, ...]
    is_aperiodic: bool
    is_solvable: bool
    group: str | None
    is_cayley: bool

    @property
    def statement(self) -> str:
        """What the automaton is, in a few words."""
        if self.states == 1:
            return "answers that depend on the last letter alone"
        if self.group is not None:
            return f"{'the Cayley machine of' if self.is_cayley else 'permutations by'} {self.group}"
        if self.is_aperiodic:
            return "aperiodic"
        return f"{'solvable' if self.is_solvable else 'not solvable'}, with groups inside"


def decomposition(table: np.ndarray) -> Decomposition:
    """Return the cascade of a semiautomaton and its groups with their names.

    Raises:
        ValueError: It has too many states to decompose.
    """
    given = automata.semiautomaton(table)
    whole = given.groups_inside[0] if given.groups_inside else None
    permutes = all(len(np.unique(column)) == given.num_states for column in given.table.T)
    return Decomposition(
        states=given.num_states,
        levels=bounds.automaton(given).levels,
        groups=tuple(f"{_name(group)} on {len(group.states)} states" for group in given.groups_inside),
        is_aperiodic=given.is_aperiodic,
        is_solvable=given.is_solvable,
        group=None if not permutes else "C1" if whole is None else _name(whole),
        is_cayley=permutes and (1 if whole is None else whole.order) == given.num_states,
    )


def class_depth(table: np.ndarray, kind: str, length: int) -> ClassDepth:
    """Return how many layers of a class simulate a semiautomaton on words of at most this length, or that none do.

    Raises:
        ValueError: There is no such class, its depth is not known, or the automaton has too many states to decompose.
    """
    return classes.class_depth(automata.semiautomaton(table), kind, length)


class ClassText(NamedTuple):
    """What a class of layers can and cannot do at any width, in words.

    Attributes:
        name: The class, a name of `theory.automata.limits.LIMITS`.
        what: The transitions of one layer.
        can: What stacks of such layers do.
        cannot: What no stack of them does.
        source: The theorem.
    """

    name: str
    what: str
    can: str
    cannot: str
    source: str


def class_text(name: str) -> ClassText:
    """Return what a class of layers can and cannot do.

    Raises:
        ValueError: There is no such class.
    """
    found = bounds.layers(class_=name)
    return ClassText(name, *(getattr(found.limits, part) for part in ("what", "can", "cannot", "source")))


def class_layers(name: str, task: Any) -> ClassLayers:
    """Return how many layers of a class follow a group, an automaton, or a language "regex:EXPRESSION".

    Raises:
        ValueError: There is no such class or task, or the depth is not known.
        theory.TooExpensive: The automaton is too large to decompose.
    """
    found = bounds.layers(automaton=task, class_=name)
    assert isinstance(found, ClassLayers)
    return found


def _name(inside: GroupInside) -> str:
    """The usual name of a group of permutations, or its order."""
    small = inside.order <= MOST  # so that its table is made at once
    return (small and recognised(groups.FiniteGroup.from_permutations(inside.generators))) or f"a group of order {inside.order}"

r"""Which automata one diagonal layer follows, and the width of a permutation-diagonal layer that follows any.

A diagonal layer moves every coordinate by a map z -> a z + b of complex numbers that its letter chooses. Let a coordinate take
finitely many values. A map with a = 0 resets it. Any other is one-to-one, hence permutes these values, and permutations of
finitely many numbers by such maps are rotations about their mean. So a coordinate knows, of the set R of letters that reset it,
the last one in the word, and a sum of angles over the letters behind it.

All coordinates together know, for every set R of letters, its last letter in the word and how often each other letter occurred
behind it, modulo the order m of the angles. That is the normal form

    w = w_0 c_1 w_1 c_2 ... w_{k-1} c_k,   each c_i the last one of its letter:

the c_i in their order, and how often each letter occurs in each w_i, modulo m. Words of one normal form are joined by steps
``x y s -> y x s`` and ``x^m s -> s``, with s a word that contains x and y. So a diagonal layer follows an automaton, from every
state, if and only if

    q x y s = q y x s,   q x^m s = q s   for all states q, all letters x, y, and all words s that contain them,

with m a multiple of the lengths of the cycles of x. No other modulus m' does better: if it serves, then so does every common
multiple M, and x^m s = x^m x^M s = x^M s = s once x^M has reached the cycles.

The answer is read from the state after the last letter. A reader of the last letter and of the state before it knows more: for
him the laws hold only in front of a further letter. That is the question of `theory.automata.classes`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from theory.automata.dfa import Dfa
from theory.automata.machine import named_or_loaded
from theory.automata.semiautomaton import Semiautomaton
from theory.bound import GIVEN, Assumption, Bound, Report
from theory.checks import integer, positive_integer
from theory.cost import Estimate, power, refuse
from theory.registry import registered

__all__ = ["PermutationDiagonalWidth", "confused", "known_share", "normal_form", "period", "permutation_diagonal"]

PAIRS = 10**5  # of states that are looked at, before a question may count as too expensive

Word = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class PermutationDiagonalWidth(Report):
    """The width of a permutation-diagonal layer for an automaton, and whether a diagonal layer follows it.

    Attributes:
        automaton: The automaton.
        confused: Two words that lead some state apart and are alike to diagonal layers with finitely many values: to all of
            them if they are of equal length, else to those whose angles are turns by 1/m, m being the difference. None if a
            diagonal layer follows the automaton.
        statement: The answer in a sentence.
        bound: The width; it refuses to evaluate for a layer that is narrower.
    """

    automaton: Semiautomaton
    confused: tuple[Word, Word] | None
    statement: str
    bound: Bound

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The answer in words."""
        return {"in words": (self.statement,)}


@registered(subject="NAME")
def permutation_diagonal(
    target: str | Semiautomaton | Dfa | Mapping[Any, Any], width: int | None = None
) -> PermutationDiagonalWidth:
    """Return the width of a permutation-diagonal layer that follows an automaton; whether diagonal ones do.

    The layer holds the state as a unit vector, and a letter's matrix sends every unit vector to the next: it has one 1 in each
    column. That is exact in any arithmetic that has 0 and 1. The answer says beside it which words all diagonal layers with
    finitely many values confuse.

    Args:
        target: An automaton, its name (parity, S5, flip_flop, gridworld4, dyck3, ...), a file in HOA, DOT, BA or JSON, a
            dictionary {state: {letter: next state}}, or an automaton of another library.
        width: Numbers of state that the layer has; None leaves the width open.

    Raises:
        ValueError: There is no such automaton, or `width` is not an integer >= 1.

    >>> permutation_diagonal("S5").bound.at(), permutation_diagonal("C6").confused, permutation_diagonal("flip_flop").confused
    (5.0, None, None)
    >>> print(permutation_diagonal("S3").statement)
    S3: width 3; no diagonal layer follows it, whatever its width: 0 1 0 1 and 1 0 0 1 are alike to all of them.
    """
    found = named_or_loaded(target)
    states, letters = found.table.shape
    pair = confused(found.table)
    name = found.name
    if pair is None:
        rest = "a diagonal layer follows it as well."
    else:
        one, other = ("".join(f"{found.letters[x] if found.letters else x} " for x in word) for word in pair)
        alike = f"{one}and {other}are alike to all of them"
        if len(pair[0]) != len(pair[1]):  # x^m s and s
            letter = found.letters[pair[0][0]] if found.letters else pair[0][0]
            alike = f"each of them misses a number of letters {letter} before {other}".rstrip()
        rest = f"no diagonal layer follows it, whatever its width: {alike}."
    assumes = [
        Assumption(f"the readout may be any function of the state after the last letter, not of the one before it ({GIVEN})"),
        Assumption(f"coordinates of the diagonal layer take finitely many values, without rounding ({GIVEN})"),
    ]
    if width is not None:
        width = positive_integer("width", width, "numbers of state")
        assumes.insert(0, Assumption(f"a width of {width} holds a unit vector for each of {states} states", states <= width))
    return PermutationDiagonalWidth(
        found,
        pair,
        f"{name}: width {states}; {rest}",
        Bound(
            sympy.Integer(states),
            f"the width with which one permutation-diagonal layer follows {name} ({states} states, {letters} letters)",
            tuple(assumes),
            "PD-SSM, arXiv 2509.22284; what diagonal layers confuse is derived",
        ),
    )


def confused(table: np.ndarray, modulus: int = 1) -> tuple[Word, Word] | None:
    """Return two words that lead some state apart and are alike to diagonal layers with finitely many values, or None.

    They are ``x y s`` and ``y x s`` for the first letters x, y that have such an s, or else ``x^m s`` and ``s``; s is shortest.

    Args:
        table: One row per state, one column per letter.
        modulus: A divisor that m is to have: the order of the rotations of a layer.

    Cost: pairs of letters times pairs of states.

    >>> confused(np.array([[1], [2], [2]]))  # no diagonal layer counts to two and stays there
    ((0, 0), (0,))
    """
    table = np.asarray(table)
    starts, moves = np.arange(len(table)), table.T
    for x, y in itertools.combinations(range(len(moves)), 2):
        if (s := _apart(table, moves[y][moves[x]], moves[x][moves[y]], (x, y))) is not None:
            return (x, y, *s), (y, x, *s)
    for x, move in enumerate(moves):
        turns = math.lcm(period(move), modulus)
        if (s := _apart(table, _repeated(move, turns), starts, (x,))) is not None:
            refuse(
                Estimate(
                    f"a word of {turns:.6g} letters that diagonal layers confuse with another", 1e-7 * turns, turns / 2**26
                )
            )
            return ((x,) * turns + s), s
    return None


def _apart(table: np.ndarray, one: np.ndarray, other: np.ndarray, letters: Word) -> Word | None:
    """The shortest word that contains all these letters and after which two moves of the states still lead some state apart."""
    pairs = zip(one.tolist(), other.tolist(), strict=True)
    needed = frozenset(letters)
    seen: dict[tuple[int, int, frozenset[int]], Word] = {(p, q, frozenset[int]()): () for p, q in pairs if p != q}
    for place in (queue := list(seen)):  # grows while it is walked
        p, q, content = place
        word = seen[place]
        if len(seen) > PAIRS:
            work = f"the words that diagonal layers confuse ({len(table)} states, more than {len(seen)} pairs of them)"
            refuse(Estimate(work, 1e-5 * power(len(table), 2) * table.shape[1], 400.0 * len(seen) / 2**30))
        if content == needed:
            return word
        for z in range(table.shape[1]):
            after = int(table[p, z]), int(table[q, z]), content | ({z} & needed)
            if after[0] != after[1] and after not in seen:
                seen[after] = (*word, z)
                queue.append(after)
    return None


def _repeated(move: np.ndarray, times: int) -> np.ndarray:
    """The move so many times, by squares."""
    found = np.arange(len(move))
    for bit in f"{times:b}":
        found = found[found]
        found = move[found] if bit == "1" else found
    return found


def period(letter: np.ndarray) -> int:
    """Return the least common multiple of the lengths of a letter's cycles, from the next state of each state.

    >>> period(np.array([1, 2, 0, 0, 5, 4]))
    6
    """
    last, lengths = np.arange(len(letter)), []
    for _ in range(len(letter)):  # all states come to lie on cycles
        last = letter[last]
    for state in {*last.tolist()}:
        moved, length = int(letter[state]), 1
        while moved != state:
            moved, length = int(letter[moved]), length + 1
        lengths.append(length)
    return math.lcm(*lengths)


def normal_form(word: Word, modulus: int = 0) -> tuple:
    """Return what all diagonal layers know of a word: its last letters in order, and counts in between.

    Args:
        word: Letters by number.
        modulus: What counts are known by; 0 for the counts themselves.

    Raises:
        ValueError: `modulus` is not an integer >= 0.

    >>> normal_form((0, 1, 0, 0, 1)) == normal_form((1, 0, 0, 0, 1)), normal_form((0, 1)) == normal_form((1, 0))
    (True, False)
    """
    modulus = integer("modulus", modulus, "what counts are known by", least=0)
    last = {letter: place for place, letter in enumerate(word)}
    form: list[Any] = []
    counts: dict[int, int] = {}
    for place, letter in enumerate(word):
        if last[letter] == place:
            form += [tuple(sorted((x, n) for x, n in counts.items() if n)), letter]
            counts = {}
        else:
            counts[letter] = (counts.get(letter, 0) + 1) % (modulus or len(word) + 1)
    return tuple(form)


def known_share(tables: np.ndarray, length: int, modulus: int = 0) -> list[Fraction]:
    """Return for each automaton the share of words whose state the best reader of a diagonal layer names.

    Words and first states are uniform, and the first state is known.

    Args:
        tables: Shape (automata, states, letters).
        length: Letters of a word.
        modulus: A multiple of the orders of all rotations of the layer; 0 for any.

    Cost: all words, for every state of every automaton.

    >>> [str(share) for share in known_share(np.array([[[1, 0], [2, 1], [0, 2]], [[0, 1], [0, 1], [0, 1]]]), 3)]
    ['1', '1']
    """
    tables = np.asarray(tables)
    automata, states, letters = tables.shape
    length, modulus = positive_integer("length", length, "a number of letters"), integer("modulus", modulus, "a number", 0)
    words = list(itertools.product(range(letters), repeat=length))
    forms: dict[tuple, list[int]] = {}
    for number, word in enumerate(words):
        forms.setdefault(normal_form(word, modulus), []).append(number)
    # of words in lexicographic order the last letters run fastest
    ends = np.broadcast_to(np.arange(states), (automata, 1, states))
    for _ in range(length):
        moved = np.take_along_axis(tables[:, None], ends[..., None], axis=2)
        ends = np.moveaxis(moved, -1, 2).reshape(automata, -1, states)
    best = np.zeros(automata, np.int64)
    for members in forms.values():
        of_class = ends[:, members]
        counts = np.stack([(of_class == state).sum(axis=1) for state in range(states)])
        best += counts.max(axis=0).sum(axis=1)
    return [Fraction(int(number), states * len(words)) for number in best]

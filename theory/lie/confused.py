r"""The shortest signed words that k layers without a clock confuse: 2, 7, 24 and 78 letters.

k such layers keep the image of a word in ``F / F^(k)`` (see `theory.lie.derived_words`). Two words of at most L letters have
one image only if some word of ``F^(k)``, not trivial, has at most 2 L letters; and a cyclically reduced word of 2 L letters
falls into two such words. So L is half of alpha_k, the length of the shortest word of ``F^(k)``.

**One class more.** A closed path without flow that is not trivial runs through a part of the graph of class k that has no
ends and two independent cycles, along each edge at least twice. The smallest such part is a *theta*, three paths between two
vertices, or two cycles at a vertex: cycles on a bar have the edges of two cycles and more. Both are filled with two runs
along each edge, so ``alpha_(k+1) = 2 t_k``, with t_k the edges of the smallest. The three cycles of a theta have 2 t_k edges
in all, and ``alpha_k`` each at the least; and two shortest cycles meet somewhere, as all vertices are alike. So

    3 alpha_k <= alpha_(k+1) = 2 t_k <= 4 alpha_k.

**Class 2.** In the lattice two squares side by side have 7 edges, and no theta has 6: ``alpha_2 = 14``.

**Class 3.** Two cycles of a smallest theta have x <= y letters with ``x + 2 y <= 2 t``, so for t < 24 cycles of at most 16
letters decide. All of them are listed: t_2 = 24 for two letters, 22 for three and more (three paths of 7 letters, which t =
21 would need, use at most four letters, because two squares side by side use at most three; there are none).

**Class 4.** Here y <= 52 (50 for three letters) decides whether t_3 is less than what is found. A closed path without flow of
at most 52 letters (50) in the graph of class 2 fills a theta of at most 26 edges (25). Its part has so many edges at the
most. With three independent cycles and no bridge the part would have at most 6 arcs; without the longest, at most 5/6 of 26
edges would hold two cycles, but t_2 = 24 (5/6 of 25, but 22). With a bridge it has t_2 + 14 edges or more. Two cycles at a
vertex have 28. And in a theta the shortest of its arcs has at least 28 - t letters, so to run along an arc twice more takes
56 letters. So the thetas of class 2 list these cycles, and how far two of them overlap says t_3 = 78, and 74 for three
letters.

Source: derived here. The lengths of two letters are 4, 14, 48 and 156; A. Elkasapy and A. Thom, arXiv 1311.0138, bound their
growth (recalled, not read in full: a recursion 3 alpha_k + 2 alpha_(k-1), which would give 4, 14, 50, 178).
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound, Report, integral
from theory.checks import integer, positive_integer
from theory.registry import registered

__all__ = ["ConfusedWords", "confused_pair", "confused_words", "known_lengths"]

_THETAS: dict[int, tuple[tuple[str, str, str], ...]] = {
    2: (
        ("a", "", "b"),
        ("a", "baB", "Bab"),
        ("bABa", "abAABabaBA", "BAbabABBab"),
        ("aabAABBabAbaBBAbabaBAA", "baBabAABabABBabAbaBBAbbaaBAbAB", "BababABBAbabABBabAbaaBABAb"),
    ),
    3: (
        ("a", "", "b"),
        ("a", "baB", "Bab"),
        ("aBCbcA", "BaCbcBAb", "CacBCbAc"),
        ("abABBabAcaCBAbacACbaBA", "BabbABcaCBAbacACBabAbaBBAb", "caCbABacACBabAcaCBAbbaBcAC"),
    ),
}
"""Smallest thetas of the classes 0, 1, 2, 3, by letters; capitals are inverses. In class 0 there is one vertex."""


class ConfusedWords(Report):
    """How many signed letters some number of layers tells apart.

    Attributes:
        bound: The letters of the shortest two words that the layers confuse, or a bound on them from below.
        layers: Number of layers; None for any.
        letters: Number of generators.
    """

    def __init__(self, bound: Bound, layers: int | None, letters: int) -> None:
        self.bound, self.layers, self.letters = bound, layers, letters

    @property
    def pair(self) -> tuple[str, str] | None:
        """Two words of so many letters that the layers confuse and one layer more does not; None where none are known.

        >>> confused_words(2).pair
        ('abABBab', 'BabbABa')
        """
        if self.layers is None or self.layers > len(known_lengths(self.letters)):
            return None
        return confused_pair(self.layers, self.letters)

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The two words, and how much is known."""
        if self.layers is None:
            return {"known": (", ".join(map(str, known_lengths(self.letters))) + " letters for 1, 2, ... layers, exactly",)}
        if self.pair is None:
            return {"known": (f"from below only: exact to {len(known_lengths(self.letters))} layers",)}
        return {"words": self.pair, "known": ("exactly: no shorter words are confused; capitals are inverses",)}


def known_lengths(letters: int = 2) -> tuple[int, ...]:
    """Return the letters of the shortest words that 1, 2, ... layers confuse, as far as they are known.

    Raises:
        ValueError: `letters` is no integer >= 2.

    >>> known_lengths(2), known_lengths(3), known_lengths(4)
    ((2, 7, 24, 78), (2, 7, 22, 74), (2, 7, 22))
    """
    letters = integer("letters", letters, "the number of generators, because powers of one letter are never confused", least=2)
    known = tuple(sum(map(len, theta)) for theta in _THETAS[min(letters, 3)])
    return known if letters <= 3 else known[:3]


def confused_pair(layers: int, letters: int = 2) -> tuple[str, str]:
    """Return two words of the fewest letters that so many layers confuse; capitals are inverses.

    Raises:
        ValueError: There are no layers, fewer than two letters, or more layers than the lengths are known for.

    >>> confused_pair(1), confused_pair(2)
    (('ab', 'ba'), ('abABBab', 'BabbABa'))
    """
    known = known_lengths(letters)
    if positive_integer("layers", layers, "the number of layers") > len(known):
        raise ValueError(f"layers = {layers}: expected at most {len(known)}, because no shortest words are known for more.")
    a, b, c = _THETAS[min(letters, 3)][layers - 1]
    back = b[::-1].swapcase()
    return a + back + c, c + back + a


@registered
def confused_words(layers: int | None = None, letters: int = 2) -> ConfusedWords:
    """Return how many letters the shortest two signed words have that some number of layers confuses.

    The layers keep an element of a group, in which a letter and its inverse undo each other: there is no clock. Up to four
    layers (three for four letters and more) the number is exact. Then each layer more has at least three times as many letters.

    Args:
        layers: Number of layers, at least 1; None leaves it open.
        letters: Number of generators, at least 2.

    Raises:
        ValueError: `layers` is no integer >= 1, or `letters` no integer >= 2.

    >>> [confused_words(layers).at() for layers in (1, 2, 3, 4, 5)]
    [2.0, 7.0, 24.0, 78.0, 234.0]
    >>> confused_words(layers=3, letters=3).at()
    22.0
    """
    known = known_lengths(letters)
    k = sympy.Symbol("layers", positive=True)
    values = {} if layers is None else {k: sympy.Integer(positive_integer("layers", layers, "the number of layers"))}
    exact = [(sympy.Integer(length), sympy.Eq(k, n)) for n, length in enumerate(known, 1)]
    bound = Bound(
        side="below",
        expr=sympy.Piecewise(*exact, (known[-1] * sympy.Integer(3) ** (k - len(known)), True)),
        quantity=f"the letters of the shortest two signed words in {letters} generators that so many layers confuse"
        f" (exact up to {len(known)} layers, from below for more)",
        assumes=(
            Assumption("no clock: the layers hold an element of a group, in which letters can be undone (taken as given)"),
            Assumption("exact real arithmetic and an unrestricted readout of the last state (taken as given)"),
            integral(k),
        ),
        source="thetas in the Cayley graphs of free solvable groups (derived), with the flows of Magnus",
        values=values,
    )
    return ConfusedWords(bound, None if layers is None else int(layers), int(letters))

r"""Runs of equal letters: the fewest layers of masked hard attention that see them, and words for which fewer are blind.

Let R_n be the words in which n letters a stand in a row. Unique hard attention without positions, with strict masks and ties to
the nearest position, recognises R_n at the last letter with

    n layers if all heads look back,            ceil((n + 1) / 2) layers if heads look back and ahead,

and with no fewer, whatever its width, heads and feed-forward parts. So k layers do strictly more than k - 1: R_n with n = k, or
with n = 2k - 1. In particular, R_n with n = 2k - 2 also takes k layers for k > 1.

*Enough.* A run of n letters has a letter with i letters of the run before it and j after it, i + j = n - 1. Following a run
for i letters takes i nested "yesterday", and for j letters j nested "tomorrow". "Once before" adds one: max(i, j) + 1 layers.

*Not fewer.* Let two words have the same letters of runs, run for run, and let each two corresponding runs have the same
length or both at least N. Positions i and i' of corresponding runs are d-alike if their distances from the left end are equal
or both above d, and, for heads of both directions, the distances to the right end as well (the first letter has distance 1).

    Lemma. With N = d (past), N = max(2d - 1, 0) (both), positions that are d-alike have the same type of depth d.

Induction on d. The types met on the way back are in the same order if for every j < i there is a j' < i' that is (d-1)-alike,
with everything between j' and i' alike to something between j and i. Runs apart from that of i, and the part of its run
before i, fall into the letters with a left distance l < d, those with a right distance r < d, and the rest. N = 2d - 1 says
that the three parts do not overlap and the rest is not empty; for the past N = d says so of two parts. Take j' with the same
l, or the same r, or the nearest one of the rest. Before i all of a part stands or none, in both words, because i and i' are
d-alike. The way ahead is the same mirrored.

The last letters of a^n b^n in R_n and of a^(n-1) b^(n+1) outside it are d-alike while d < n, and the lemma speaks of them while
N <= n - 1. So their types agree up to depth n - 1 for the past, and up to depth floor(n / 2) for both sides: a layer too few.

Source: the family is STAIR of Etessami and Wilke, An until hierarchy (2000), without its neutral letter; the two-sided count
and the pairs are derived here. For attention: Yang, Chiang, Angluin, arXiv 2310.13897.
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound, integral
from theory.checks import positive_integer
from theory.cost import Estimate, power, refuse
from theory.logic.formula import Atom, Formula
from theory.logic.operators import all_of, any_of, once_before, tomorrow, yesterday
from theory.logic.types import Sides, sides_named
from theory.registry import registered

__all__ = ["hard_attention_run", "run_formula", "run_pair"]


@registered(usual={"sides": "both"})
def hard_attention_run(letters: int, sides: Sides = "both") -> Bound:
    """Return the fewest layers of masked hard attention that see a run of equal letters.

    Args:
        letters: Number n of equal letters in a row, at least 1.
        sides: "past" if all heads look back, "both" if heads look back and ahead.

    Raises:
        ValueError: `letters` is not an integer >= 1, or `sides` is neither.

    >>> hard_attention_run(5, "past").at(), hard_attention_run(5, "both").at()
    (5.0, 3.0)
    """
    n = sympy.Symbol("letters", positive=True)
    return Bound(
        expr=n if sides_named(sides) == "past" else sympy.ceiling((n + 1) / 2),
        quantity="the fewest layers of hard attention that recognise the words with n letters a in a row",
        assumes=(
            integral(n),
            Assumption("unique hard attention, strict masks, ties to the nearest position, no positions (taken as given)"),
        ),
        source="Etessami and Wilke (2000), Yang, Chiang, Angluin, arXiv 2310.13897; pairs and two-sided count derived",
        values={n: sympy.Integer(positive_integer("letters", letters, "the number of equal letters in a row"))},
        side="exact",
    )


def run_formula(letters: int, sides: Sides = "both") -> Formula:
    """Return a formula of the least depth, true at the last letter of the words with this many letters a in a row.

    Raises:
        ValueError: As `hard_attention_run`.
        TooExpensive: The run is too long, see `theory.cost`.

    >>> print(run_formula(3)), run_formula(3).depth, run_formula(3, "past").depth
    a & Y a & X a | P (a & Y a & X a)
    (None, 2, 3)
    """
    before = _length(letters) - 1
    after = before // 2 if sides_named(sides) == "both" else 0
    a = Atom("a")
    left = right = a
    for _ in range(before - after):
        left = all_of([a, yesterday(left)])
    for _ in range(after):
        right = all_of([a, tomorrow(right)])
    inside = all_of([*_conjuncts(left), *_conjuncts(right)])
    return any_of([inside, once_before(inside)])


def _conjuncts(formula: Formula) -> tuple[Formula, ...]:
    return getattr(formula, "parts", (formula,))


def run_pair(letters: int) -> tuple[str, str]:
    """Return a^n b^n and a^(n-1) b^(n+1): with and without n letters a in a row, alike to a layer fewer than recognise that.

    Raises:
        ValueError: `letters` is not an integer >= 1.
        TooExpensive: The run is too long, see `theory.cost`.

    >>> run_pair(3)
    ('aaabbb', 'aabbbb')
    """
    n = _length(letters)
    return "a" * n + "b" * n, "a" * (n - 1) + "b" * (n + 1)


def _length(letters: int) -> int:
    n = positive_integer("letters", letters, "the number of equal letters in a row")
    refuse(Estimate(f"a run of {power(n, 1):.6g} letters", 1e-5 * power(n, 1), 1e-6 * power(n, 1)))
    return n

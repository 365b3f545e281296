"""Questions about free Lie algebras that have a number for an answer: a dimension, and the next term of the BCH series."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from theory.bound import Assumption, Bound, Number, Report, given
from theory.checks import positive_integer
from theory.lie.bch import bch as bch_series
from theory.lie.free import to_words
from theory.lie.series import LieSeries
from theory.lie.words import check_sizes, witt_dimension
from theory.registry import registered

__all__ = ["SeriesTerm", "bch_term", "witt"]

_DIGITS = 4000  # Python prints no integer of more than 4300
_LONGEST = 10**_DIGITS


@registered
def witt(letters: int, degree: int) -> Bound:
    """Return the dimension of one degree of the free Lie algebra: the number of Lyndon words.

    Args:
        letters: Number of generators, at least 1.
        degree: Number of letters of the brackets, at least 1.

    Raises:
        ValueError: An argument is not an integer >= 1, or the number has more than 4000 digits.
        TooExpensive: The number has too many digits, see `theory.cost`.

    >>> witt(2, 5).at(), witt(letters=3, degree=2).at()
    (6.0, 3.0)
    """
    letters, degree = check_sizes(letters, degree)
    number = witt_dimension(letters, degree)
    if number >= _LONGEST:
        raise ValueError(
            f"degree = {degree}: expected a dimension of at most {_DIGITS} digits, because a longer number is not printed; "
            "`theory.lie.witt_dimension` counts it"
        )
    return Bound(
        expr=sympy.Integer(number),
        quantity=f"the dimension of degree {degree} of the free Lie algebra on {letters} letter{'s' * (letters != 1)}",
        assumes=(),
        source="Witt 1937: (1/n) sum over d | n of mu(d) letters^(n/d)",
        side="exact",
    )


@dataclass(frozen=True, repr=False)
class SeriesTerm(Report):
    """One degree of a series in the free Lie algebra, with a bound on its norm.

    Attributes:
        term: The term, in brackets of Lyndon words.
        bound: The bound on its norm.
    """

    term: LieSeries
    bound: Bound

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The term itself."""
        return {"term": (str(self.term),)}


@registered
def bch_term(degree: int, x: Number | None = None, y: Number | None = None) -> SeriesTerm:
    """Return one degree of log(exp X exp Y) in brackets, and bound its norm: the term that comes next.

    The bound adds the absolute coefficients of the words of this degree. It is attained in the free algebra with the sum norm.

    Args:
        degree: The degree, at least 1; a series cut off after degree n leaves out degree n + 1 first.
        x: Norm of X, submultiplicative; None leaves x open.
        y: Norm of Y; None leaves y open.

    Raises:
        ValueError: `degree` is not an integer >= 1, or a norm is negative or not finite.
        TooExpensive: The series is too long, see `theory.cost`.

    >>> bch_term(3, 0.1, 0.1).term
    <LieSeries: 1/12 [X,[X,Y]] + 1/12 [[X,Y],Y]>
    >>> round(bch_term(3, 0.1, 0.1).at(), 9)
    0.000666667
    """
    degree = positive_integer("degree", degree, "the number of letters of the brackets")
    term = bch_series(degree).homogeneous(degree)
    sums: Counter[int] = Counter()
    for word, coefficient in to_words(term).items():
        sums[sum(1 for letter in word if letter == 0)] += abs(Fraction(coefficient))  # type: ignore[assignment]
    symbols = sympy.symbols("x y", nonnegative=True)
    expr: Any = sum((sympy.Rational(c) * symbols[0] ** n * symbols[1] ** (degree - n) for n, c in sums.items()), sympy.S.Zero)
    return SeriesTerm(
        term,
        Bound(
            expr=expr,
            quantity=f"the norm of the term of degree {degree} of log(exp X exp Y)",
            assumes=(Assumption("the norm is submultiplicative (taken as given)"),),
            source="Baker, Campbell, Hausdorff; the absolute coefficients of its words, added (derived)",
            values=given({symbols[0]: x, symbols[1]: y}),
        ),
    )

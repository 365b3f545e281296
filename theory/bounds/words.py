"""What it takes to tell all words of a given length apart."""

from __future__ import annotations

import sympy

from theory.bounds.bound import Bound, Hypothesis, positive_integer
from theory.lie.words import witt_dimension

__all__ = ["word", "word_dimension"]


def word(length: int | None = None) -> Bound:
    """Abelian layers that suffice to tell all words of at most this length apart: ``ceil(log2(length + 1))``.

    The free nilpotent group of class ``length`` separates them (truncated signature), and class c has derived length at most
    ``ceil(log2(c + 1))`` because the k-th derived ideal lies in the ``2^k``-th lower central one.

    Raises:
        ValueError: a length below one.

    >>> [word(length).at() for length in (1, 3, 4, 7, 8)]
    [1.0, 2.0, 3.0, 3.0, 4.0]
    """
    symbol = sympy.Symbol("length", positive=True)
    values = {} if length is None else {symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))}
    return Bound(
        expr=sympy.ceiling(sympy.log(symbol + 1, 2)),
        quantity="the number of abelian layers that suffice for every word problem on words of at most this length",
        assumes=(
            Hypothesis("exact real arithmetic and an unrestricted readout of the last state (taken as given)"),
            Hypothesis("length is an integer >= 1", sympy.Ge(symbol, 1) & sympy.Eq(symbol, sympy.floor(symbol))),
        ),
        source="free nilpotent group of class length; arXiv 2603.05573v1 has ceil(log2 length) + 1 (sharpened, derived)",
        values=values,
    )


def word_dimension(letters: int, length: int) -> int:
    """Dimension of the free nilpotent Lie algebra of class ``length``: the state this route to the word problem carries.

    Raises:
        ValueError: fewer than one letter or a length below one.

    >>> word_dimension(letters=2, length=5)
    14
    """
    positive_integer("length", length, "the number of letters of a word")
    return sum(witt_dimension(letters, degree) for degree in range(1, length + 1))

"""What it takes to tell all words of a given length apart."""

from __future__ import annotations

import sympy

from theory.bounds.bound import Bound, Hypothesis, positive_integer
from theory.lie.words import witt_dimension

__all__ = ["word", "word_dimension"]


def word(length: int | None = None) -> Bound:
    """Abelian layers that suffice to tell all words of at most this length apart without a clock: ``ceil(log2(length + 1))``.

    The free nilpotent group of class ``length`` separates them (truncated signature), and class c has derived length at most
    ``ceil(log2(c + 1))`` because the k-th derived ideal lies in the ``2^k``-th lower central one.

    An upper bound of this route: its layers hold an element of a group, in which every letter can be undone. A layer that
    counts letters, and is read by the next one, is a clock; with a clock two layers record every word.

    Raises:
        ValueError: a length below one.

    >>> [word(length).at() for length in (1, 3, 4, 7, 8)]
    [1.0, 2.0, 3.0, 3.0, 4.0]
    """
    symbol = sympy.Symbol("length", positive=True)
    values = {} if length is None else {symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))}
    return Bound(
        expr=sympy.ceiling(sympy.log(symbol + 1, 2)),
        quantity="the number of abelian layers that suffice, without a clock, to tell apart all words of at most this length",
        assumes=(
            Hypothesis("words are positive: no letter of theirs is another's inverse (taken as given)"),
            Hypothesis(
                "no clock: the layers hold an element of a group, in which letters can be undone (taken as given; with a layer "
                "that counts letters, and never counts back, 2 layers suffice at every length)"
            ),
            Hypothesis("exact real arithmetic and an unrestricted readout of the last state (taken as given)"),
            Hypothesis("length is an integer >= 1", sympy.Ge(symbol, 1) & sympy.Eq(symbol, sympy.floor(symbol))),
        ),
        source="free nilpotent group of class length; arXiv 2603.05573v1 has ceil(log2 length) + 1 (sharpened, derived); with "
        "a clock: the claim two_layers_record_the_word",
        values=values,
    )


def word_dimension(letters: int, length: int) -> int:
    """Dimension of the free nilpotent Lie algebra of class ``length``: the state this route to the word problem carries.

    Raises:
        ValueError: fewer than one letter or a length below one.

    >>> word_dimension(letters=2, length=5)
    14
    """
    length = positive_integer("length", length, "the number of letters of a word")
    return sum(witt_dimension(letters, degree) for degree in range(1, length + 1))

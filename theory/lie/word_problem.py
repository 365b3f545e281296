"""The depth and the state that tell all words of a given length apart."""

from __future__ import annotations

import dataclasses
import math

import sympy

from theory.bound import Assumption, Bound, Report, integral
from theory.checks import positive_integer
from theory.cost import digits, power, refuse
from theory.lie.confused import known_lengths
from theory.lie.cost import short
from theory.lie.words import witt_dimension
from theory.registry import registered

__all__ = ["WordDepth", "word", "word_dimension"]


class WordDepth(Report):
    """The layers of one route that tell all words of a length apart, and those that words need on every route without a clock.

    Attributes:
        bound: The layers of the truncated signature, which hold a whole element of the free nilpotent group.
        length: Number of letters of the longest word; None for any.
    """

    def __init__(self, bound: Bound, length: int | None) -> None:
        self.bound, self.length = bound, length

    @property
    def necessary(self) -> dict[str, int]:
        """The layers without which two words of at most this length share a state, by kind of word: proved, not conjectured.

        Positive words never need more. Of signed words in two generators none shorter than 7 letters need three, none shorter
        than 24 need four, and none shorter than 78 need five (`confused_words`). If the length is open, no number is enough for
        signed words, and the largest that is known is returned.

        >>> word(6).necessary, word(7).necessary
        ({'positive': 2, 'signed': 2}, {'positive': 2, 'signed': 3})
        >>> [word(length).necessary["signed"] for length in (1, 2, 23, 24, 77, 78)]
        [1, 2, 3, 4, 4, 5]
        """
        confused = sum(self.length is None or length <= self.length for length in known_lengths(2))
        return {"positive": 1 if self.length == 1 else 2, "signed": 1 + confused}

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """Both halves, by kind of word."""
        layers, longest = self.necessary, "" if self.length is None else f" (of at most {self.length} letters)"
        return {
            "necessary": (
                f"positive words{longest}: {layers['positive']}, and as many suffice: a path that never runs back is its flow",
                f"signed words in two generators{longest}: {layers['signed']}; 1, 2, ... layers confuse the first of "
                + ", ".join(map(str, known_lengths(2)))
                + " letters",
            ),
            "sufficient": ("with a clock, a layer that counts letters: 2 for all words of a known length",),
        }


@registered
def word(length: int | None = None) -> WordDepth:
    """Return the abelian layers that tell apart all words of a length without a clock.

    For words of at most this length ``ceil(log2(length + 1))`` layers suffice. The free nilpotent group of class `length`
    separates these words (truncated signature), and a group of class c has derived length at most ``ceil(log2(c + 1))``,
    because the k-th derived ideal lies in the ``2^k``-th term of the lower central series.

    This is the depth of one route, whose layers hold the whole element of that group. To tell the words apart, two layers of
    it suffice if letters are positive, because a path that never runs back is determined by its flow (the claim
    `word_problem_log_depth`); signed words of seven letters in two generators need three, and of 24 letters four
    (`confused_words`). With a layer that counts letters, a clock, two layers record every word.

    Args:
        length: Number of letters of the longest word, at least 1; None leaves the length open.

    Raises:
        ValueError: `length` is not an integer >= 1.

    >>> word(length=64).at()
    7.0
    >>> [word(length).at() for length in (1, 3, 4, 7, 8)]
    [1.0, 2.0, 3.0, 3.0, 4.0]
    """
    symbol = sympy.Symbol("length", positive=True)
    values = {} if length is None else {symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))}
    bound = Bound(
        expr=sympy.ceiling(sympy.log(symbol + 1, 2)),
        quantity="the number of abelian layers that suffice, without a clock, to tell apart all words of at most this length",
        assumes=(
            Assumption("words are positive: no letter of theirs is another's inverse (taken as given)"),
            Assumption(
                "no clock: the layers hold an element of a group, in which letters can be undone (taken as given; with a layer "
                "that counts letters, and never counts back, 2 layers suffice at every length)"
            ),
            Assumption("exact real arithmetic and an unrestricted readout of the last state (taken as given)"),
            integral(symbol),
        ),
        source="free nilpotent group of class length; arXiv 2603.05573v1 has ceil(log2 length) + 1 (sharpened, derived; "
        "v2 of June 2026 corrects Corollary 3.6 and Proposition 3.7); with a clock: the claim two_layers_record_the_word",
        values=values,
    )
    return WordDepth(bound, None if length is None else int(length))


def word_dimension(letters: int, length: int) -> int:
    """Return the dimension of the free nilpotent Lie algebra of class `length`: the size of the state that `word` uses.

    Raises:
        ValueError: `letters` or `length` is not an integer >= 1.
        TooExpensive: The word is too long, see `theory.cost`.

    >>> word_dimension(letters=2, length=5)
    14
    """
    length = positive_integer("length", length, "the number of letters of a word")
    if positive_integer("letters", letters, "the number of generators") == 1:
        return 1
    one = digits(f"the dimension of the free nilpotent algebra of class {short(length)}", power(length, 1) * math.log2(letters))
    refuse(dataclasses.replace(one, seconds=(one.seconds + 2e-5) * power(length, 1)))
    return sum(witt_dimension(letters, degree) for degree in range(1, length + 1))

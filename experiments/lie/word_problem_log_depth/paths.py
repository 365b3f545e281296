r"""Words as paths in the lattice Z^n: what the free abelian and the free metabelian group keep of a word.

A word of signed letters is a path in Z^n: the letter i moves by the unit vector e_i, its inverse moves back. The free abelian
group of rank n keeps the end of the path. The free metabelian group, the free group modulo its second derived subgroup, keeps
its *flow*: how often the path runs along each edge, the runs against the edge subtracted (Magnus embedding).

**Positive words.** The path of a positive word never runs back, so its flow is 1 along its edges and 0 elsewhere, and the edges
in the order of their distance from the origin spell the word: two abelian layers tell positive words of every length apart.

**Signed words.** No two reduced words of at most six letters in two generators have one flow, by exhaustion. Of seven letters
``a b A B A b a`` and ``A b a B a b A`` have one flow (capitals are inverses).

Source: W. Magnus, *On a theorem of Marshall Hall*, Annals of Mathematics 40 (1939); the shortest collisions by exhaustion here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

from theory.checks import integer
from theory.cost import refuse
from theory.lie.cost import reduced
from theory.lie.words import check_sizes

__all__ = ["collisions", "end", "flow", "reduced_words", "sharing"]

SignedWord = tuple[tuple[int, int], ...]


def end(word: SignedWord) -> tuple[tuple[int, int], ...]:
    """Return where the path of a word ends: the letters and their sums, zeros left out.

    >>> end(((0, 1), (1, 1), (0, -1)))
    ((1, 1),)
    """
    return _nonzero(word)


def flow(word: SignedWord) -> tuple[tuple[tuple[tuple[tuple[int, int], ...], int], int], ...]:
    """Return how often the path runs along each edge, as sorted pairs of an edge, its start and its letter, and a number.

    >>> flow(((0, 1), (0, -1)))
    ()
    >>> flow(((0, 1), (1, 1))) == flow(((1, 1), (0, 1)))
    False
    """
    at: Counter[int] = Counter()
    edges = []
    for letter, sign in word:
        if sign > 0:
            edges.append(((_nonzero(at.items()), letter), 1))
        at[letter] += sign
        if sign < 0:
            edges.append(((_nonzero(at.items()), letter), -1))
    return _nonzero(edges)


def collisions(words: Iterable[SignedWord], layers: int) -> int:
    """Return how many words share their image with an earlier one in the free solvable group of class 1 or 2.

    Raises:
        ValueError: `layers` is neither 1 nor 2.

    >>> collisions(reduced_words(2, 3), 1), collisions(reduced_words(2, 3), 2)
    (28, 0)
    """
    images = _images(words, layers)
    return sum(images.values()) - len(images)


def sharing(words: Iterable[SignedWord], layers: int) -> int:
    """Return how many words share their image with another one, earlier or later, in the free solvable group of class 1 or 2.

    A pair of words with one image is one collision (`collisions`) and two words that share.

    Raises:
        ValueError: `layers` is neither 1 nor 2.

    >>> words = reduced_words(2, 7)
    >>> collisions(words, 2), sharing(words, 2)
    (28, 56)
    """
    return sum(number for number in _images(words, layers).values() if number > 1)


def _images(words: Iterable[SignedWord], layers: int) -> Counter:
    layers = integer("layers", layers, "the class of the free solvable group", least=1)
    if layers > 2:
        raise ValueError(f"layers = {layers}: paths describe the free solvable groups of class 1 and 2 only.")
    return Counter((end, flow)[layers - 1](word) for word in words)


def reduced_words(letters: int, length: int) -> list[SignedWord]:
    """Return the words of at most this many signed letters in which no letter stands beside its inverse, shortest first.

    Raises:
        ValueError: `letters` or `length` is not an integer >= 1.
        TooExpensive: There are too many words, see `theory.cost`.

    >>> len(reduced_words(2, 3))
    53
    """
    letters, length = check_sizes(letters, length, "length")
    refuse(reduced(letters, length))
    signed = list(product(range(letters), (1, -1)))
    found: list[SignedWord] = [()]
    longest = found
    for _ in range(length):
        longest = [(*word, (letter, sign)) for word in longest for letter, sign in signed if word[-1:] != ((letter, -sign),)]
        found = found + longest
    return found


def _nonzero(counted: Iterable[tuple]) -> tuple:
    total: Counter = Counter()
    for key, count in counted:
        total[key] += count
    return tuple(sorted((key, count) for key, count in total.items() if count))

r"""What is left of a word's product, on average, for a reader who knows one of its images in a free group of a simpler kind.

Letters 0, ..., n-1 are uniform, and a word w takes a vector v to ``y = M[w_T] ... M[w_1] v``. A reader answers alike for all
words with one image, best with their mean, and is left with the variance of y within them. Images are

- of class c: how often each pattern of at most c letters occurs as a subsequence. By Magnus these are the coefficients of
  ``(1 + X_{w_1}) ... (1 + X_{w_T})`` up to degree c, so they tell the image in the free nilpotent group of class c, and no
  more. Class 1 is the letter counts, all that one abelian layer keeps;
- of two solvable layers: for each letter the letter counts before each of its places, the Fox derivatives of the word. They
  tell the image in the free solvable group of length two, which is all that two abelian layers keep. The places are a path
  that climbs from the origin, so these images tell positive words apart, and nothing is left.

Words of one image are kept as their number and the sum of their ends: letter by letter, and exactly.

Source: W. Magnus, *Beziehungen zwischen Gruppen und Idealen in einem speziellen Ring*, Mathematische Annalen 111 (1935);
W. Magnus, *On a theorem of Marshall Hall*, Annals of Mathematics 40 (1939), for length two.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

Image = Any  # nested tuples of integers
Longer = Callable[[Image, int], Image]


def of_class(degree: int) -> tuple[Image, Longer]:
    """The image of the empty word in the free nilpotent group of this class, and how a letter changes an image.

    >>> empty, longer = of_class(2)
    >>> longer(longer(empty, 0), 1) == longer(longer(empty, 1), 0)
    False
    """
    empty = (((), 1),)

    def longer(image: Image, letter: int) -> Image:
        found = dict(image)
        for pattern, number in image:
            if len(pattern) < degree:
                found[*pattern, letter] = found.get((*pattern, letter), 0) + number
        return tuple(sorted(found.items()))

    return empty, longer


def of_two_layers(letters: int) -> tuple[Image, Longer]:
    """The same in the free solvable group of length two: the letter counts, and every step of their walk.

    >>> empty, longer = of_two_layers(2)
    >>> longer(longer(empty, 0), 1)
    ((1, 1), ((0, (0, 0)), (1, (1, 0))))
    """

    def longer(image: Image, letter: int) -> Image:
        counts, steps = image
        more = tuple(count + (number == letter) for number, count in enumerate(counts))
        return more, tuple(sorted((*steps, (letter, counts))))

    return ((0,) * letters, ()), longer


def left(matrices: np.ndarray, start: np.ndarray, length: int, kind: tuple[Image, Longer]) -> list[Fraction]:
    """Return the variance of y within the words of one image, after 0, 1, ..., `length` letters.

    Args:
        matrices: Orthogonal, exact, shape ``(letters, d, d)``.
        start: A unit vector, exact, shape ``(d,)``.
        length: T.
        kind: The image of the empty word, and how a letter changes an image.

    Cost: images of words of T letters times letters, each a product of a matrix and a vector.

    >>> swap, mirror = [[0, 1], [1, 0]], [[1, 0], [0, -1]]  # (0, -1) and (0, 1): the order of two letters tells all
    >>> [str(part) for part in left(np.array([swap, mirror]), np.array([1, 0]), 2, of_class(1))]
    ['0', '0', '1/2']
    """
    empty, longer = kind
    square: Any = start @ start
    words: dict[Image, tuple[int, Any]] = {empty: (1, start)}
    found = [Fraction(0)]
    for count in range(1, length + 1):
        more: dict[Image, tuple[int, Any]] = {}
        for image, (number, ends) in words.items():
            for letter, matrix in enumerate(matrices):
                after = longer(image, letter)
                known, before = more.get(after, (0, 0 * start))
                more[after] = known + number, before + matrix @ ends
        words = more
        seen = sum((ends @ ends * Fraction(1, number) for number, ends in words.values()), Fraction(0))
        found.append(Fraction(square - seen / len(matrices) ** count))
    return found

"""The distinctions that depth-2 counting formulas can make on words over two letters, by enumeration of their inner tests."""

import itertools

import numpy as np
from jaxtyping import Int

__all__ = ["depth_two_knowledge", "separating_classes"]


def depth_two_knowledge(word: Int[np.ndarray, " length"], size: int) -> tuple[dict[tuple, int], tuple]:
    """Return everything that depth-2 formulas with inner coefficients up to `size` can know of a word over letters 0, 1.

    A depth-1 formula is a Boolean function of the letter and of the tests c_0 #0 + c_1 #1 >= c, a depth-2 formula one of
    comparisons of counts of such formulas. So all of them agree on two words in which every class of positions, by letter and
    by the results of all (2 size + 1)^3 tests, is equally frequent, and whose last positions are of the same class.

    Returns:
        The number of positions in each class, and the class of the last position.
    """
    coefficients = np.array(list(itertools.product(range(-size, size + 1), repeat=3)))
    counts = np.cumsum(word[:, None] == np.arange(2), axis=0)
    results = np.packbits(counts @ coefficients[:, :2].T >= coefficients[:, 2], axis=1)
    classes = [(int(letter), row.tobytes()) for letter, row in zip(word, results, strict=True)]
    found: dict[tuple, int] = {}
    for kind in classes:
        found[kind] = found.get(kind, 0) + 1
    return found, classes[-1]


def separating_classes(first: Int[np.ndarray, " length"], second: Int[np.ndarray, " length"], size: int) -> int:
    """Return the number of classes that distinguish two words, that of the last position included; 0 means depth 2 is blind."""
    (ours, end), (theirs, other_end) = depth_two_knowledge(first, size), depth_two_knowledge(second, size)
    return sum(ours.get(kind, 0) != theirs.get(kind, 0) for kind in {*ours, *theirs}) + int(end != other_end)

r"""What counting formulas of depth 2 and 3 can tell apart, decided by enumeration of their inner tests.

A depth-1 formula over the letters 0 and 1 is a Boolean function of the letter and of the tests c_0 #0 + c_1 #1 >= c, with
coefficients and bounds of absolute value at most C. So it is a set of *classes* of positions, by letter and by the results of
all (2C + 1)^3 tests. A depth-2 test adds counts of such formulas, with a sum of |factors| and a |bound| of at most S. A sum of
sets with factors weighs every class. The weights w that occur are exactly the integers with max(w, 0) + max(-w, 0) <= S, since
each level set of w is a formula: those of the intervals [-t, S - t]. Two positions whose numbers of classes so far are n and m
are told apart by a depth-2 test iff some w and |b| <= S have w.n >= b > w.m, or the other way round. The classes in which n and
m agree add one number to both sides, and the numbers that they can add are found as the bits of an integer.
"""

import itertools

import numpy as np
from jaxtyping import Int

__all__ = ["told_apart_by_depth_three", "told_apart_by_depth_two"]

Word = Int[np.ndarray, " length"]


def told_apart_by_depth_two(first: Word, second: Word, size: int) -> bool:
    """Return whether a formula of depth 2 with inner coefficients up to `size` differs at the ends of two words.

    It does iff a class of positions is more frequent in one of the words, or their last positions are of different classes.
    The outer coefficients are unbounded.
    """
    (ours, _), (theirs, _) = (_classes(word, size) for word in (first, second))
    return ours[-1] != theirs[-1] or sorted(ours) != sorted(theirs)


def told_apart_by_depth_three(first: Word, second: Word, size: int, total: int) -> bool:
    """Return whether a formula of depth 3 differs at the ends of two words of one length.

    Args:
        first: Word over the letters 0 and 1.
        second: Another word.
        size: C, the largest coefficient and bound of the tests of depth 1.
        total: S, the largest sum of coefficients, and the largest bound, of the tests of depth 2. The outer ones are unbounded.

    Cost: (total + 1)^(k + 1) sums of sets for each pair of positions behind the common beginning of the words, where the counts
    of k classes differ.
    """
    start = int(np.argmax(first != second))
    representatives: list[tuple[tuple, dict]] = []

    def kind(kind_one: tuple, counts: dict) -> int:
        for index, (other, others) in enumerate(representatives):
            if kind_one == other and not _separable(counts, others, total):
                return index
        representatives.append((kind_one, counts))
        return len(representatives) - 1

    ends = []
    for word in (first, second):
        classes, counts = _classes(word, size)
        ends.append([kind(classes[i], counts(i)) for i in range(start, len(word))])
    return ends[0][-1] != ends[1][-1] or sorted(ends[0]) != sorted(ends[1])


def _classes(word: Word, size: int):
    """The class of every position, and a function from a position to the numbers of classes up to there."""
    coefficients = np.array(list(itertools.product(range(-size, size + 1), repeat=3)))
    letters = np.cumsum(word[:, None] == np.arange(2), axis=0)
    results = np.packbits(letters @ coefficients[:, :2].T >= coefficients[:, 2], axis=1)
    classes = [(int(letter), row.tobytes()) for letter, row in zip(word, results, strict=True)]

    def counts(position: int) -> dict[tuple, int]:
        found: dict[tuple, int] = {}
        for one in classes[: position + 1]:
            found[one] = found.get(one, 0) + 1
        return found

    return classes, counts


def _separable(ours: dict[tuple, int], theirs: dict[tuple, int], total: int) -> bool:
    """Whether some weights in an interval [-t, total - t] and a bound of at most `total` put the two counts on both sides."""
    gaps = {one: theirs.get(one, 0) - ours.get(one, 0) for one in {*ours, *theirs}}
    moving = [(ours.get(one, 0), gap) for one, gap in gaps.items() if gap]
    for low in range(-total, 1):
        high = low + total
        sums, least = _sums([ours[one] for one, gap in gaps.items() if not gap], low, high)
        for weights in itertools.product(range(low, high + 1), repeat=len(moving)):
            here = sum(weight * count for weight, (count, _) in zip(weights, moving, strict=True))
            gap = sum(weight * gap for weight, (_, gap) in zip(weights, moving, strict=True))
            # a bound b with here + x < b <= here + x + gap, or with the sides exchanged, x one of the sums
            first, last = -total - max(gap, 0) - here, total - 1 - min(gap, 0) - here
            first, last = max(first - least, 0), last - least
            if gap and last >= first and sums >> first & ((1 << (last - first + 1)) - 1):
                return True
    return False


def _sums(counts: list[int], low: int, high: int) -> tuple[int, int]:
    """All sums of these counts with weights low .. high: the bit x - least of the first number, and the least sum."""
    bits = 1
    for count in counts:
        spread = 0
        for weight in range(high - low + 1):
            spread |= bits << (count * weight)
        bits = spread
    return bits, low * sum(counts)

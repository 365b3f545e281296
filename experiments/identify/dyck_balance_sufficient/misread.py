"""How many stacks the second layer misreads, without a word: what it reads depends on how often each pair was closed."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

__all__ = ["misread_stacks"]


def misread_stacks(
    scores: Float[np.ndarray, "symbols symbols"],
    ratios: Float[np.ndarray, " pairs"],
    tolerance: float,
    types: int,
    on: list[list[int]],
    *,
    after_openers: bool = False,
) -> int:
    """Return how many prefixes that a closer ends, with something left open, have another stack than is read.

    The layer adds up weights of openers and of closers, so that the order of the letters does not matter. Prefixes with the
    same open and closed pairs and the same last letter are one case.

    Args:
        scores: Score for each key symbol (rows) and query symbol.
        ratios: Ratio of the value of a closer to that of its opener, for each pair.
        tolerance: What is smaller than this share of the largest output is not read.
        types: Number of bracket types.
        on: Numbers of words of 0, 1, ... letters that go on from each depth; a prefix counts once for each.
        after_openers: Prefixes that an opener ends are looked at in their place.

    >>> types, uniform = 1, np.zeros((4, 4))
    >>> misread_stacks(uniform, np.ones(2), 0.5, types, [[1, 1, 1]] * 6)
    0
    >>> misread_stacks(uniform, np.array([1.0, 0.25]), 0.5, types, [[1, 1, 1]] * 4)
    1
    >>> misread_stacks(uniform, np.array([1.0, 0.25]), 0.5, types, [[1, 1, 1]] * 6, after_openers=True)  # (())(
    1
    """
    pairs, deepest = len(ratios), len(on[0]) - 1
    opened, closed, queries, words = [], [], [], []

    def look(stack: Sequence[int], times: Sequence[int], query: int, number: int) -> None:
        opened.append([int(pair in stack) for pair in range(pairs)])
        closed.append(times)
        queries.append(query)
        words.append(number)

    ways = Counter({((), (0,) * pairs): 1})
    for further in on[-2::-1]:
        longer: Counter = Counter()
        for (stack, times), number in ways.items():
            if len(stack) < deepest:
                for last in range(len(stack) * types, (len(stack) + 1) * types):
                    longer[(*stack, last), times] += number
                    if after_openers:
                        look((*stack, last), times, last, number * further[len(stack) + 1])
            if stack:
                *rest, last = stack
                once_more = tuple(count + (pair == last) for pair, count in enumerate(times))
                longer[tuple(rest), once_more] += number
                if rest and not after_openers:
                    look(rest, once_more, pairs + last, number * further[len(rest)])
        ways = longer
    if not words:
        return 0
    is_open, count = np.array(opened), np.array(closed)
    weights = np.exp(scores[:, queries]).T
    output = abs((is_open + count) * weights[:, :pairs] - count * ratios * weights[:, pairs:])
    read = output > tolerance * output.max(axis=1, keepdims=True)
    return int(np.array(words)[(read != is_open).any(axis=1)].sum())

r"""Permutations of a few hundred points, without listing their group: whether they give all even permutations.

A transitive group with an element that has a cycle of prime length p, n/2 < p < n - 2, holds all even permutations of its n
points. A power of the element is that cycle alone, because the other cycles are shorter than p. Blocks of imprimitivity have
at most n/2 < p points and cannot hold the cycle, nor can it be a union of several of them, as p is prime: the group is
primitive, and a primitive group with a cycle of prime length that fixes at least three points is alternating or symmetric
(Jordan 1873). About one even permutation in log n / log 2 has such a cycle, so products of random factors soon show one.

Source: Wielandt, Finite Permutation Groups (1964), Theorem 13.9; Seress, Permutation Group Algorithms (2003), chapter 10.
"""

from __future__ import annotations

import random

from sympy import isprime

from theory.checks import positive_integer

__all__ = ["commute", "cycle_lengths", "holds_all_even", "is_odd", "is_transitive"]

Permutation = tuple[int, ...]

TRIES = 20
"""Random elements for each binary digit of the number of points; that all of them miss is unlikelier than 1e-6."""


def cycle_lengths(permutation: Permutation) -> list[int]:
    """Lengths of all cycles, fixed points included.

    >>> sorted(cycle_lengths((1, 0, 2, 4, 5, 3)))
    [1, 2, 3]
    """
    seen = [False] * len(permutation)
    lengths = []
    for start in range(len(permutation)):
        length, here = 0, start
        while not seen[here]:
            seen[here], here, length = True, permutation[here], length + 1
        if length:
            lengths.append(length)
    return lengths


def is_odd(permutation: Permutation) -> bool:
    """Whether a permutation is odd.

    >>> is_odd((1, 0, 2)), is_odd((1, 2, 0))
    (True, False)
    """
    return (len(permutation) - len(cycle_lengths(permutation))) % 2 == 1


def commute(first: Permutation, second: Permutation) -> bool:
    """Whether two permutations commute.

    >>> commute((1, 0, 2), (0, 2, 1)), commute((1, 0, 2, 3), (0, 1, 3, 2))
    (False, True)
    """
    return all(first[j] == second[i] for i, j in zip(first, second, strict=True))


def holds_all_even(generators: tuple[Permutation, ...]) -> bool:
    """Whether the permutations were seen to give all even permutations of at least 8 points.

    True is certain. False may be a miss, with a probability below 1e-6, and always is the answer for fewer points.

    >>> holds_all_even(((1, 2, 3, 4, 5, 6, 7, 8, 9, 0), (1, 0, 2, 3, 4, 5, 6, 7, 8, 9)))
    True
    >>> holds_all_even(((1, 2, 3, 4, 5, 6, 7, 8, 9, 0), (9, 8, 7, 6, 5, 4, 3, 2, 1, 0)))
    False
    """
    points = len(generators[0]) if generators else 0
    if points < 8 or not is_transitive(generators, points):
        return False
    drawn = random.Random(0)  # the same elements in every run
    pool = list(generators)
    for _ in range(TRIES * points.bit_length()):
        i, factor = drawn.randrange(len(pool)), drawn.choice(pool)
        product = tuple([factor[j] for j in pool[i]])
        if any(2 * length > points and length < points - 2 and isprime(length) for length in cycle_lengths(product)):
            return True
        pool = [*pool, product] if len(pool) < 10 else [*pool[:i], product, *pool[i + 1 :]]
    return False


def is_transitive(generators: tuple[Permutation, ...], points: int) -> bool:
    """Whether products of the permutations lead from the first point to every other one.

    Raises:
        ValueError: `points` is not an integer >= 1.
    """
    points = positive_integer("points", points, "the number of points")
    reached, queue = {0}, [0]
    for here in queue:  # grows while it is walked
        for generator in generators:
            if (there := generator[here]) not in reached:
                reached.add(there)
                queue.append(there)
    return len(reached) == points

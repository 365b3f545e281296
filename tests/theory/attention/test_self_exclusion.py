r"""Bits for the head that ranks the last match first and itself last: each step of the derivation, and brute force.

With keys k_1 .. k_N and u_l = k_(l+1) - k_l the head needs, at every i, a g with g.u_l > 0 for l <= i - 2 and
g.(k_i - k_1) < 0. The norms |g|_i = sum_(l<i) |g.u_l| have unit balls whose volumes halve; exact areas for two directions,
convex hulls for three.
"""

import itertools
from fractions import Fraction
from functools import cache
from math import factorial, log2

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from theory.bounds import self_exclusion_bits
from theory.errors import OutsideHypotheses


def bits_asked(length, width):
    """The formula, also where it is vacuous."""
    bound = self_exclusion_bits(length, width)
    return float(bound.expr.subs(list(bound.values.items())))


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def differences(keys):
    return [tuple(x - y for x, y in zip(b, a, strict=True)) for a, b in itertools.pairwise(keys)]


def has_query(keys):
    """Whether a g ranks the keys before the last one upwards and the last one below the first: two directions, integers.

    The vectors that g must meet positively lie in an open half-plane: within half a turn, counter-clockwise, of one of them.
    """
    wanted = [*differences(keys[:-1]), tuple(x - y for x, y in zip(keys[0], keys[-1], strict=True))]
    if not all(map(any, wanted)):
        return False
    return any(all(cross(a, b) > 0 or (cross(a, b) == 0 and dot(a, b) > 0) for b in wanted) for a in wanted)


@cache
def longest(size):
    """As many keys with two coordinates in 0 .. size as can do it, by search through all of them."""
    grid = list(itertools.product(range(size + 1), repeat=2))
    best = []

    def extend(keys):
        nonlocal best
        best = max(best, keys, key=len)
        for key in grid:
            if has_query([*keys, key]):
                extend([*keys, key])

    for first in grid[: (len(grid) + 1) // 2]:  # the others are these, turned about the middle
        extend([first])
    return best


def bits_held(size):
    """p, where coordinates from -2^p to 2^p in steps of 2^-p have `size` steps, 2 * 4^p."""
    return (log2(size) - 1) / 2


def powers(length, *bases):
    """Keys (2^l, 3^l): the score A 2^l - c 3^l rises up to i - 1 and falls at i below where it began, for a suitable A / c."""
    return [tuple(base**index for base in bases) for index in range(1, length + 1)]


def two_dimensional_integral(vectors):
    """The integral of exp(-|g|) over the plane: twice the area of the unit ball of sum |g.u|, an exact polygon."""
    rays = [ray for x, y in vectors for ray in ((-y, x), (y, -x))]
    corners = {tuple(Fraction(c) / sum(abs(dot(ray, u)) for u in vectors) for c in ray) for ray in rays}
    upper = sorted((c for c in corners if c[1] > 0 or (c[1] == 0 and c[0] > 0)), key=lambda c: -c[0] / (abs(c[0]) + c[1]))
    ring = [*upper, *((-x, -y) for x, y in upper)]
    area = sum(cross(a, b) for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)) / 2
    return 2 * area


def three_dimensional_integral(vectors):
    """The same in space: six times the volume of the hull of the corners, which lie on lines orthogonal to two vectors."""
    u = np.array(vectors, dtype=float)
    corners = []
    for a, b in itertools.combinations(range(len(u)), 2):
        ray = np.cross(u[a], u[b])
        if np.abs(ray).max() > 1e-12:
            ray = ray / np.abs(u @ ray).sum()
            corners += [ray, -ray]
    return factorial(3) * ConvexHull(np.array(corners)).volume


@pytest.mark.parametrize(("size", "count"), [(1, 4), (2, 5)])
def test_no_keys_of_few_bits_are_longer_than_the_bound_allows(size, count):
    keys = longest(size)
    assert len(keys) == count and all(has_query(keys[:i]) for i in range(2, count + 1))
    assert bits_asked(count, 2) <= bits_held(size)
    with pytest.raises(OutsideHypotheses, match="vacuous"):
        self_exclusion_bits(count, 2).at()


def test_one_direction_serves_three_positions_whatever_the_bits():
    assert has_query([(0, 0), (1, 0)]) and has_query([(0, 0), (1, 0), (-1, 0)])
    for keys in itertools.permutations([(x, 0) for x in range(-4, 5)], 4):
        assert not all(has_query(keys[:i]) for i in (2, 3, 4))


def test_powers_of_two_and_three_exclude_the_position_in_linearly_many_bits():
    """log2(3) N / 2 bits before and after the point are enough for two directions; the bound asks for about N / 4."""
    keys = powers(60, 2, 3)
    assert all(has_query(keys[:i]) for i in range(2, 61))
    for length in (16, 40, 60, 1000):
        assert bits_asked(length, 2) <= bits_held(3**length)
    assert self_exclusion_bits(4096, 2).at() == pytest.approx((4093 / 2 - 13) / 2)


def test_every_word_is_answered_by_such_keys():
    """All words of two letters: the largest score among equal letters up to i, i included, is the last earlier one."""
    length = 7
    keys = powers(length, 2, 3)
    queries = {1: (0, -1)}
    for i in range(2, length + 1):
        queries[i] = next(
            (a, -c)
            for a, c in itertools.product(range(1, 200), repeat=2)
            if all(a * u[0] > c * u[1] for u in differences(keys[: i - 1])) and a * (2**i - 2) < c * (3**i - 3)
        )
    for word in itertools.product("ab", repeat=length):
        for i in range(1, length + 1):
            matches = [j for j in range(1, i + 1) if word[j - 1] == word[i - 1]]
            if len(matches) > 1:
                assert max(matches, key=lambda j: dot(queries[i], keys[j - 1])) == matches[-2]


@pytest.mark.parametrize("keys", ["searched 1", "searched 2", "powers"])
def test_the_ball_of_two_directions_halves(keys):
    u = differences(powers(12, 2, 3) if keys == "powers" else longest(int(keys[-1])))
    start = next(i for i in range(2, len(u) + 1) if any(cross(u[0], v) for v in u[:i]))
    integrals = [two_dimensional_integral(u[:i]) for i in range(start, len(u) + 1)]
    assert all(2 * after <= before for before, after in itertools.pairwise(integrals))
    # both ends of the chain: the basis from which the volume starts, and the cross-polytope inside the last ball
    determinant = max(abs(cross(u[0], v)) for v in u[:start])
    assert integrals[0] <= Fraction(4, determinant)
    across = max(abs(c) for v in u for c in v)
    assert integrals[-1] >= Fraction(2, len(u) * across) ** 2
    steps = len(u) - start
    assert steps <= 2 * log2(len(u) * across) - log2(determinant) + 1e-9


def test_the_ball_of_three_directions_halves():
    keys = [(*key, index**2) for index, key in enumerate(powers(10, 2, 3))]  # a query without the third entry serves
    u = differences(keys)
    integrals = [three_dimensional_integral(u[:i]) for i in range(3, len(u) + 1)]
    assert all(2 * after <= before * (1 + 1e-6) for before, after in itertools.pairwise(integrals))
    determinant = abs(round(float(np.linalg.det(np.array(u[:3], dtype=float)))))
    assert integrals[0] <= 8 / determinant * (1 + 1e-6)


def test_integrals_of_known_balls():
    assert two_dimensional_integral([(1, 0), (0, 1)]) == 4  # |x| + |y| <= 1 has the area 2
    assert two_dimensional_integral([(1, 0), (0, 3)]) == Fraction(4, 3)
    assert two_dimensional_integral([(1, 0), (0, 1), (1, 1)]) == Fraction(3, 2)
    assert three_dimensional_integral([(1, 0, 0), (0, 1, 0), (0, 0, 2)]) == pytest.approx(4)

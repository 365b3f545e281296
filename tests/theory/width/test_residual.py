"""Second moments of residual streams, by Wick pairings and by the first layer written out."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import comb, prod

import numpy as np
import pytest

from theory import bounds
from theory.cost import TooExpensive
from theory.width import residual


def square_norm(n):
    """E |W^2 e_1|^2 for independent N(0, 1/n), by the three pairings of four factors."""
    total = Fraction(0)
    for i, j, k in product(range(n), repeat=3):
        factors = [(i, j), (j, 0), (i, k), (k, 0)]
        for (a, b), (c, d) in (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))):
            total += Fraction(int(factors[a] == factors[b] and factors[c] == factors[d]), n**2)
    return total


def mean_growth(depth, scale, n):
    """E |(1 + scale W)^depth e_1|^2, by all pairings of the entries along two paths that start at 0 and end together."""
    total = Fraction(0)
    for r, s in product(range(depth + 1), repeat=2):
        if (r + s) % 2 == 0:
            weight = comb(depth, r) * comb(depth, s) * scale ** (r + s) / Fraction(n) ** ((r + s) // 2)
            total += weight * sum(pairings(entries(left) + entries(right)) for left, right in loops(r, s, n))
    return total


def loops(r, s, n):
    """Pairs of paths of r and s steps from 0 to one common end."""
    for left in product(range(n), repeat=r):
        for right in product(range(n), repeat=s):
            if (0, *left)[-1] == (0, *right)[-1]:
                yield (0, *left), (0, *right)


def entries(path):
    return [(after, before) for before, after in pairwise(path)]


def pairings(factors):
    """How many pairings match equal factors only: the product of (k - 1)!! over their multiplicities k."""
    counts = Counter(factors).values()
    return 0 if any(k % 2 for k in counts) else prod(prod(range(1, k, 2)) for k in counts)


def test_tied_growth_has_the_next_term_of_the_exact_moment():
    scale = Fraction(1, 2)
    found = residual.tied_growth(2, scale)
    for n in (1, 2, 3, 5):
        exact = 1 + 4 * scale**2 + 2 * scale**2 / n + scale**4 * square_norm(n)
        left = exact - Fraction(found.limit) - Fraction(found.correction) / n
        assert float(left) == pytest.approx(residual.tied_remainder(2, scale, n), rel=1e-12)  # nothing follows 1/n^2 here


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1)])
def test_the_remainder_of_three_layers_bounds_what_all_pairings_leave(scale):
    found = residual.tied_growth(3, scale)
    for n in (1, 2, 3):
        left = float(mean_growth(3, scale, n)) - found.at(n)
        assert -1e-12 <= left <= residual.tied_remainder(3, scale, n) * (1 + 1e-12)
    assert left > 0


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(-1), 0])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_the_mean_of_tied_layers_is_the_sum_over_entries(depth, scale):
    for n in (1, 2, 3):
        assert residual.tied_mean(depth, scale, n) == mean_growth(depth, Fraction(scale), n)


def test_the_mean_of_tied_layers_has_both_terms_and_what_follows_them():
    for depth in (3, 4):
        law, far = residual.tied_growth(depth, 0.75), 10**7
        mean = residual.tied_mean(depth, 0.75, far)
        assert float((mean - Fraction(law.limit)) * far) == pytest.approx(law.correction, rel=1e-4)
        left = float(residual.tied_mean(depth, 0.75, 1)) - law.at(1)
        assert left == pytest.approx(residual.tied_remainder(depth, 0.75, 1), rel=1e-12)  # the bound is sharp at width 1


def test_pairings_of_many_layers_are_refused():
    with pytest.raises(TooExpensive):
        residual.tied_mean(30, 1, 2)
    with pytest.raises(ValueError, match="width"):
        residual.tied_mean(2, 1, 0)


def test_tied_growth_tends_to_the_bessel_function():
    assert residual.tied_growth(100, 1 / 100).limit == pytest.approx(2.2795853, rel=1e-2)
    assert residual.fresh_growth(100, 0.1) == pytest.approx(2.718, rel=1e-2)
    assert residual.tied_growth(100, 0.1).limit > 1e5
    for weights, value in (("fresh", residual.fresh_growth(7, 0.25)), ("tied", residual.tied_growth(7, 0.25).limit)):
        assert bounds.residual(7, 0.25, weights).at() == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("rho", [0.3, 0.95])
def test_agreement_after_one_layer(rho):
    # second order expansion of N / sqrt(A B) written out by hand for c = 1
    n = 1 + rho
    by_hand = (36 * n / 32 + n * (4 * rho + 2 * rho**2) / 16 - (n + rho)) / 2
    for norm in residual.NORMS:
        first = residual.agreement(norm, 1, rho)[1]
        assert first.limit == pytest.approx(n / 2) and first.correction == pytest.approx(by_hand, abs=1e-12)


def test_agreement_laws():
    rho, depth = 0.8, 20
    pre = 1.0
    for layer in range(depth):
        pre *= (layer + 1 + rho) / (layer + 2)
    assert residual.agreement("post", depth, rho)[-1].limit == pytest.approx(((1 + rho) / 2) ** depth)
    for norm in ("pre", "admin"):
        assert residual.agreement(norm, depth, rho)[-1].limit == pytest.approx(pre)
        assert bounds.sensitivity(depth, norm).at() == pytest.approx(sum(1 / (m + 1) for m in range(1, depth + 1)))
    assert bounds.sensitivity(depth).at() == depth / 2


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="expected one of post, pre, admin"):
        residual.agreement("layer", 3, 0.5)
    with pytest.raises(ValueError, match="from 0 to 1"):
        residual.agreement("post", 3, 1.5)
    with pytest.raises(ValueError, match="'fresh'"):
        bounds.residual(3, 1, "shared")


def test_distances_are_limits_of_cosines():
    for norm in ("post", "admin"):
        limits = [1 - law.limit for law in residual.agreement(norm, 5, 0.7)[1:]]
        np.testing.assert_allclose(residual.mean_square_distance(norm, 5, 0.7), limits, rtol=1e-12)
    with pytest.raises(ValueError, match="'post' or 'admin'"):
        residual.mean_square_distance("pre", 5, 0.7)

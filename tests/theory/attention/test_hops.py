"""Bounds on k-hop: laws against tables, the obstruction against explicit position codes, refusals."""

from fractions import Fraction
from itertools import pairwise, product
from math import log

import mpmath
import pytest

from experiments.attention.cycle_rounds.cycles import cycle_rounds, cycle_views
from theory.attention.hops import hop_reach, lookup_excess, lookup_threshold
from theory.bounds import hop, one_layer, one_layer_sort, recurrent_bits, self_exclusion_bits, sharpness
from theory.errors import OutsideHypotheses

KS = (1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17)


def test_laws_of_the_two_routes():
    assert [hop(k).at() for k in KS] == [2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6]
    assert [hop(k, "causal").at() for k in KS] == [2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7]


@pytest.mark.parametrize("mask", ["strict", "causal"])
def test_reach_inverts_depth(mask):
    for layers in range(2, 12):
        furthest = hop_reach(layers, mask)
        assert hop(furthest, mask).at() == layers
        assert hop(furthest + 1, mask).at() == layers + 1


def test_laws_agree_at_powers_of_two_alone():
    equal = [k for k in range(1, 65) if hop(k).at() == hop(k, "causal").at()]
    assert equal == [1, 2, 4, 8, 16, 32, 64]


def test_threshold_lies_just_below_the_sufficient_sharpness():
    for length in (16, 100, 512, 4096):
        onset = lookup_threshold(length)
        assert 0 < sharpness(length).at() - onset < 3 / length
        assert abs(onset - log(4 * length - 8)) < length**-2


@pytest.mark.parametrize("length", [5, 6, 8, 16, 33, 100, 512, 4096])
def test_threshold_exceeds_the_logarithm_by_a_third_power(length):
    """Twin: the root of the whole sum by mpmath's secant method at 60 digits."""
    values = [0, 0, *range(2, length - 1), 0, length - 1]

    def excess(b):
        return mpmath.fsum((v - mpmath.mpf(1) / 2) * mpmath.exp(-b * (p - length + 1) ** 2) for p, v in enumerate(values))

    with mpmath.workdps(60):
        start = mpmath.log(4 * length - 8)
        above = mpmath.findroot(excess, (start, start + mpmath.mpf(length) ** -3)) - start
        eps = mpmath.mpf(lookup_excess(length).numerator) / lookup_excess(length).denominator
        assert abs(above - eps + mpmath.mpf(7) / 2 * eps**2) < 30 * eps**3 + mpmath.mpf(length) ** -8
        assert abs(above * length**3 * 128 - 1) < mpmath.mpf(14) / length  # the third power, and not the fourth


def test_a_wide_exponent_excludes_the_position_itself_in_two_dimensions():
    """The score l - 2 N (4 N)^(l - i) of two exact position codes ranks the last earlier position first and i last."""
    length = 40
    for i in range(2, length + 1):
        scores = [Fraction(j) - 2 * length * Fraction(4 * length) ** (j - i) for j in range(1, i + 1)]
        assert all(a < b for a, b in pairwise(scores[:-1]))
        assert scores[-1] < min(scores[:-1])
        assert scores[-1] < 0 < min(scores[:-1])


def test_the_wide_exponent_respects_the_obstruction():
    """Those codes, as multiples of 2^-p up to 2^p, need far more bits than the bound asks for."""
    length = 40
    bits = log((4 * length) ** length, 2)
    assert 0 < self_exclusion_bits(length, 2).at() <= bits


def test_one_layer_and_recurrences():
    assert one_layer(1, 16, 32).at() == 1089
    assert [recurrent_bits(2 * n + 1).at() for n in (1, 5, 9)] == [1, 5, 9]
    assert [cycle_views(n) for n in (6, 8, 10, 64)] == [(0, 1), (1, 1), (1, 2), (15, 15)]
    assert [cycle_rounds(n) for n in (6, 8, 16, 18, 100)] == [(1, 3), (1, 3), (2, 4), (3, 5), (5, 7)]


def test_sorting_asks_for_the_whole_multiset():
    """Distinct rows of answers of machine n, over what Bob may write: as many as multisets."""
    for n, v in ((3, 3), (4, 2), (3, 5)):
        rows = set()
        for alice in product(range(v), repeat=n):
            words = [[0] * a + [v - 1] * (n - 1 - a) + [v - 1, *alice] for a in range(n)]
            rows.add(tuple(sorted(word)[n - 1] for word in words))
        assert log(len(rows), 2) == pytest.approx(one_layer_sort(2 * n, v).at())


def test_too_long_for_the_type():
    with pytest.raises(OutsideHypotheses, match=r"float32 \(float64 would do\)"):
        hop(3, "strict", 5000, "float32").at()
    assert hop(3, "strict", 5000, "float64").at() == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: hop(0), "hops"),
        (lambda: hop(1, "open"), "mask"),
        (lambda: hop(1, dtype="int8"), "dtype"),
        (lambda: hop(9, length=8).at(), "hops <= length"),
        (lambda: one_layer(0, 1, 1), "heads"),
        (lambda: cycle_rounds(7), "even"),
        (lambda: lookup_threshold(4), "at least 5"),
        (lambda: self_exclusion_bits(4, 4).at(), "width < length"),
        (lambda: hop_reach(0), "layers"),
        (lambda: one_layer(1, 16, 32, length=64).at(), "vacuous here"),
        (lambda: self_exclusion_bits(16, 4).at(), "vacuous here"),
        (lambda: one_layer_sort(1, 4).at(), "length >= 2"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()

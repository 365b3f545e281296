"""The sharp tails of the Magnus and BCH series: their constants by counting permutations, and words that attain them."""

from fractions import Fraction
from itertools import pairwise, permutations
from math import comb, factorial, perm

import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import twins
from theory import bounds
from theory.attention.hops import hop_reach
from theory.errors import OutsideHypotheses
from theory.lie import magnus, to_words
from theory.lie.goldberg import pair_constants
from theory.lie.tails import permutation_constant
from theory.logic.log_depth import reach
from theory.strategies import words


def _descents(p):
    return sum(a > b for a, b in pairwise(p))


@pytest.mark.parametrize("degree", range(1, 8))
def test_constants_by_counting_permutations(degree):
    weights = (
        Fraction(factorial(d := _descents(p)) * factorial(degree - 1 - d), factorial(degree))
        for p in permutations(range(degree))
    )
    assert permutation_constant(degree) == sum(weights) / factorial(degree)


def test_constants_by_eulerian_numbers_and_their_ratio():
    row = [1]
    for n in range(1, 120):
        theta = sum(Fraction(a * factorial(d) * factorial(n - 1 - d), factorial(n)) for d, a in enumerate(row)) / factorial(n)
        assert permutation_constant(n) == theta and theta <= Fraction(2, 2**n)
        assert permutation_constant(n + 1) <= theta / 2
        row = [(d + 1) * (row[d] if d < n else 0) + (n + 1 - d) * (row[d - 1] if d else 0) for d in range(n + 1)]


def _norms(word, order):
    """The norm of each degree of the logarithm of a product of exponentials in the free associative algebra, by definition."""
    product = {(): Fraction(1)}
    for letter in word:
        product = twins.multiply(product, twins.exponential({(letter,): Fraction(1)}, order), order)
    logarithm = twins.logarithm(product, order)
    return [sum(abs(c) for w, c in logarithm.items() if len(w) == n) for n in range(1, order + 1)]


@pytest.mark.parametrize(("tokens", "order"), [(1, 4), (2, 5), (3, 4), (4, 4), (6, 3), (9, 3)])
def test_different_tokens_attain_the_constants_in_the_limit(tokens, order):
    """The sum of the absolute values of coefficients is submultiplicative, and the mass of m letters is m."""
    for n, norm in enumerate(_norms(range(tokens), order), start=1):
        most = permutation_constant(n) * tokens**n
        assert Fraction(perm(tokens, n), tokens**n) * most <= norm <= most
        if n <= tokens:
            words = to_words(magnus(range(tokens), n).homogeneous(n))
            assert norm == sum(map(abs, words.values()))
            multilinear = sum(abs(c) for w, c in words.items() if len(set(w)) == n)
            assert multilinear == comb(tokens, n) * factorial(n) * permutation_constant(n)


@given(words(3, min_length=1, max_length=5))
@settings(deadline=None, max_examples=20)
def test_no_word_passes_the_constants(word):
    for n, norm in enumerate(_norms(word, 4), start=1):
        assert norm <= permutation_constant(n) * len(word) ** n


@pytest.mark.parametrize("degree", range(1, 7))
def test_pair_constants_by_the_words_of_the_logarithm(degree):
    product = twins.multiply(
        twins.exponential({(0,): Fraction(1)}, degree), twins.exponential({(1,): Fraction(1)}, degree), degree
    )
    totals = [Fraction(0)] * (degree + 1)
    for word, c in twins.logarithm(product, degree).items():
        if len(word) == degree:
            totals[word.count(0)] += abs(c)
    assert pair_constants(degree) == tuple(totals)
    assert all(pair_constants(degree)[i] <= comb(degree, i) * permutation_constant(degree) for i in range(degree + 1))


@given(st.integers(1, 250), st.fractions(Fraction(1, 4), Fraction(199, 100), max_denominator=100))
@settings(deadline=None, max_examples=20)
@example(198, Fraction(1)).via("the last order whose terms are written out")
@example(199, Fraction(1)).via("the first whose are not")
def test_the_tail_is_above_the_sum_of_its_terms_and_close_to_it(order, mass):
    terms = [permutation_constant(n) * mass**n for n in range(order + 1, order + 40)]
    tail = Fraction(bounds.magnus(order, mass).at())
    assert sum(terms) <= tail
    assert tail <= terms[0] / (1 - mass / 2) * Fraction(2)
    if order + 1 < 200:
        assert tail <= sum(terms[:8]) + terms[8] / (1 - mass / 2) * (1 + Fraction(1, 10**9)) + terms[0] / 10**12


@given(st.integers(1, 30), st.fractions(Fraction(1, 100), Fraction(108, 100), max_denominator=100))
@settings(deadline=None, max_examples=40)
def test_the_older_tails_are_weaker(order, mass):
    sharp, recent = bounds.magnus(order, mass).at(), bounds.magnus_recent(order, mass).at()
    assert sharp <= recent <= bounds.magnus_classical(order, mass).at()
    assert bounds.bch(order, mass / 3, 2 * mass / 3).at() <= sharp


def test_figures():
    assert bounds.magnus(10**6, 1.99999).at() == pytest.approx(
        permutation_constant(200) * 2**200 / 5e-6 * (1 - 5e-6) ** (10**6), rel=1e-2
    )
    assert bounds.magnus(10**6, 1).at() == 5e-324
    assert bounds.magnus(4, 0.5).at() == pytest.approx(1.7553e-3, rel=1e-4)
    assert bounds.magnus(12, 1).at() == pytest.approx(2.0146e-4, rel=1e-4)
    assert bounds.magnus(4, 1.2).at() == pytest.approx(0.24203, rel=1e-4)


def test_the_radius_is_two_and_open():
    assert bounds.magnus(3, mass=1.999).at() > 1
    for mass in (2, 2.5):
        with pytest.raises(OutsideHypotheses, match="mass < 2") as caught:
            bounds.magnus(3, mass=mass).at()
        assert caught.value.failed == ["mass < 2"]
    with pytest.raises(OutsideHypotheses, match=r"x \+ y < 2"):
        bounds.bch(3, x=1, y=1).at()


def test_one_hypothesis_has_one_radius():
    radii = [bounds.magnus_radius(norm) for norm in ("submultiplicative", "banach")]
    assert radii[0].at() == radii[1].at() == 2 and radii[0].assumes == radii[1].assumes


@pytest.mark.parametrize("mass", [1e-200, 5e-324, 1e-65, Fraction(1, 10**400)])
def test_a_positive_bound_never_becomes_zero(mass):
    for bound in (bounds.magnus, bounds.magnus_recent, bounds.magnus_classical):
        assert bound(order=4, mass=mass).at() > 0
    assert bounds.bch(4, mass, mass).at() > 0 and bounds.flow(mass**3 if isinstance(mass, Fraction) else mass, 0).at() > 0


def test_bounds_are_rounded_to_their_side():
    x = sympy.Symbol("x", nonnegative=True)
    for value in (Fraction(1, 3), Fraction(2, 3), Fraction(1, 10**400), Fraction(1, 7)):
        numbers = {
            side: bounds.Bound(x, "a number", (), "school", side=side).at(x=value) for side in ("above", "below", "exact")
        }
        assert Fraction(numbers["below"]) < value < Fraction(numbers["above"])
        assert numbers["above"] == np.nextafter(numbers["below"], 1) and numbers["exact"] > 0
        assert numbers["exact"] in (numbers["above"], numbers["below"])
    for value in (0, 0.1, 3, 2**60, Fraction(3, 1024)):  # floats already
        assert {bounds.Bound(x, "", (), "", side=side).at(x=value) for side in ("above", "below", "exact")} == {float(value)}
    with pytest.raises(ValueError, match="too large for a float"):
        bounds.Bound(x**2, "", (), "").at(x=1e300)


def test_numpy_integers_are_integers():
    assert bounds.magnus(order=np.int64(3)).at(mass=1) == bounds.magnus(order=3).at(mass=1)
    assert hop_reach(np.int8(64)) == 2**63 - 1 and reach(np.int8(100), np.int8(1), np.int8(0)) == 2**100
    for kind in (True, 3.0, "3", None):
        with pytest.raises(ValueError, match="order"):
            bounds.magnus(order=kind)


@settings(max_examples=10, deadline=None)
@given(st.sampled_from([1, 2, 11, 12, 13, 40, 197, 199, 250]), st.floats(0, 0.99), st.floats(0, 0.99))
def test_the_tail_of_a_pair_vanishes_with_either_and_is_symmetric(order, x, y):
    assert bounds.bch(order, x, 0).at() == bounds.bch(order, 0, y).at() == 0
    assert bounds.bch(order, x, y).at() == bounds.bch(order, y, x).at() <= bounds.magnus(order, Fraction(x) + Fraction(y)).at()


def test_the_words_of_two_letters_by_all_permutations():
    """The sum over permutations for each multidegree, and words of one letter taken out, beside the closed form."""
    for n in range(2, 8):
        weights: dict[tuple, Fraction] = {}
        for x_count in range(n + 1):
            generator = (0,) * x_count + (1,) * (n - x_count)  # the letters at ordered times
            volume = Fraction(1, factorial(x_count) * factorial(n - x_count))
            for p in permutations(range(n)):
                d = sum(p[i] > p[i + 1] for i in range(n - 1))
                size = Fraction((-1) ** d * factorial(d) * factorial(n - 1 - d), factorial(n))
                word = tuple(generator[i] for i in p)
                weights[word] = weights.get(word, Fraction(0)) + size * volume
        assert weights[(0,) * n] == weights[(1,) * n] == 0  # a logarithm of one exponential
        exact = [sum((abs(c) for word, c in weights.items() if word.count(0) == i), Fraction(0)) for i in range(n + 1)]
        assert exact == list(pair_constants(n))
        mixed = [permutation_constant(n) * comb(n, i) for i in range(1, n)]
        assert all(a <= b for a, b in zip(exact[1:-1], mixed, strict=True))


def test_the_tail_of_a_pair_is_below_that_of_its_mass_where_one_is_small():
    assert bounds.bch(12, 1.7, 0.1).at() < 0.7 * bounds.magnus(12, 1.8).at()
    assert bounds.bch(1, 1.7, 1e-30).at() < 1e-27

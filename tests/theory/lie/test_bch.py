import copy
import dataclasses
import pickle
import sys
from fractions import Fraction
from itertools import pairwise, product
from math import comb, factorial

import numpy as np
import pytest
import scipy.linalg

from tests import twins
from theory.exact import elimination
from theory.exact.elimination import input_words, lyndon_block, lyndon_coordinates, row_sum
from theory.lie import LieSeries, bch, standard_factorization
from theory.lie.goldberg import goldberg_coefficient, goldberg_denominator

X, Y = {(0,): Fraction(1)}, {(1,): Fraction(1)}
PRIME = 2**28 - 57  # products of residues, summed over a row, stay inside int64


@pytest.fixture(scope="module")
def word_series():
    return twins.logarithm(twins.multiply(twins.exponential(X, 8), twins.exponential(Y, 8), 8), 8)


def test_equals_the_logarithm_in_words(word_series):
    assert twins.expand(bch(8).terms) == word_series


def test_goldberg_coefficient_of_every_word(word_series):
    for word, coefficient in word_series.items():
        breaks = [0, *(i for i in range(1, len(word)) if word[i] != word[i - 1]), len(word)]
        runs = tuple(b - a for a, b in pairwise(breaks))
        sign = (-1) ** (len(word) - 1) if word[0] else 1
        assert sign * goldberg_coefficient(runs) == coefficient


def test_common_denominator_is_the_least_one_up_to_degree_8(word_series):
    for degree in range(1, 9):
        denominators = [c.denominator for word, c in word_series.items() if len(word) == degree]
        assert np.lcm.reduce(denominators) == goldberg_denominator(degree)


@pytest.mark.parametrize(
    "m", [(1, 1), (2, 1), (1, 3), (3, 3), (4, 3), (3, 5), (1, 1, 1), (1, 2, 1), (2, 2, 2), (2, 1, 1, 1), (2, 2, 1, 2)]
)
def test_elimination_returns_the_coordinates_it_was_given(m):
    words = [w for w in twins.lyndon_words(len(m), sum(m)) if all(w.count(i) == k for i, k in enumerate(m))]
    assert [tuple(row) for row in lyndon_block(m).tolist()] == words
    expected = {word: Fraction(i * i - 3 * i - 5) for i, word in enumerate(words)}
    polynomial = twins.expand(expected)
    values = np.array([[polynomial.get(tuple(row), Fraction(0))] for row in input_words(m).tolist()], dtype=object)
    assert lyndon_coordinates(m, values)[:, 0].tolist() == list(expected.values())
    assert lyndon_coordinates(m, values.astype(np.int64))[:, 0].tolist() == list(expected.values())


@pytest.mark.parametrize(("variables", "degree"), [(1, 3), (2, 1), (2, 5), (3, 4), (4, 3), (5, 2)])
def test_the_step_of_the_elimination_expands_sums_of_variables(variables, degree):
    """Beside the expansion of ``t_j = s_1 + .. + s_j`` by one product after the other."""
    monomials = [m for m in product(range(degree + 1), repeat=variables) if sum(m) == degree]
    values = np.array([[3 * i + 1, -i * i] for i in range(len(monomials))])
    expected = dict.fromkeys(monomials, 0)
    for monomial, row in zip(sorted(monomials, key=lambda m: m[::-1]), values, strict=True):
        for chosen in product(*(range(j + 1) for j, power in enumerate(monomial) for _ in range(power))):
            expected[tuple(chosen.count(j) for j in range(variables))] += row
    rows = np.array([expected[m] for m in monomials])
    for given in (values, np.asfortranarray(values), values.astype(float), np.vectorize(Fraction)(values)):
        before = given.copy()
        assert np.array_equal(elimination._accumulate(given, variables, degree), rows) and np.array_equal(given, before)


@pytest.mark.parametrize("order", [6, 10, 14, 18])
def test_nilpotent_matrices_make_the_series_finite(order):
    """log(e^X e^Y) on strictly upper triangular matrices, exactly, modulo a prime above every denominator."""
    rng = np.random.default_rng(order)
    size = order + 1
    x, y = (np.triu(rng.integers(0, PRIME, (size, size)), 1) for _ in range(2))
    inverse = [0, *(pow(n, -1, PRIME) for n in range(1, size))]

    def powers(a, coefficients):
        total, power = 0 * a, np.eye(size, dtype=int)
        for c in coefficients:
            total, power = (total + c * power) % PRIME, power @ a % PRIME
        return total

    exponential = [pow(factorial(n), -1, PRIME) for n in range(size)]
    product = powers(x, exponential) @ powers(y, exponential) % PRIME
    logarithm = powers(
        (product - np.eye(size, dtype=int)) % PRIME, [(-1) ** (n - 1) * inverse[n] if n else 0 for n in range(size)]
    )

    known = {(0,): x, (1,): y}

    def bracket(word):
        if word not in known:
            left, right = (bracket(part) for part in standard_factorization(word))
            known[word] = (left @ right - right @ left) % PRIME
        return known[word]

    total = 0 * x[0]
    for word, c in bch(order).terms.items():
        total = (total + c.numerator * pow(c.denominator, -1, PRIME) % PRIME * bracket(word)[0]) % PRIME
    assert np.array_equal(total, logarithm[0])


def test_one_y_has_bernoulli_coefficients():
    bernoulli = [Fraction(1)]
    for n in range(1, 17):
        bernoulli.append(-sum(comb(n + 1, k) * bernoulli[k] for k in range(n)) / Fraction(n + 1))
    terms = bch(16).terms
    for n in range(1, 16):
        sign = -1 if n == 1 else 1  # B_1 = +1/2 here
        assert terms.get((0,) * n + (1,), 0) == sign * bernoulli[n] / factorial(n)


def test_antisymmetry():
    """bch(-Y, -X) = -bch(X, Y): swap the letters of the expanded series and change signs."""
    series = twins.expand(bch(7).terms)
    swapped = {tuple(1 - letter for letter in word): (-1) ** len(word) * c for word, c in series.items()}
    assert swapped == {word: -c for word, c in series.items()}


@pytest.mark.parametrize(("order", "basis"), [(0, "lyndon"), (-1, "lyndon"), (2.0, "lyndon"), (True, "lyndon"), (3, "dynkin")])
def test_refuses(order, basis):
    with pytest.raises(ValueError, match="expected"):
        bch(order, basis)


def test_terms_that_are_made_later_are_the_same_terms():
    """Whatever is asked first of a series, it answers as a series that was given its terms."""
    given = LieSeries(dict(bch(5).terms), 2)
    assert type(bch(5).terms) is type(given.terms) and list(bch(5).terms) == list(given.terms)
    assert bch(5) == given and given == bch(5) and bch(5) != bch(4) and not bch(5) != bch(5)
    questions = [repr, str, LieSeries.latex, LieSeries.as_expr, lambda s: s.degrees, lambda s: s + s, lambda s: -s]
    questions += [lambda s: dataclasses.replace(s, names=("A", "B")), lambda s: s.homogeneous(3)]
    questions += [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s)), lambda s: hasattr(s, "term")]
    assert all(ask(bch(5)) == ask(given) for ask in questions)
    series = bch(3)
    assert series.terms is series.terms
    with pytest.raises(TypeError):  # a mapping is not hashable
        hash(bch(3))
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(series, "terms", {})  # noqa: B010
    with pytest.raises(AttributeError, match="'LieSeries' object has no attribute 'term'"):
        getattr(bch(3), "term")  # noqa: B009


def test_number_of_terms():
    assert [len(bch(n).terms) for n in (5, 8, 10, 12, 14)] == [12, 52, 162, 533, 1792]


@pytest.mark.parametrize(("row_sum", "bits"), [(2.0**55, 62), (2.0**5, 16), (2.0**70, 62)])
def test_every_arithmetic_gives_the_same_integers(monkeypatch, row_sum, bits):
    """Several digits, digits joined in Python integers, and Python integers throughout."""
    fast, module = bch(11), sys.modules["theory.lie.bch"]
    monkeypatch.setattr(module, "row_sum", lambda m: row_sum)
    monkeypatch.setattr(module, "_BITS", bits)
    assert bch(11) == fast


def test_the_sum_of_a_row_bounds_the_coordinates():
    for m in ((3, 3), (2, 1, 2), (5, 4)):
        matrix = lyndon_coordinates(m, np.eye(len(input_words(m)), dtype=np.int64))
        assert matrix.min() >= 0 and row_sum(m) == matrix.sum(axis=1).max()


def test_evaluate_on_arrays():
    rng = np.random.default_rng(0)
    x, y = (np.triu(rng.standard_normal((4, 4)), 1) for _ in range(2))
    expected = scipy.linalg.logm(scipy.linalg.expm(x) @ scipy.linalg.expm(y))
    np.testing.assert_allclose(bch(3).evaluate(x, y), expected, atol=1e-12)
    exact = bch(3).evaluate(*(np.vectorize(Fraction)(np.round(8 * a)) for a in (x, y)))
    assert isinstance(exact[0, 3], Fraction)
    with pytest.raises(ValueError, match="expected one for each letter"):
        bch(2).evaluate(x)

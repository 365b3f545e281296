"""Integers of any size: what int64 would overflow on, against arithmetic modulo two large primes and in Python integers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.exact.integers import contract, largest, product
from theory.exact.linear import rank
from theory.lie import LieAlgebra, LieSeries, bch, from_words, log_product, named, to_words
from theory.lie.goldberg import goldberg_coefficient

PRIMES = (2**61 - 1, 2**89 - 1)
BIG = st.integers(-(10**30), 10**30)
SIZES = st.sampled_from([3, 10**3, 10**6, 3 * 10**9, 10**30])


class _Span:
    """Rows modulo a prime, in echelon form, grown one at a time."""

    def __init__(self, prime):
        self.prime, self.rows = prime, {}

    def add(self, row):
        row = [x % self.prime for x in row]
        for pivot, known in self.rows.items():
            if row[pivot]:
                row = [(x - row[pivot] * y) % self.prime for x, y in zip(row, known, strict=True)]
        pivot = next((i for i, x in enumerate(row) if x), None)
        if pivot is None:
            return False
        inverse = pow(row[pivot], -1, self.prime)
        self.rows[pivot] = [x * inverse % self.prime for x in row]
        return True


def _bracket(a, b, n, prime):
    at = lambda m, i, j: m[i * n + j]  # noqa: E731
    return [
        sum(at(a, i, k) * at(b, k, j) - at(b, i, k) * at(a, k, j) for k in range(n)) % prime for i in range(n) for j in range(n)
    ]


def _derived_dimensions(matrices, prime):
    """Close the matrices under brackets modulo a prime, then take derived algebras, all by lists of Python integers."""
    n = len(matrices[0])
    generators = [[int(x) for x in np.ravel(m)] for m in matrices]
    span, basis = _Span(prime), []
    for row in generators:
        if span.add(row):
            basis.append(row)
    for element in basis:  # grows while it is walked
        for generator in generators:
            found = _bracket(generator, element, n, prime)
            if span.add(found):
                basis.append(found)
    dimensions = [len(basis)]
    while dimensions[-1] and (len(dimensions) < 2 or dimensions[-1] < dimensions[-2]):
        span = _Span(prime)
        basis = [row for i, a in enumerate(basis) for b in basis[:i] if span.add(row := _bracket(a, b, n, prime))]
        dimensions.append(len(basis))
    return tuple(dimensions)


@st.composite
def _pairs(draw, size=3, triangular=False):
    top = draw(SIZES)
    entries = draw(st.lists(st.integers(-top, top), min_size=2 * size * size, max_size=2 * size * size))
    matrices = np.array(entries, dtype=object).reshape(2, size, size)
    return np.array([np.triu(matrix) for matrix in matrices]) if triangular else matrices


@given(pair=_pairs(triangular=True))
@settings(deadline=None, max_examples=40)
def test_triangular_matrices_are_solvable(pair):
    if not np.any(pair != 0):
        return
    algebra = LieAlgebra.generated_by(pair)
    assert algebra.is_solvable
    assert algebra.derived_dimensions == max(_derived_dimensions(pair, prime) for prime in PRIMES)


@given(pair=_pairs(size=2) | _pairs())
@settings(deadline=None, max_examples=25)
def test_dimensions_are_those_modulo_large_primes(pair):
    if not np.any(pair != 0):
        return
    found = LieAlgebra.generated_by(pair).derived_dimensions
    # a prime may divide a minor, and then dimensions are too small: two such primes at once do not happen
    assert found in {_derived_dimensions(pair, prime) for prime in PRIMES}


@pytest.mark.parametrize(("size", "top", "dimensions"), [(4, 1000, (8, 6, 3, 0)), (5, 200, (12, 10, 6, 1, 0))])
def test_int64_matrices_whose_brackets_leave_int64(size, top, dimensions):
    draw = np.random.default_rng(0).integers
    pair = [np.triu(draw(-top, top + 1, (size, size))) for _ in range(2)]
    assert LieAlgebra.generated_by(pair).derived_dimensions == dimensions


@given(scale=BIG.filter(bool), name=st.sampled_from(["sl2", "so3", "heisenberg3", "upper3", "gl2"]))
@settings(deadline=None, max_examples=40)
def test_a_basis_of_long_vectors_spans_the_same_algebra(scale, name):
    algebra = named(name)
    scaled = LieAlgebra.from_matrices([scale * np.asarray(m, dtype=object) for m in algebra.matrices])
    assert scaled.derived_dimensions == algebra.derived_dimensions
    assert scaled.lower_central_dimensions == algebra.lower_central_dimensions
    assert np.all(scaled.constants == scale * np.asarray(algebra.constants, dtype=object))
    again = LieAlgebra.from_structure_constants(scaled.constants)  # Jacobi, on entries of 60 digits
    assert again.is_solvable == algebra.is_solvable and len(again.radical) == len(algebra.radical)


def test_structure_constants_at_the_edge_of_int64_are_still_checked():
    constants = np.zeros((2, 2, 2), np.int64)
    constants[0, 1, 0] = constants[1, 0, 0] = -(2**63)  # its own opposite modulo 2^64
    with pytest.raises(ValueError, match="expected opposite"):
        LieAlgebra.from_structure_constants(constants)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32])
def test_every_width_of_integers_gives_one_answer(kind):
    pair = np.array([[[0, 100, 7], [0, 0, 90], [0, 0, 0]], [[120, 0, 1], [3, 5, 0], [0, 0, 2]]])
    small = LieAlgebra.generated_by(pair.astype(kind))
    assert small.derived_dimensions == LieAlgebra.generated_by(pair.astype(object)).derived_dimensions
    mixed = np.array([[[kind(x) for x in row] for row in matrix] for matrix in pair], dtype=object)
    assert LieAlgebra.generated_by(mixed).derived_dimensions == small.derived_dimensions
    assert rank(pair[0].astype(kind)) == rank(mixed[0]) == 2
    for matrices in (pair.astype(kind), mixed):
        value = bch(5).evaluate(*matrices)
        assert value.tolist() == bch(5).evaluate(*pair.astype(object)).tolist()


@given(pair=_pairs(size=2))
@settings(deadline=None, max_examples=25)
def test_a_series_of_integer_matrices_is_exact(pair):
    x, y = (np.array([[Fraction(int(e)) for e in row] for row in matrix], dtype=object) for matrix in pair)
    xy = x @ y - y @ x
    expected = x + y + xy / Fraction(2) + ((x @ xy - xy @ x) - (y @ xy - xy @ y)) / Fraction(12)
    assert bch(3).evaluate(*pair).tolist() == expected.tolist()
    if max(map(abs, pair.ravel().tolist())) < 2**63:
        assert bch(3).evaluate(*pair.astype(np.int64)).tolist() == expected.tolist()


def test_a_mixed_pair_of_integers_and_floats_does_not_overflow():
    wide = np.array([[3 * 10**9, 1], [2, -(3 * 10**9)]])
    series = LieSeries({(0, 1): 1}, 3)
    value = series.evaluate(wide, wide.T.copy(), np.eye(2))
    exact = series.evaluate(wide, wide.T.copy(), np.eye(2, dtype=int))
    assert np.abs(value - exact.astype(float)).max() < 1e4  # rounding at 9e18; an overflow is off by 2^64


@given(st.lists(BIG, min_size=4, max_size=4), st.lists(BIG, min_size=4, max_size=4))
def test_products(a, b):
    a, b = (np.array(part, dtype=object).reshape(2, 2) for part in (a, b))
    assert product(a, b).tolist() == contract(a, b).tolist() == (a @ b).tolist()


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_products_of_int64(x, y):
    a, b = np.array([[x, y]]), np.array([[y], [x]])
    assert product(a, b).item() == 2 * x * y and largest(a) == max(abs(x), abs(y))


def test_words_of_more_letters_than_a_byte_counts():
    word = (0,) + (1,) * 300
    series = LieSeries({word: 1}, 2)
    assert dict(from_words(to_words(series), 2).terms) == {word: 1}


@pytest.mark.parametrize("runs", [(), (0,), (1, -1), (1.5, 1), ("2", 1), (True, 1)])
def test_goldberg_refuses_what_is_no_word(runs):
    with pytest.raises(ValueError, match="run"):
        goldberg_coefficient(runs)


def test_numpy_integers_do_not_stay_inside_of_fractions():
    series = log_product([(np.int8(0), np.int8(1)), (np.int64(1), np.int64(3))], np.int64(4))
    assert series == log_product([(0, 1), (1, 3)], 4)
    assert all(type(c.numerator) is int for c in series.terms.values())
    assert type((series * np.int8(100)).terms[(0,)].numerator) is int

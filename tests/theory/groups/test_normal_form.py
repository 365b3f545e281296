"""Exact transforms come back in normal form, and exact closures are decided by integer arithmetic."""

import cmath
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.exact.cyclotomic import reduced
from theory.groups import FiniteGroup, fourier, group, inverse_fourier
from theory.groups.closure import _determinant


def _power(coefficient):
    """The share of one coefficient in Plancherel's formula, times the order."""
    return coefficient.rows * sympy.Add(*(x * sympy.conjugate(x) for x in coefficient))


def test_symbols_come_back_too():
    g = group("D4")
    symbols = sympy.symbols("a:8", real=True)
    assert inverse_fourier(g, fourier(g, list(symbols))) == list(symbols)
    powers = sympy.Add(*map(_power, fourier(g, list(symbols)))) / g.order
    assert reduced(powers - sum(x**2 for x in symbols)) == 0
    g = group("C12")
    mixed = [Fraction(1, 3), 2, sympy.Symbol("x"), *[0] * 9]
    assert inverse_fourier(g, fourier(g, mixed)) == [sympy.Rational(1, 3), 2, sympy.Symbol("x"), *[0] * 9]


@st.composite
def _sums(draw):
    order = draw(st.sampled_from([1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20]))
    return order, draw(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, order - 1)), min_size=1, max_size=4))


def _expression(order, terms):
    return sympy.Add(*(c * sympy.exp(2 * sympy.pi * sympy.I * sympy.Rational(k, order)) for c, k in terms))


@given(_sums(), st.sampled_from([2, 3, 5]))
@settings(deadline=None, max_examples=15)
def test_one_value_has_one_form(given_sum, p):
    order, terms = given_sum
    form = reduced(_expression(order, terms))
    value = sum(c * cmath.exp(2j * cmath.pi * k / order) for c, k in terms)
    assert abs(complex(form) - value) < 1e-9
    assert reduced(form) == form
    # the same number by roots of a larger order: -1 is the sum of all p-th roots but 1
    larger = [(-c, k * p + j * order) for c, k in terms for j in range(1, p)]
    assert reduced(_expression(order * p, larger)) == form
    assert reduced(_expression(order, terms) - form) == 0


@pytest.mark.parametrize("number", [2, 3, 5, 6, 7, 12, 15])
def test_square_roots_are_sums_of_roots_of_unity(number):
    root, i = sympy.sqrt(number), sympy.I
    angle = sympy.exp(sympy.I * sympy.pi / 7)
    assert reduced(root) == root and reduced(i * root) == i * root
    assert reduced((root * angle + i) * (root / angle - i)) == reduced(number + 1 + i * root * (1 / angle - angle))


def _inverse_exists(matrix, modulus):
    """By trying every matrix."""
    n = len(matrix)
    for entries in product(range(modulus), repeat=n * n):
        other = np.array(entries).reshape(n, n)
        if ((np.array(matrix) @ other - np.eye(n, dtype=int)) % modulus == 0).all():
            return True
    return False


@given(st.integers(2, 6), st.lists(st.integers(-10, 10), min_size=4, max_size=4))
@settings(deadline=None, max_examples=30)
def test_invertibility_modulo_any_number(modulus, entries):
    matrix = [entries[:2], entries[2:]]
    if _inverse_exists(matrix, modulus):
        found = FiniteGroup.from_matrices([matrix], modulus)
        FiniteGroup.from_table(found.table)
    else:
        with pytest.raises(ValueError, match="no inverse modulo"):
            FiniteGroup.from_matrices([matrix], modulus)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(-(10**30), 10**30), min_size=n * n, max_size=n * n)))
@settings(deadline=None)
def test_determinants(entries):
    n = round(len(entries) ** 0.5)
    rows = [entries[i * n : i * n + n] for i in range(n)]
    assert _determinant(rows) == sympy.Matrix(rows).det()


@pytest.mark.parametrize("modulus", [2, 2**20, 2**31 - 1, 10**9 + 7, 2**40, 2**61 - 1, 2**64, 2**89 - 1, 10**30])
def test_involutions_at_every_modulus(modulus):
    a = modulus // 3
    matrix = [[a, 1 - a * a], [1, -a]]  # its square is 1, its determinant -1
    found = FiniteGroup.from_matrices([matrix, [[-1, 0], [0, -1]]], modulus)
    assert found.order == len(found.table) and set(found.element_orders.tolist()) <= {1, 2}
    FiniteGroup.from_table(found.table)


def test_a_singular_matrix_whose_determinant_rounds():
    with pytest.raises(ValueError, match="determinant 0: no inverse modulo 1000000007"):
        FiniteGroup.from_matrices([[[383401925, 751828790], [567215374, 616598083]]], 1000000007)


@pytest.mark.parametrize(
    ("generators", "modulus"),
    [
        ([], 5),
        ([[[1, 2]]], 5),
        ([[[1]], [[1, 0], [0, 1]]], 5),
        ([[[Fraction(1, 2)]]], 5),
        ([[["1"]]], 5),
        ([[[1]]], 1),
        ([[[1]]], "5"),
    ],
)
def test_from_matrices_refuses(generators, modulus):
    with pytest.raises(ValueError):
        FiniteGroup.from_matrices(generators, modulus)

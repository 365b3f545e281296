"""Squares of angles: the identities in symbols, and the units on all pairs of elements of many groups."""

import itertools

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from theory import bounds
from theory.composition import least_units, sufficient
from theory.composition.angles import angle_squares, angle_units
from theory.groups import group

A, B, f, b, k = sympy.symbols("A B f b k", real=True)
ORDERS = st.lists(st.integers(2, 12), min_size=1, max_size=3).filter(lambda orders: np.prod(orders) <= 40)


def squares(units):
    """The values of the units at all pairs, one row each."""
    return ((units[:, 0, :, None] + units[:, 1, None, :]) ** 2).reshape(len(units), -1)


def parts(g):
    """Both parts of all linear characters of the product of all pairs."""
    values = [irrep.matrices[:, 0, 0] for irrep in g.irreps[1:] if irrep.dimension == 1]
    return np.array([part(value[g.table]) for value in values for part in (np.real, np.imag)]).reshape(-1, g.order**2)


def left(units, target):
    """The largest entry of the target that no combination of the units writes."""
    if not len(units):
        return abs(target).max()
    weights = np.linalg.lstsq(units.T, target.T, rcond=None)[0]
    return abs(units.T @ weights - target.T).max()


def test_two_squares_have_one_part_of_the_product_and_the_cosine_of_the_difference():
    of_difference, alike = (sympy.cos(A + b) - sympy.cos(B + b)) ** 2, (sympy.sin(A + b) + sympy.sin(B + b)) ** 2
    written = of_difference + alike - 2 + 2 * sympy.cos(A + B + 2 * b)
    between = alike - of_difference + sympy.cos(2 * A + 2 * b) + sympy.cos(2 * B + 2 * b) - 2 * sympy.cos(A - B)
    doubled = sympy.cos(f - b) * (sympy.cos(2 * A + f + b) + sympy.cos(2 * B + f + b))
    third = (sympy.cos(A + f) + sympy.cos(B + f)) ** 2 - (alike - of_difference) / 2
    other = third - 1 - sympy.cos(A + B + 2 * f) - doubled
    for identity in (written, between, other):
        assert sympy.expand(identity.rewrite(sympy.exp)) == 0


def test_three_squares_serve_the_angles_of_order_five():
    p, q, t, u = sympy.symbols("p q t u")
    turns = (t, u, 1 / (t * u))
    forms = [p + x * q + k * x * (sum(turns) - x) for x in turns]
    monomials = (p**2, p * q, q**2, p, q)  # up to a constant
    rows = sympy.Matrix([[sympy.Poly(sympy.expand(form**2), p, q).coeff_monomial(m) for m in monomials] for form in forms])
    for target in (p**2 - 2 * k * q, q**2 - 2 * k * p):
        wanted = sympy.Matrix([[sympy.Poly(target, p, q).coeff_monomial(m) for m in monomials]])
        weights = wanted.extract([0], [0, 1, 2]) * rows.extract([0, 1, 2], [0, 1, 2]).inv()
        assert (weights * rows - wanted).applyfunc(sympy.simplify) == sympy.zeros(1, 5)


@given(orders=ORDERS)
def test_the_units_compose_two_elements_of_an_abelian_group(orders):
    g = group("x".join(f"C{order}" for order in orders))
    units = squares(angle_units(g))
    assert len(units) == angle_squares(g) + 1
    assert left(units, parts(g)) < 1e-11
    assert least_units(g.irreps[1:], 2) <= min(sufficient(g, 2).values()) <= len(units)


@pytest.mark.parametrize("name", ["C2", "C3", "C4", "C5", "C7", "C8", "C10", "C6xC2", "C3xC3"])
def test_no_unit_is_spare(name):
    units, target = squares(angle_units(group(name))), parts(group(name))
    assert all(left(np.delete(units, i, 0), target) > 1e-3 for i in range(len(units)))


@pytest.mark.parametrize("name", ["S3", "D4", "Q8", "A4", "C7:C3", "C5:C4", "Q12", "D5xC5"])
def test_the_linear_characters_of_any_group_are_composed(name):
    g = group(name)
    assert left(squares(angle_units(g)), parts(g)) < 1e-11


def test_a_unit_that_reads_other_elements_is_noticed():
    g = group("C5")
    units = angle_units(g)
    turned = units.copy()
    turned[0, 0] = np.roll(turned[0, 0], 1)
    assert left(squares(turned), parts(g)) > 1e-3


@pytest.mark.parametrize(
    ("name", "units"),
    [
        *[("C2", 2), ("C3", 3), ("C4", 5), ("C5", 8), ("C6", 9), ("C7", 13), ("C8", 12), ("C9", 16), ("C10", 16), ("C12", 19)],
        *[("C16", 26), ("C3xC3", 12), ("C6xC2", 17), ("C5xC5", 43)],
    ],
)
def test_the_widths_that_questions_answer(name, units):
    assert min(sufficient(group(name), 2).values()) == units == bounds.composition(name, 2).at()


def test_the_count_is_the_one_of_its_docstring():
    for orders in itertools.combinations_with_replacement((2, 3, 4, 5, 6, 8), 2):
        characters = set(itertools.product(*map(range, orders))) - {(0, 0)}
        times = [{c: tuple(m * x % n for x, n in zip(c, orders, strict=True)) for c in characters} for m in (-1, 2, 3, 5)]
        negative, double, triple, fifth = times
        signs = {c for c in characters if negative[c] == c}
        pairs = {min(c, negative[c]) for c in characters - signs}
        doubled = {
            min(double[c], negative[double[c]]) for c in pairs if double[c] in characters - signs and triple[c] != (0, 0)
        }
        fives = {c for c in pairs if fifth[c] == (0, 0)}
        alone = {c for c in fives if not any(double[d] in (c, negative[c]) for d in pairs - fives)}
        expected = len(signs) + 3 * len(pairs) + len(doubled) - len(alone) // 2
        assert angle_squares(group(f"C{orders[0]}xC{orders[1]}")) == expected

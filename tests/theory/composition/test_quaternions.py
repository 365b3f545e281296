"""Eight squares for an irrep with the image of Q8: the identity by its coefficients, the network on all words, exactly."""

import itertools

import numpy as np
import pytest

from theory import bounds
from theory.composition import least_units, sufficient
from theory.composition.quaternions import UNITS, eight_products, is_quaternion
from theory.exact.linear import coordinates, rank
from theory.groups import group

Q8 = [(sign, axis) for axis in range(4) for sign in (1, -1)]
SIGNS = ((1, 1, -1, -1), (1, -1, 1, -1), (1, -1, -1, 1))  # of Q8, by the axis of an element


def times(x, y):
    """The product of two elements of Q8, by the rule of Hamilton."""
    (s, i), (t, j) = x, y
    if 0 in (i, j):
        return s * t, i + j
    if i == j:
        return -s * t, 0
    return s * t * (1 if (j - i) % 3 == 1 else -1), 6 - i - j


def vector(x):
    return np.eye(4, dtype=int)[x[1]] * x[0]


def units():
    """Values of all twelve units on all pairs of elements."""
    pairs = list(itertools.product(Q8, repeat=2))
    found = [[(np.dot(p.left, vector(x)) + np.dot(p.right, vector(y))) ** 2 for x, y in pairs] for p in eight_products()]
    found += [[(sign[x[1]] + sign[y[1]]) ** 2 for x, y in pairs] for sign in SIGNS]
    return np.array([*found, [1] * len(pairs)], int), pairs


def test_eight_products_are_four_times_the_product_of_quaternions():
    found = np.zeros((4, 4, 4), int)
    for one in eight_products():
        assert {*one.left, *one.right, *one.weights} <= {1, -1}
        found += np.einsum("o,i,j->oij", one.weights, one.left, one.right)
    unit = [(1, axis) for axis in range(4)]
    assert found.tolist() == [[[4 * int(vector(times(x, y))[o]) for y in unit] for x in unit] for o in range(4)]


def test_twelve_units_compose_two_elements_of_q8_and_each_is_needed():
    values, pairs = units()
    target = np.array([[8 * int(times(x, y) == z) - 1 for x, y in pairs] for z in Q8])
    assert len(values) == 12 == rank(values) == min(sufficient(group("Q8"), 2).values()) == bounds.composition("Q8", 2).at()
    assert coordinates(values, target) is not None
    assert not any(coordinates(np.delete(values, i, axis=0), target) is not None for i in range(12))


@pytest.mark.parametrize("name", ["Q8", "Q8xC2", "Q8xC3", "Q8xS3", "Q16", "Q12", "SL2_3", "C4xC2", "D4", "C4", "A5"])
def test_an_irrep_has_the_image_of_q8_if_it_is_quaternionic_and_has_eight_matrices(name):
    g = group(name)
    assert is_quaternion(g.irreps[0]) is False
    for irrep in g.irreps:
        images = {tuple(np.round(matrix, 6).ravel().tolist()) for matrix in np.asarray(irrep.matrices) + 0.0}
        assert is_quaternion(irrep) == (irrep.kind == "quaternionic" and len(images) == 8)


@pytest.mark.parametrize("name", ["Q8", "Q8xC2", "Q8xC3", "Q8xS3", "SL2_3"])
def test_the_width_is_between_the_bound_and_the_other_constructions(name):
    g = group(name)
    found = sufficient(g, 2)
    assert least_units(g.irreps[1:], 2) <= min(found.values()) <= found["squared distances"]
    irreps = sum(map(is_quaternion, g.irreps))
    assert min(found.values()) >= UNITS * irreps

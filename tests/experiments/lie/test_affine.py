"""Groups of affine maps against groups that are written down, and inexact multiples against a search."""

import ml_dtypes
import numpy as np
import pytest

from experiments.lie.lie_and_group_depth_differ.affine_group import affine_map, has_common_fixed_point, linear_order
from experiments.lie.lie_and_group_depth_differ.claim import HOLDS
from experiments.lie.lie_and_group_depth_differ.significand import first_inexact_multiple


@pytest.mark.parametrize(("rotation", "order"), [(((0, -1), (1, -1)), 3), (((0, -1), (1, 0)), 4), (((1, -1), (1, 0)), 6)])
def test_turns_about_one_corner_are_finite_and_about_two_are_not(rotation, order):
    here, there = affine_map(rotation, (0, 0)), affine_map(rotation, (1, 0))
    assert has_common_fixed_point([here]) and has_common_fixed_point([there]) and not has_common_fixed_point([here, there])
    assert linear_order([here]) == linear_order([here, there]) == order
    assert (np.linalg.matrix_power(here, order) == np.eye(3)).all()


def test_reflections_of_a_square_have_eight_linear_parts():
    assert linear_order([affine_map([[0, -1], [1, 0]], [1, 2]), affine_map([[1, 0], [0, -1]], [0, 3])]) == 8


def test_an_infinite_group_of_linear_parts_is_refused():
    with pytest.raises(ValueError, match="more than 50 matrices"):
        linear_order([affine_map([[1, 1], [0, 1]], [0, 0])], most=50)


def test_first_inexact_multiple_is_that_of_a_search():
    for step in range(1, 40):
        for bits in range(1, 9):
            multiples = (t for t in range(1, 10**4) if (t * step) // ((t * step) & -(t * step)) >= 2**bits)
            assert first_inexact_multiple(step, bits) == next(multiples)


@pytest.mark.parametrize("name", HOLDS)
def test_bits_and_largest_numbers_are_those_of_the_types(name):
    kind = ml_dtypes.finfo(name)
    assert HOLDS[name] == (kind.nmant + 1, int(float(kind.max)))


@pytest.mark.parametrize("step", [1, 3, 31, 32, 33, 40, 64, 100, 2**16])
def test_a_multiple_that_float16_does_not_hold(step):
    with np.errstate(over="ignore"):
        held = (counts := np.arange(1.0, 2**13) * step) == counts.astype(np.float16)
    assert first_inexact_multiple(step, 11, int(np.finfo(np.float16).max)) == 1 + np.argmin(held)


@pytest.mark.parametrize(("step", "bits"), [(0, 8), (1, 0), (-3, 8)])
def test_bad_steps_are_refused(step, bits):
    with pytest.raises(ValueError, match="expected an integer >= 1"):
        first_inexact_multiple(step, bits)

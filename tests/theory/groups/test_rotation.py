"""The icosahedral rotations over Q(sqrt 5), and which assignments of generators are representations."""

import numpy as np
import pytest

from theory.exact.quadratic import QuadraticArray
from theory.groups import FiniteGroup, rotation
from theory.groups.rotation import PUBLISHED, Assignment, assignments, icosahedral, icosahedral_generators


def test_the_two_rotations_generate_a_group_of_order_60_like_a5():
    turns, matrices = icosahedral()
    assert turns.order == 60
    FiniteGroup.from_table(turns.table)
    assert np.bincount(turns.element_orders).tolist() == [0, 1, 15, 20, 0, 24]
    real = matrices.numpy()
    assert np.allclose(real @ real.transpose(0, 2, 1), np.eye(3), atol=1e-14)
    assert np.allclose(np.linalg.det(real), 1)


def test_exact_products_agree_with_floating_ones():
    three, five = icosahedral_generators()
    assert np.allclose((three @ five).numpy(), three.numpy() @ five.numpy(), atol=1e-15)
    assert ((three @ five) @ (three @ five)).key() == icosahedral()[1][0].key()


def naive_violations(assignment: Assignment) -> int:
    """All 3600 products of the exact matrices, one by one."""
    matrices, table = icosahedral()[1], rotation.group("A5").table
    m = [matrices[int(r)] for r in assignment.rotations]
    return sum((m[x] @ m[y]).key() != m[table[x, y]].key() for x in range(60) for y in range(60))


def test_violations_against_the_naive_count():
    for pair in (Assignment(*PUBLISHED), assignments()[0], assignments()[-1]):
        assert pair.violations == naive_violations(pair)


@pytest.mark.parametrize("first", ["three", "five"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_a_pair_extends_exactly_when_its_product_has_order_two(first, side):
    pairs = assignments(first, side)
    assert len(pairs) == 480
    assert sum(pair.extends for pair in pairs) == 120
    assert all((pair.violations == 0) == pair.extends for pair in pairs)


def test_the_published_assignment_depends_on_the_search_and_is_never_a_representation():
    counts = {(first, side): Assignment(*PUBLISHED, first, side) for first in ("three", "five") for side in ("right", "left")}
    assert {pair.violations for pair in counts.values()} == {2831, 2816}  # counted by the naive twin above
    for pair in counts.values():
        assert (pair.rotations[1:] == 0).sum() == 2 and len(set(pair.rotations)) < 60


def test_generators_that_do_not_reach_a5_are_refused():
    with pytest.raises(ValueError, match="generate only"):
        _ = Assignment((1, 2, 0, 3, 4), (0, 1, 2, 3, 4)).rotations


@pytest.mark.parametrize(("radicand", "denominator"), [(4, 1), (1, 1), (5, 0)])
def test_quadratic_arrays_need_a_field(radicand, denominator):
    with pytest.raises(ValueError):
        QuadraticArray(np.ones((1, 1), int), np.ones((1, 1), int), denominator, radicand)

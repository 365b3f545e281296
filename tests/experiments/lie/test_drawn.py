"""What claims draw from: groups and their copies, generators of algebras."""

import random

import numpy as np
import pytest

from experiments.groups import OTHERS, copied, groups
from experiments.lie._generators import generators
from experiments.numbering import numbered
from theory import lie
from theory.groups import group


def test_groups_that_are_drawn_have_the_order_that_is_said():
    source, drawn = random.Random(0), groups(40, factors=3)
    names = [drawn.draw(source) for _ in range(60)]
    assert all(2 <= group(name).order <= 40 for name in names)
    assert all(group(name).order == order for name, order in OTHERS.items())
    assert len(set(names)) > 20 and {group(name).is_abelian for name in names} == {True, False}


@pytest.mark.parametrize("name", ["S3", "C2xC4", "Q12", "A4"])
def test_a_copy_is_the_group_with_other_numbers(name):
    one, other, old = group(name), copied(name, 5), numbered(group(name).order, 5)
    table = np.asarray(other.table)
    assert old[0] == 0 and sorted(old) == list(range(one.order))
    for x, y in np.ndindex(table.shape):
        assert old[table[x, y]] == one.table[old[x], old[y]]
    assert (table != one.table).any() and copied(name, 0) is one
    assert other.derived_length == one.derived_length


@pytest.mark.parametrize(("algebra", "letters"), [("so3", 2), ("so3", 5), ("sl2", 3), ("sp4", 4)])
def test_generators_lie_in_the_algebra_and_are_independent_while_there_is_room(algebra, letters):
    matrices = np.array(lie.named(algebra).matrices)
    basis = matrices.reshape(len(matrices), -1)
    found = generators(algebra, letters, 7).reshape(letters, -1)
    assert np.linalg.matrix_rank(found[: len(basis)]) == min(letters, len(basis))
    assert np.linalg.matrix_rank(np.concatenate([basis, found])) == len(basis)
    assert (found == generators(algebra, letters, 7).reshape(letters, -1)).all()
    assert found.any(axis=1).all() and np.issubdtype(found.dtype, np.integer)


def test_generators_that_are_not_drawn_are_the_first_of_the_basis():
    assert (generators("sl2", 2, 0) == np.array(lie.named("sl2").matrices)[:2]).all()


def test_behind_the_last_of_the_basis_come_sums_of_neighbours():
    basis = np.array(lie.named("so3").matrices)
    found = generators("so3", 6, 0)
    assert (found[:3] == basis).all() and (found[3] == basis[0] + basis[1]).all() and (found[5] == basis[2] + basis[0]).all()

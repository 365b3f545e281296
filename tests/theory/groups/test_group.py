"""Axioms of finite groups, and refusals that name what failed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.groups import FiniteGroup, group

NAMES = ["C1", "C2", "C7", "D3", "D4", "Q8", "S3", "S4", "A4", "A5"]


@pytest.mark.parametrize("name", NAMES)
def test_named_groups_satisfy_the_axioms(name):
    given = group(name)
    checked = FiniteGroup.from_table(given.table)
    assert checked.order == given.order
    g = np.arange(given.order)
    assert (given.table[g, given.inverses] == 0).all()
    assert (given.element_orders[0], given.order % max(given.element_orders)) == (1, 0)


@given(st.lists(st.permutations(range(4)), min_size=1, max_size=3))
def test_products_are_compositions(generators):
    g = FiniteGroup.from_permutations(generators)
    for a in range(g.order):
        for b in range(0, g.order, 5):
            p, q = g.permutations[a], g.permutations[b]
            assert g.permutations[g.table[a, b]] == tuple(p[i] for i in q)
    assert 24 % g.order == 0  # Lagrange


def test_quaternions_have_one_involution_and_dihedral_groups_state_their_order():
    assert sorted(group("Q8").element_orders) == [1, 2, 4, 4, 4, 4, 4, 4]
    assert group("D4").order == 8


C3 = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
LOOP = [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0, 1], [1, 2]], r"closure: 1\*1 = 2 is not one"),
        ([[1, 0], [0, 1]], "identity"),
        (LOOP, "associativity"),
        ([[0, 1], [1, 1]], "inverses: element 1"),
        ([[0.0, 1.0], [1.0, 0.0]], "integers"),
        ([[0, 1, 2]], "square"),
    ],
)
def test_tables_that_are_no_groups_are_refused_with_the_axiom(table, message):
    with pytest.raises(ValueError, match=message):
        FiniteGroup.from_table(np.array(table))


@pytest.mark.parametrize(("name", "message"), [("X5", "no group is named"), ("D2", "3 corners")])
def test_unknown_names_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        group(name)


def test_permutations_must_be_permutations():
    with pytest.raises(ValueError, match="not a permutation"):
        FiniteGroup.from_permutations([(0, 0, 1)])
    with pytest.raises(ValueError, match="not among"):
        group("A4").index((1, 0, 2, 3))

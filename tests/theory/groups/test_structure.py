"""Structure of finite groups against definitions taken literally, and against sympy's permutation groups."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.combinatorics import Permutation, PermutationGroup

from theory.groups import FiniteGroup, direct_product, group, semidirect_product
from theory.groups.abelian import abelian_basis
from theory.groups.subgroups import generated

GENERATORS = st.lists(st.permutations(range(5)).map(tuple), min_size=1, max_size=3)


@settings(max_examples=20, deadline=None)
@given(GENERATORS)
def test_structure_of_permutation_groups_is_that_of_sympy(generators):
    g, twin = group(generators), PermutationGroup([Permutation(list(p)) for p in generators])
    assert g.order == twin.order()
    assert g.is_solvable == twin.is_solvable
    assert g.is_nilpotent == twin.is_nilpotent
    assert [len(s) for s in g.derived_series] == [s.order() for s in twin.derived_series()]
    assert [len(s) for s in g.lower_central_series] == [s.order() for s in twin.lower_central_series()]
    assert sorted(map(len, g.conjugacy_classes)) == sorted(map(len, twin.conjugacy_classes()))
    FiniteGroup.from_table(g.table)


def test_direct_and_semidirect_products_number_their_elements_as_stated():
    first, second = group("D3"), group("C4")
    both = direct_product(first, second)
    assert both.table[2 * 4 + 3, 5 * 4 + 2] == first.table[2, 5] * 4 + second.table[3, 2]
    trivial = semidirect_product(first, second, np.tile(np.arange(6), (4, 1)))
    assert (trivial.table == both.table).all()


def test_products_of_permutations_are_compositions():
    for generators in itertools.combinations(itertools.permutations(range(4)), 2):
        g = group(list(generators))
        assert 24 % g.order == 0  # Lagrange
        for a, b in itertools.product(range(g.order), range(0, g.order, 5)):
            p, q = g.permutations[a], g.permutations[b]
            assert g.permutations[g.table[a, b]] == tuple(p[i] for i in q)


@pytest.mark.parametrize(("name", "expected"), [("C6xC10", (30, 2)), ("C6xC10xC15", (30, 30))])
def test_large_abelian_groups_have_a_basis(name, expected):
    g = group(name)
    basis, orders = abelian_basis(g)
    assert np.prod(orders) == g.order == len(generated(g, basis)) and orders == expected
    assert [g.element_orders[b] for b in basis] == list(orders)


LOOP = [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]]
REFUSED = [
    (lambda: FiniteGroup.from_table([[0, 1], [1, 2]]), r"closure: 1\*1 = 2 is not one"),
    (lambda: FiniteGroup.from_table(LOOP), "associativity"),
    (lambda: FiniteGroup.from_table(np.array([[0.0, 1.0], [1.0, 0.0]])), "integers"),
    (lambda: FiniteGroup.from_table([[0, 1, 2]]), "square"),
    (lambda: group("X5"), "no group is named"),
    (lambda: group("D2"), "3 corners"),
    (lambda: group("A4").index((1, 0, 2, 3)), "not among"),
    (lambda: group("B4"), "no group is named"),
    (lambda: group("SL2_4"), "a prime"),
    (lambda: group("Q6"), "multiple of 4"),
    (lambda: group("C8:C3"), "multiplicative order"),
    (lambda: group([(0, 0, 1)]), "not a permutation"),
    (lambda: group(np.array([[0, 1], [1, 1]])), "inverses: element 1"),
    (lambda: group(np.array([[0, 1], [1, 2]])), "closure"),
    (lambda: group(np.array([[1, 0], [0, 1]])), "identity"),
    (lambda: group(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])), "associativity"),
    (lambda: FiniteGroup.from_matrices([[[1, 1], [1, 1]]], 3), "no inverse"),
    (lambda: semidirect_product(group("C4"), group("C2"), np.array([[0, 1, 2, 3], [0, 2, 1, 3]])), "automorphism"),
    (lambda: semidirect_product(group("C3"), group("C3"), np.array([[0, 1, 2], [0, 2, 1], [0, 2, 1]])), "homomorphism"),
    (lambda: abelian_basis(group("D3")), "not abelian"),
]


@pytest.mark.parametrize(("make", "words"), REFUSED)
def test_bad_input_is_refused_with_its_reason(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(["C6", "D3", "Q8", "D5"]), st.integers(0, 10**6))
def test_one_wrong_entry_is_never_a_group(name, place):
    table = group(name).table.copy()
    n = len(table)
    g, h = divmod(place % (n * n), n)
    table[g, h] = (table[g, h] + 1) % n
    with pytest.raises(ValueError, match=r"identity|associativity|inverses"):
        group(table)

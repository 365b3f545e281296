"""Structure of finite groups against definitions taken literally, and against sympy's permutation groups."""

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.combinatorics import Permutation, PermutationGroup

from theory.errors import OutsideHypotheses
from theory.groups import FiniteGroup, direct_product, group, semidirect_product
from theory.groups.abelian import abelian_basis
from theory.groups.laws import iterated_commutator
from theory.groups.subgroups import composition_series, generated, quotient, restricted

SOLVABLE = [
    "C1",
    "C12",
    "C2xC2xC2",
    "C4xC6",
    "D3",
    "D4",
    "D6",
    "Q8",
    "Q16",
    "A4",
    "S4",
    "SL2_3",
    "GL2_3",
    "H3_3",
    "C7:C3",
    "D4xQ8",
]
GENERATORS = st.lists(st.permutations(range(5)).map(tuple), min_size=1, max_size=3)


def product(g, word):
    return functools.reduce(lambda a, b: int(g.table[a, b]), word, 0)


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


@settings(max_examples=20, deadline=None)
@given(GENERATORS)
def test_composition_factors_are_simple(generators):
    g = group(generators)
    for upper, lower in itertools.pairwise(g.composition_series):
        factor, _ = quotient(restricted(g, upper), np.searchsorted(upper, lower))
        assert len(composition_series(factor)) == 2


@pytest.mark.parametrize("name", SOLVABLE)
def test_tower_tracks_products_and_is_as_high_as_the_derived_length(name):
    g, rng = group(name), np.random.default_rng(0)
    tower = g.tower
    assert tower.depth == g.derived_length
    assert np.prod(tower.moduli, dtype=int) == g.order
    assert sorted(tower.elements) == list(range(g.order))
    for _ in range(20):
        word = rng.integers(0, g.order, 12)
        assert tower.run(word) == product(g, word)


@pytest.mark.parametrize("name", SOLVABLE)
def test_iterated_commutators_die_at_the_derived_length_and_not_before(name):
    g = group(name)
    for depth in range(g.derived_length):
        word = iterated_commutator(g, depth)
        assert len(word) == 4**depth
        assert product(g, word) != 0
    assert iterated_commutator(g, g.derived_length) is None


def test_a_group_that_is_not_solvable_has_no_tower_and_says_why():
    with pytest.raises(OutsideHypotheses, match="perfect subgroup of order 60"):
        _ = group("S5").tower
    assert iterated_commutator(group("A5"), 4) is not None


@pytest.mark.parametrize("name", ["C1", "C12", "C4xC6", "C2xC2xC4", "C6xC10xC15"])
def test_abelian_basis_counts_every_element_once(name):
    g = group(name)
    basis, orders = abelian_basis(g)
    assert np.prod(orders, dtype=int) == g.order
    assert all(a % b == 0 for a, b in itertools.pairwise(orders))
    assert [g.element_orders[b] for b in basis] == list(orders)
    assert len(generated(g, basis)) == g.order


ORDERS = {
    "C12": 12,
    "D4": 8,
    "Q8": 8,
    "Q12": 12,
    "S5": 120,
    "A5": 60,
    "H3_3": 27,
    "H3_4": 64,
    "SL2_3": 24,
    "GL2_3": 48,
    "C7:C3": 21,
}


@pytest.mark.parametrize(("name", "order"), ORDERS.items())
def test_named_groups_have_their_order_and_are_groups(name, order):
    g = group(name)
    assert g.order == order
    FiniteGroup.from_table(g.table)


def test_generalised_quaternion_groups_have_one_involution():
    for name in ("Q8", "Q12", "Q16", "Q20"):
        assert (group(name).element_orders == 2).sum() == 1


def test_direct_and_semidirect_products_number_their_elements_as_stated():
    first, second = group("D3"), group("C4")
    both = direct_product(first, second)
    assert both.table[2 * 4 + 3, 5 * 4 + 2] == first.table[2, 5] * 4 + second.table[3, 2]
    trivial = semidirect_product(first, second, np.tile(np.arange(6), (4, 1)))
    assert (trivial.table == both.table).all()


REFUSED = [
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

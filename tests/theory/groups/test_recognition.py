"""Isomorphisms of small groups against all bijections, and groups that are told apart or have no name."""

import itertools

import numpy as np

from theory.groups import direct_product, group
from theory.groups.recognition import MOST, isomorphism, recognised


def isomorphic_by_force(first, second) -> bool:
    """Naive twin: try every bijection that keeps the identity."""
    if first.order != second.order:
        return False
    images = (np.array([0, *image]) for image in itertools.permutations(range(1, first.order)))
    return any((image[first.table] == second.table[np.ix_(image, image)]).all() for image in images)


def test_isomorphic_exactly_if_some_bijection_keeps_products():
    small = [group(name) for name in ("C1", "C4", "C2xC2", "C6", "S3", "D3", "C2xC3")]
    for first, second in itertools.product(small, repeat=2):
        image = isomorphism(first, second)
        assert (image is not None) == isomorphic_by_force(first, second)
        if image is not None:
            assert (image[first.table] == second.table[np.ix_(image, image)]).all() and len(set(image)) == first.order


def test_groups_of_equal_orders_of_elements_are_told_apart():
    # the Heisenberg group modulo 3 has the orders of C3 x C3 x C3, and is not commutative
    heisenberg, commutative = group("H3_3"), group("C3xC3xC3")
    assert sorted(heisenberg.element_orders) == sorted(commutative.element_orders)
    assert isomorphism(heisenberg, commutative) is None


def test_a_group_without_a_name_has_none():
    assert recognised(direct_product(group("S3"), group("S3"))) is None
    assert recognised(group("C7:C3")) == "C7:C3" and group("M11").order > MOST and recognised(group("M11")) is None

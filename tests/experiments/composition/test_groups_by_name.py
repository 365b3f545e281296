"""What books say of the groups that claims draw, against `theory.groups`."""

import pytest

from experiments.groups import CLASSES, OTHERS, ROOTS, _by_kind, order_and_classes, square_roots_of_one
from theory.groups import group


def test_every_other_group_has_classes_and_roots():
    assert CLASSES.keys() == ROOTS.keys() == OTHERS.keys()


@pytest.mark.parametrize("name", sorted({**_by_kind(24, 2)[0], **_by_kind(24, 2)[1], **OTHERS}))
def test_order_and_classes_are_those_of_the_table(name):
    finite = group(name)
    order, classes = order_and_classes(name)
    assert (order, classes) == (finite.order, len(finite.conjugacy_classes))
    assert (finite.table == finite.table.T).sum() == order * classes
    assert (finite.table.diagonal() == 0).sum() == square_roots_of_one(name)

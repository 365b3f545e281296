"""What the constructors of groups say about what is no group: what was given, what they expect, and what to do."""

import numpy as np
import pytest

from theory.groups import FiniteGroup

RAGGED = [[0, 1], [0]]
NOTHING = [None, 5, "", "abc", b"ab", {}, {"a": 1}, np.array(3), object()]


@pytest.mark.parametrize("given", NOTHING, ids=lambda given: repr(given)[:20])
def test_what_is_no_list_of_generators_is_refused(given):
    with pytest.raises(TypeError, match=r"generators = .*expected a list of permutations, such as \[\(1, 2, 0\)"):
        FiniteGroup.from_permutations(given)
    with pytest.raises(TypeError, match=r"generators = .*expected a list of square matrices, such as \[\[\["):
        FiniteGroup.from_matrices(given, 3)
    with pytest.raises(ValueError, match=r"table = .*square array of integers, .*as in \[\[0, 1\], \[1, 0\]\]"):
        FiniteGroup.from_table(given)


@pytest.mark.parametrize("given", [[], [None], [[]], [1, 2], RAGGED, [RAGGED], [[0, 1], [1, 0]], ["ab"], [[[1, 1]]]], ids=repr)
def test_lists_that_hold_no_square_matrices_are_refused(given):
    with pytest.raises(ValueError, match=r"of shapes .*expected at least one, .*list of one"):
        FiniteGroup.from_matrices(given, 3)


@pytest.mark.parametrize("given", [[1, 2, 0], [None], [(0, 1), 5], [b"ab"]], ids=repr)
def test_a_permutation_that_is_no_list_is_refused(given):
    with pytest.raises(ValueError, match=r"is not a permutation: expected the images .*\[\(1, 2, 0\)\]"):
        FiniteGroup.from_permutations(given)


@pytest.mark.parametrize("given", [[], [[]], [1, 2], RAGGED, [RAGGED], [[0.5]], [["a"]]], ids=repr)
def test_tables_that_are_no_square_of_integers_are_refused(given):
    with pytest.raises(ValueError, match=r"table = .*square array of integers"):
        FiniteGroup.from_table(given)


def test_generators_come_in_lists_of_any_kind():
    for given in (
        [(1, 2, 0)],
        ((1, 2, 0),),
        np.array([[1, 2, 0]]),
        {(1, 2, 0)},
        iter([[1, 2, 0]]),
        [range(3), np.array([1, 2, 0])],
    ):
        assert FiniteGroup.from_permutations(given).order == 3
    rows = [[1, 1], [0, 1]]
    for given in ([rows], (np.array(rows),), np.array([rows]), iter([rows])):
        assert FiniteGroup.from_matrices(given, 5).order == 5
    assert FiniteGroup.from_permutations([]).order == 1

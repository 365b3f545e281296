"""Widths of polynomial networks that groups give, counted irrep by irrep."""

import math

import pytest
import sympy

from theory.bounds import composition
from theory.composition import recurrent_width, two_layer_width
from theory.errors import OutsideHypotheses
from theory.groups import group as finite_group


@pytest.mark.parametrize("name", ["C5", "C10", "S3", "Q8", "D3xC3", "A4"])
@pytest.mark.parametrize("length", [2, 3, 4])
def test_widths_by_irreps_are_counted_one_by_one_and_the_answer_is_no_wider(name, length):
    two_layer = recurrent = 0
    for irrep in finite_group(name).irreps[1:]:
        paths, n = irrep.dimension ** (length + 1), irrep.dimension
        if irrep.kind == "real":
            two_layer, recurrent = two_layer + 2 ** (length - 1) * paths, recurrent + 2 * n**3
        elif irrep.kind == "quaternionic":
            two_layer += (length + 1) * 2 ** (length - 1) * paths // 2
            recurrent += 3 * n**3
        elif irrep.conjugate > irrep.number:
            two_layer, recurrent = two_layer + (length + 1) * 2 ** (length - 1) * paths, recurrent + 6 * n**3
    irreps = finite_group(name).irreps[1:]
    assert (two_layer_width(irreps, length), recurrent_width(irreps)) == (two_layer, recurrent)
    if finite_group(name).is_abelian:  # the counts of the elements are enough
        two_layer = min(two_layer, math.comb(length + finite_group(name).order - 1, length))
    assert composition(name, length).at() <= two_layer and composition(name, length, "recurrent").at() <= recurrent


def test_the_formula_in_the_length_has_the_same_values():
    assert composition("S3").at(length=3) == composition("S3", 3).at() == 27
    assert composition("C5").expr.free_symbols == {sympy.Symbol("length", positive=True)}


def test_a_tree_needs_a_power_of_two():
    assert composition("S3", 8, "tree").at() == 4 * composition("S3", 2, "recurrent").at()
    with pytest.raises(OutsideHypotheses, match="power of two"):
        composition("S3", 6, "tree").at()


@pytest.mark.parametrize(
    ("arguments", "word"), [(("S3", 2, "deep"), "architecture"), (("B3", 2), "no group"), (("S3", 0), "integer")]
)
def test_bad_arguments_are_refused(arguments, word):
    with pytest.raises(ValueError, match=word):
        composition(*arguments)

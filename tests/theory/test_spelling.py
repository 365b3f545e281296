"""The usual spellings of groups name the groups that this project names."""

import pytest

from theory import bounds, groups
from theory.groups.spelling import standard_name

SPELLINGS = {
    "C2xC2": ["V4", "K4", "v", "Klein", "Z2xZ2", "C_2 × C_2", "c2*c2"],
    "C5": ["Z5", "C_5", "Z_5", "Cyc(5)", "z5"],
    "S5": ["S_5", "Sym(5)", "s5", "Sym_5"],
    "A5": ["A_5", "Alt(5)", "a5"],
    "D4": ["D_4", "Dih(4)", "d4"],
    "SL2_3": ["SL(2,3)", "SL_2(3)", "SL2(3)", "sl(2, 3)", "SL2_3"],
    "GL2_3": ["GL(2,3)", "GL_2(3)"],
    "PSL2_7": ["PSL(2,7)", "L2(7)", "PSL_2(7)", "L(2,7)"],
    "H3_3": ["Heis(3)", "Heisenberg_3", "h3_3"],
    "C7:C3": ["Z7:Z3", "c7 : c3"],
    "M11": ["M_11", "m11"],
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_is_the_same_group(name):
    assert standard_name(name) == name
    for spelling in SPELLINGS[name]:
        assert standard_name(spelling) == name, spelling
    if name != "M11":
        assert groups.group(SPELLINGS[name][0]) is groups.group(name)


@pytest.mark.parametrize("text", ["", "foo", "C", "S-5", "C2xx", "SL(3,2)", "PSL(2,q)", "__import__('os')", "C2x", "D(4", "Z²"])
def test_what_is_no_spelling_is_no_group(text):
    with pytest.raises(ValueError, match=r"no group is named|number after the underscore|expected"):
        groups.group(text)


@pytest.mark.parametrize(("p", "order"), [(2, 6), (3, 12), (5, 60), (7, 168), (11, 660)])
def test_the_projective_line(p, order):
    group = groups.group(f"PSL(2,{p})")
    assert group.order == order and group.is_solvable == (p < 5)
    assert p < 5 or len(group.composition_series) == 2  # simple


def test_bounds_take_the_usual_spellings():
    assert bounds.group("V4").at() == 1.0 and bounds.group("SL(2,3)").stages == bounds.group("SL2_3").stages

"""Series of groups by their names, against the tables of small groups, and groups that no table holds."""

import itertools
import math

import pytest

from theory import bounds
from theory.cost import Estimate, TooExpensive, allow
from theory.groups import group
from theory.groups.series import series, series_of_name, spelled
from theory.groups.spelling import standard_name

FAMILIES = [*(f"C{n}" for n in (2, 12, 30)), *(f"D{n}" for n in range(3, 10)), *(f"Q{n}" for n in (8, 12, 16, 20))]
FAMILIES += ["H3_2", "H3_3", "H3_4", "SL2_5", "SL2_7", "GL2_5", "PSL2_5", "PSL2_7", "S5", "S6", "A5", "A6"]


def factors(orders):
    return sorted(a // b for a, b in itertools.pairwise(orders))


@pytest.mark.parametrize("name", [*FAMILIES, "D4xC6", "S5xD6", "C4xC6xC10", "Q12xH3_2", "A5xC4"])
def test_names_say_what_tables_say(name, monkeypatch):
    whole = group(name)
    expected = series(whole)
    # as if no table were affordable
    monkeypatch.setattr("theory.groups.series.structure", lambda order, name="": Estimate(name, math.inf))
    found = series_of_name(name)
    assert found.derived_orders == expected.derived_orders and found.stages == expected.stages
    assert found.composition_orders[0] == whole.order and found.composition_orders[-1] == 1
    assert factors(found.composition_orders) == factors(expected.composition_orders)


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("S100", None),
        ("S4xS100", None),
        ("S200", None),
        ("S1000", None),
        ("A1000", None),
        ("SL(2,101)", None),
        ("GL(2,101)", None),
        ("PSL(2,1009)", None),
        ("M11xM11", None),
        ("A4xC100000", 2),
        ("C10^9", 1),
        ("C2^300", 1),
        ("C1000000000000000003", 1),
        ("D10000000", 2),
        ("Q100000", 2),
        ("H3_1000", 2),
        ("S4xC1000000", 3),
        ("S4^5", 3),
        ("C2^999", 1),
        ("S4^999", 3),
    ],
)
def test_groups_that_no_table_holds(name, layers):
    with pytest.raises(TooExpensive):
        group(name)
    found = bounds.group(name)
    assert found.derived_length == layers == bounds.layers(group=name).number
    assert (
        len(found.statement) < 120 + len(found.name) and found.order == found.derived_orders[0] == found.composition_orders[0]
    )
    if layers is not None:
        assert math.prod(math.prod(stage) for stage in found.stages) == found.order


@pytest.mark.parametrize("name", ["S5000", "S1000000000000", "C1000000007:C2", "C" + "7" * 5000, "S1000xS1000"])
def test_what_no_name_answers_is_refused_with_its_cost(name):
    for call in (group, bounds.group, lambda name: bounds.layers(group=name)):
        with pytest.raises(TooExpensive, match="--limit"):
            call(name)
        with allow(1e6), pytest.raises(TooExpensive):
            call(name)


def test_an_order_that_is_hard_to_factor_is_refused_with_its_cost():
    for call in (group, bounds.group, lambda name: bounds.layers(group=name)):
        with pytest.raises(TooExpensive, match="--limit"):
            call(f"C{(10**24 + 7) * (10**26 + 67)}")


@pytest.mark.parametrize("name", ["SL(2,100)", "GL(2,1001)", "Q100002", "B3", "C2^0", "x"])
def test_names_of_no_group_are_refused_at_any_size(name):
    with pytest.raises(ValueError, match=r"prime|multiple of 4|no group is named"):
        bounds.group(name)


def test_powers_are_direct_products():
    assert standard_name("C2^3") == "C2xC2xC2" and group("C2^3").order == 8 and standard_name("S3^2 x Z4") == "S3xS3xC4"
    assert spelled(10**29) == "1" + "0" * 29 and spelled(10**31) == "about 10^31"

"""Structure and exact characters against GAP: gap.json holds what gap.g printed, with the versions that printed it."""

import itertools
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from theory.groups import group

GAP = json.loads(Path(__file__).with_name("gap.json").read_text())


def table_of(name):
    """A character table as theory has it: entries are counts of eigenvalues, which determine value and power map."""
    found = group(name).characters
    number = len(found.sizes)
    entries = [[tuple(found.multiplicities(i, c).tolist()) for c in range(number)] for i in range(number)]
    return found.indicators.tolist(), list(zip(found.sizes.tolist(), map(len, found.powers), strict=True)), entries


def table_from_gap(name):
    facts = GAP["named"][name]
    entries = [[tuple(counts) for counts in row] for row in facts["multiplicities"]]
    return facts["indicators"], list(zip(facts["class_sizes"], facts["class_orders"], strict=True)), entries


def matching(first, second):
    """Rows and columns of the second table, in the order that makes it the first; None if no order does.

    Colours of rows and columns are refined by what stands in them; where that leaves a choice, one column is told apart.
    """
    entries = (first[2], second[2])
    return _matching(entries, (first[0], second[0]), (first[1], second[1]))


def _matching(entries, rows, columns):
    size = len(rows[0])
    count = 0
    while True:
        rows = _recoloured(
            [(rows[s][i], sorted(zip(columns[s], entries[s][i], strict=True))) for i in range(size)] for s in (0, 1)
        )
        columns = _recoloured(
            [(columns[s][j], sorted((rows[s][i], entries[s][i][j]) for i in range(size))) for j in range(size)] for s in (0, 1)
        )
        if Counter(rows[0]) != Counter(rows[1]) or Counter(columns[0]) != Counter(columns[1]):
            return None
        if (now := len(set(rows[0])) + len(set(columns[0]))) == count:
            break
        count = now
    repeated = [colour for colour, times in Counter(columns[0]).items() if times > 1]
    if not repeated:  # and so no two rows have one colour: characters are distinct
        row_order, column_order = ([side[1].index(c) for c in side[0]] for side in (rows, columns))
        same = [[entries[1][i][j] for j in column_order] for i in row_order] == [list(row) for row in entries[0]]
        return (row_order, column_order) if same else None
    here = columns[0].index(repeated[0])
    left = [(c, j == here) for j, c in enumerate(columns[0])]
    for there in (j for j, c in enumerate(columns[1]) if c == repeated[0]):
        found = _matching(entries, rows, (left, [(c, j == there) for j, c in enumerate(columns[1])]))
        if found:
            return found
    return None


def _recoloured(sides):
    """Numbers for the colours, the same number for equal colours on either side."""
    sides = [[repr(colour) for colour in side] for side in sides]
    number = {colour: n for n, colour in enumerate(sorted({*sides[0], *sides[1]}))}
    return [[number[colour] for colour in side] for side in sides]


def check_structure(name):
    g, facts = group(name), GAP["named"][name]
    assert g.order == facts["order"]
    assert sorted(map(len, g.conjugacy_classes)) == sorted(facts["class_sizes"])
    assert Counter(g.element_orders.tolist()) == sum(
        (Counter({o: size}) for size, o in zip(facts["class_sizes"], facts["class_orders"], strict=True)), Counter()
    )
    assert [len(term) for term in g.derived_series] == facts["derived"]
    assert [len(term) for term in g.lower_central_series] == facts["lower_central"]
    sizes = [len(term) for term in g.composition_series]
    # below order 20160 a simple group is known by its order
    assert sorted(a // b for a, b in itertools.pairwise(sizes)) == sorted(facts["factors"])


def check_characters(name):
    order = matching(table_of(name), table_from_gap(name))
    assert order is not None
    rows, columns = order
    values = [
        [np.exp(2j * np.pi * np.arange(len(m)) / len(m)) @ np.array(m) for m in row]
        for row in GAP["named"][name]["multiplicities"]
    ]
    found = group(name).characters
    assert np.abs(np.array(values)[np.ix_(rows, columns)] - found.values).max() < 1e-11
    assert [GAP["named"][name]["indicators"][i] for i in rows] == found.indicators.tolist()


NAMES = [pytest.param(name, marks=pytest.mark.slow) if name == "M11" else name for name in GAP["named"]]


@pytest.mark.parametrize("name", NAMES)
def test_named_groups(name):
    check_structure(name)
    check_characters(name)


def test_tables_are_told_apart_by_their_power_maps():
    """D4 and Q8 have the same values, in any order; their elements have other orders."""
    assert matching(table_from_gap("D4"), table_from_gap("Q8")) is None
    assert matching(table_from_gap("D4"), table_from_gap("H3_2")) is not None
    indicators, classes, entries = table_from_gap("C7:C3")
    spoilt = [list(row) for row in entries]
    spoilt[0][1] = (0, 1, 0) if len(spoilt[0][1]) == 3 else (0, 1, *spoilt[0][1][2:])
    assert matching((indicators, classes, entries), (indicators, classes, spoilt)) is None


def check_small(order, number, generators, expected):
    g = group([tuple(generator) for generator in generators])
    assert g.order == order, (order, number)
    found = Counter(zip(g.characters.degrees.tolist(), g.characters.indicators.tolist(), strict=True))
    assert sorted([degree, indicator, count] for (degree, indicator), count in found.items()) == expected, (order, number)


@pytest.mark.parametrize("orders", [range(1, 32), range(33, 48), range(49, 64)], ids=str)
def test_degrees_and_indicators_of_small_groups(orders):
    for small in GAP["small"]:
        if small[0] in orders:
            check_small(*small)


@pytest.mark.parametrize("order", [32, 48])
def test_degrees_and_indicators_of_the_orders_with_most_groups(order):
    for small in GAP["small"]:
        if small[0] == order:
            check_small(*small)


def test_the_data_hold_every_group_of_order_up_to_63():
    """How many there are: OEIS A000001."""
    counts = Counter(order for order, *_ in GAP["small"])
    known = "1 1 1 2 1 2 1 5 2 2 1 5 1 2 1 14 1 5 1 5 2 2 1 15 2 2 5 4 1 4 1"
    known += " 51 1 2 1 14 1 2 2 14 1 6 1 4 2 2 1 52 2 5 1 5 1 15 2 13 2 2 1 13 1 2 4"
    assert [counts[order] for order in range(1, 64)] == list(map(int, known.split()))

"""Narrow networks, exactly: every word of every letter in integers and fractions, and the width that each question answers."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from theory import bounds
from theory.composition import counting_forms, counting_weights, least_units, sufficient
from theory.composition.counts import ORDER_THREE
from theory.composition.sufficient import ORDER_FOUR
from theory.cost import TooExpensive
from theory.exact.linear import coordinates, rank
from theory.groups import group

GROUPS = ("C2", "C3", "C4", "C2xC2", "C5", "C6", "C3xC3", "S3", "D4", "Q8", "A4", "S3xC3", "C7:C3", "SL2_3", "A5", "C12")


def words(order, length):
    return list(itertools.product(range(order), repeat=length))


def held(units, target):
    """Whether the units (rows of values on all words) hold the target, by elimination."""
    return rank(units) == len(units) and coordinates(units, target) is not None


@pytest.mark.parametrize("name", ["C2", "C3", "C4", "C2xC2", "C5"])
@pytest.mark.parametrize("length", [2, 3, 4])
def test_counting_takes_one_unit_fewer_than_there_are_counts(name, length):
    g = group(name)
    if g.order**length > 300:
        return
    forms = counting_forms(g, length)
    assert len(forms) == sufficient(g, length)["counting, for units that read a constant"]
    weights = counting_weights(forms, g, length)
    assert weights is not None
    for word in words(g.order, length):
        answer = 0
        for letter in word:
            answer = g.table[answer, letter]
        units = [sum(a[letter] for letter in word) ** length for a in forms]
        found = [sum(w * u for w, u in zip(row, units, strict=True)) for row in weights]
        assert found == [Fraction(int(h == answer)) - Fraction(1, g.order) for h in range(g.order)]
    assert counting_weights(forms[:-1], g, length) is None
    assert len({sum(a) for a in forms} | {0}) > 1  # a constant is read


@pytest.mark.parametrize("length", range(2, 15))
def test_parity_takes_as_many_units_as_letters(length):
    forms = counting_forms("C2", length)
    assert len(forms) == length == bounds.composition("C2", length).at() == min(sufficient(group("C2"), length).values())
    assert counting_weights(forms, "C2", length) is not None


def test_two_elements_of_order_three_take_three_units_exactly():
    g = group("C3")
    pairs = words(3, 2)
    for length, forms in ORDER_THREE.items():
        assert counting_weights(forms, g, length) is not None
        assert all(counting_weights(forms[:i] + forms[i + 1 :], g, length) is None for i in range(len(forms)))
        assert len(forms) == min(sufficient(g, length).values())
    units = [[sum(a[x] for x in word) ** 2 for word in pairs] for a in ORDER_THREE[2]]
    target = [[3 * int((x + y) % 3 == h) - 1 for x, y in pairs] for h in range(3)]
    assert held(np.array(units), np.array(target))
    assert least_units(g.irreps[1:], 2) == len(units) == bounds.width_dichotomy("C3", 2).at()


def test_two_elements_of_order_four_take_five_units_without_a_constant():
    a, b = (1, -1, -1, 1), (1, 1, -1, -1)  # cos A +- sin A
    sign = [x * y for x, y in zip(a, b, strict=True)]
    pairs = words(4, 2)
    units = [[(p * a[g] + q * b[g] + r * a[h] + s * b[h]) ** 2 for g, h in pairs] for (p, q), (r, s) in ORDER_FOUR]
    units += [[a[g] ** 2 for g, _ in pairs], [(sign[g] + sign[h]) ** 2 for g, h in pairs]]
    target = [[4 * int((g + h) % 4 == m) - 1 for g, h in pairs] for m in range(4)]
    assert held(np.array(units), np.array(target))
    assert not any(held(np.array(units[:i] + units[i + 1 :]), np.array(target)) for i in range(5))
    assert sum(a) == sum(b) == sum(sign) == 0
    assert least_units(group("C4").irreps[1:], 2) == 5 == min(sufficient(group("C4"), 2).values())


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("length", range(2, 9))
def test_no_question_answers_a_worse_number_than_another(name, length):
    g = group(name)
    known = bounds.width_dichotomy(name, length)
    best = min(known.sufficient.values())
    assert known.at() <= best == bounds.composition(name, length).at() == bounds.composition(name).at(length=length)
    for architecture, units in (("recurrent", 1), ("tree", length / 2)):
        if architecture == "recurrent" or length.bit_count() == 1:
            assert bounds.composition(name, length, architecture).at() == units * min(sufficient(g, 2).values())


def test_even_lengths_need_a_unit_more_with_a_sign_or_a_complex_irrep():
    assert [bounds.width_dichotomy(name, 4).at() for name in ("S3", "C2", "C3", "A5", "Q8")] == [26, 2, 3, 1565, 28]
    assert bounds.width_dichotomy("S3", 6).at() == 98


def test_counting_refuses():
    with pytest.raises(ValueError, match="not abelian"):
        counting_forms("S3", 2)
    with pytest.raises(ValueError, match="trivial"):
        counting_forms("C1", 2)
    with pytest.raises(ValueError, match="counts"):
        counting_forms("C12", 1000)
    with pytest.raises(ValueError, match="counts"):
        counting_forms("C2", 10**12)


@pytest.mark.parametrize("length", [0, -1, True, "3", 2.5, None, Fraction(3, 2)])
def test_lengths_that_are_no_lengths_are_refused(length):
    with pytest.raises(ValueError, match="length"):
        sufficient(group("S3"), length)


def test_lengths_whose_widths_have_too_many_digits_are_refused():
    for length in (10**9, 10**400):
        with pytest.raises(TooExpensive, match="the answer at"):
            sufficient(group("S3"), length)
    with pytest.raises(TypeError, match="expected a group"):
        sufficient("S3", 2)
    assert sufficient(group("S3"), np.int8(3)) == sufficient(group("S3"), 3)

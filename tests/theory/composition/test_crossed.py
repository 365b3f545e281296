"""The crossed outputs of the target and of random units, in integers: ranks of all words, without any irrep."""

from itertools import product

import numpy as np
import pytest

from theory.composition import crossed_units, least_units, sufficient
from theory.exact.linear import rank
from theory.groups import group


def crossed(outputs: np.ndarray) -> np.ndarray:
    """Cross three outputs, shape (3, letters ..): odd letters become rows, and even ones columns."""
    axes = [0, *range(1, outputs.ndim, 2), *range(2, outputs.ndim, 2)]
    letters = outputs.shape[1]
    first, second, third = np.transpose(outputs, axes).reshape(3, letters ** (outputs.ndim // 2), -1)
    nothing = np.zeros_like(first)
    return np.block([[nothing, third, -second], [-third, nothing, first], [second, -first, nothing]])


def target(name: str, length: int, functionals: np.ndarray) -> np.ndarray:
    """The outputs of all words that the functionals see, less their mean over every letter, as integers."""
    g = group(name)
    answers = np.arange(g.order)
    for _ in range(length - 1):
        answers = g.table[answers]
    return (functionals * g.order - functionals.sum(axis=1, keepdims=True))[:, answers].astype(object)


def drawn(name: str) -> np.ndarray:
    return np.random.default_rng(len(name)).integers(-9, 10, size=(3, group(name).order))


def twice(name: str, length: int) -> int:
    return sum(2 if irrep.dimension == 1 else 3 * irrep.dimension**length for irrep in group(name).irreps[1:])


@pytest.mark.parametrize(("name", "length"), [("A4", 2), *product(["C3", "C4", "C2xC2", "S3", "D4", "Q8"], [2, 4])])
def test_the_crossed_target_has_the_rank_of_the_formula(name, length):
    assert rank(crossed(target(name, length, drawn(name)))) == twice(name, length)


@pytest.mark.parametrize("name", ["S3", "D4"])
@pytest.mark.parametrize("length", [2, 4])
def test_functionals_may_vanish_on_a_unit_that_writes_to_a_sign_and_elsewhere(name, length):
    g = group(name)
    sign = np.real(g.irreps[1].matrices)[:, 0, 0].round().astype(int)
    other = np.random.default_rng(1).integers(-9, 10, size=g.order)
    seen = drawn(name)
    # moved by multiples of the sign such that they vanish on it and the other vector together
    written = g.order * sign + g.order * other - other.sum()
    moved = seen * int(sign @ written) - np.outer(seen @ written, sign)
    assert not (moved @ written).any()
    assert rank(crossed(target(name, length, moved))) == twice(name, length)


@pytest.mark.parametrize("length", [2, 4])
@pytest.mark.parametrize("units", [1, 2, 3])
def test_units_have_rank_two_each(length, units):
    source = np.random.default_rng(units)
    total = 0
    for _ in range(units):
        functions = source.integers(-4, 5, size=(length, 4))
        product_of_letters = functions[0]
        for function in functions[1:]:
            product_of_letters = np.multiply.outer(product_of_letters, function)
        total = total + np.multiply.outer(source.integers(-4, 5, size=3), product_of_letters)
    assert rank(crossed(np.asarray(total).astype(object))) == 2 * units


@pytest.mark.parametrize("name", ["C2", "C3", "C4", "C2xC2", "C5", "S3", "D4", "D6", "Q8", "A4", "S3xC3", "S4", "A5"])
def test_no_bound_from_below_passes_one_from_above(name):
    for length in range(2, 11):
        least = least_units(group(name).irreps[1:], length)
        assert least <= min(sufficient(group(name), length).values())
        assert length % 2 or least >= crossed_units(group(name).irreps[1:], length)


def test_odd_lengths_are_refused():
    with pytest.raises(ValueError, match="even"):
        crossed_units(group("S3").irreps[1:], 3)
    with pytest.raises(ValueError, match=">= 2"):
        crossed_units(group("S3").irreps[1:], 0)

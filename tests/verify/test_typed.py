"""What counts as typed in: numbers whose value no input of a measurement decides, whatever decides their shape."""

import pytest

from depthjax.runs.typed import typed_in

TEXT = """
import numpy as np

FIVE = 5
FEW = [1, 2]


def measure(cell, key):
    found = run(cell)
    once = np.full(cell.n, FIVE - 1)
    twice = 1
    twice = run(cell)
    return measured(length=cell.lengths, error=Quantity({value}, "length", floor=0.0))
"""
TYPED = (
    *("1", "True", "-FIVE", "once", "FEW", "np.array([1, FIVE])", "np.asarray(FEW, float)", "np.float64(1)", "int(FIVE)"),
    *("np.ones(len(cell.lengths), int)", "np.zeros(cell.n)", "np.zeros_like(found)", "np.full(cell.n, fill_value=2)"),
    *("np.full_like(found, 3)", "jnp.broadcast_to(1, found.shape)", "np.repeat(FIVE, cell.n)", "np.tile(FEW, cell.n)"),
    *("[1] * cell.n", "cell.n * (0,)", "[1 for _ in cell.lengths]", "np.array([0 for _ in found])", "2 * np.ones(cell.n)"),
    *("np.ones(cell.n).astype(int)", "once.sum()", "np.zeros(found.shape).sum(axis=1) + 1"),
)
MEASURED = (
    *("found", "cell.n", "twice", "run(FIVE)", "found + 1", "np.ones(cell.n) * found", "np.array([1, cell.n])", "once[found]"),
    *("np.full(3, found)", "np.broadcast_to(found, (3,))", "[one for one in found]", "found.astype(int)", "cell.n * [found]"),
    *("np.repeat(found, 2)", "int(found)", "np.arange(cell.n)", "int(1 if found else 0)", "[1, -1] * found"),
)


@pytest.mark.parametrize("value", TYPED)
def test_a_constant_of_any_shape_is_typed_in(value):
    assert list(typed_in(TEXT.format(value=value), ["measure"])) == [("measure", 13, "error")]


@pytest.mark.parametrize("value", MEASURED)
def test_what_an_input_decides_is_measured(value):
    assert not list(typed_in(TEXT.format(value=value), ["measure"]))


def test_functions_that_are_not_named_are_not_read():
    assert not list(typed_in(TEXT.format(value="1"), ["other"]))

"""Measurements that measure nothing are told from those that do."""

import numpy as np
import pytest
import xarray as xr

from depthjax.runs.typed import idle, typed_in, unmoved

TYPED = (
    "np.ones(3)",
    "jnp.zeros((cell.words, 3))",
    "jnp.full(cell.words, 0.5)",
    "np.full_like(key, fill_value=1)",
    "np.zeros_like(made(cell))",
    "np.asarray(np.ones(cell.words))",
    "2 * np.ones(3)",
)
MADE = ("np.ones(3) * made(cell)", "jnp.full(3, made(cell))", "np.asarray(made(cell))", "made(np.ones(3))")


@pytest.mark.parametrize("value", TYPED)
def test_arrays_of_one_number_are_typed_in(value):
    assert list(typed_in(f"def measure(cell, key):\n    return measured(a=Quantity({value}))", ["measure"]))


@pytest.mark.parametrize("value", MADE)
def test_what_a_program_made_is_not(value):
    text = f"def measure(cell, key):\n    return measured(a=Quantity({value}))"
    assert not list(typed_in(text, ["measure"])) and not list(idle(text, ["measure"]))


def test_a_function_that_reads_nothing_is_idle_unless_it_calls_a_program():
    text = "def wrong(cell, key):\n    return measured(a=Quantity({}))"
    assert list(idle(text.format("np.linspace(0, 1, 3)"), ["wrong"])) == [("wrong", 1)]
    assert not list(idle(text.format("worst_case(3)"), ["wrong"]))
    assert not list(idle(text.format("np.arange(cell.words)"), ["wrong"]))


def rows(*values) -> xr.Dataset:
    return xr.Dataset({"a": (("cell", "i"), np.array(values))})


OWN = rows([0.5, 0.1], [0.2, 0.3])


@pytest.mark.parametrize(
    ("control", "found"),
    [
        (rows([0.25, 0.5], [0.25, 0.5]), "a"),
        (rows([0.25, 0.5], [0.25, 0.6]), ""),
        (rows([1.0, 1.0], [1.0, 1.0]), ""),  # as where every word is misread
        (rows([1, 2], [1, 2]), ""),
        (rows([0.25, 0.5]), ""),
        (rows([0.25, np.nan], [0.25, np.nan]), "a"),
    ],
)
def test_numbers_that_no_cell_moves_are_told(control, found):
    assert unmoved(OWN, control, {"a"}) == found
    assert unmoved(rows([0.5, 0.1], [0.5, 0.1]), control, {"a"}) == "" and unmoved(OWN, control, {"b"}) == ""

"""Earliest misread steps, against reachable states in fractions and against words that are read letter by letter."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from theory import bounds
from theory.cost import TooExpensive
from theory.errors import OutsideHypotheses
from theory.lie.misread import FORMATS, listed_misreading
from theory.lie.rounded_roots import reachable_states

EIGHT = ("float8_e5m2", "float8_e4m3", "float8_e3m4")


@pytest.mark.parametrize("order", [3, 4, 6, 8, 12])
def test_orders_that_are_never_misread_have_their_states(order):
    assert listed_misreading(order, "bfloat16") == (0, reachable_states(order, "bfloat16"))


@pytest.mark.parametrize("dtype", EIGHT)
def test_which_orders_are_never_misread(dtype):
    assert [order for order in range(2, 129) if not listed_misreading(order, dtype)[0]] == [2, 3, 4, 6, 8, 12]


def test_another_significand_has_other_orders(monkeypatch):
    monkeypatch.setitem(FORMATS, "six bits", (6, -60))
    monkeypatch.setitem(FORMATS, "seven bits", (7, -60))
    never = {name: [m for m in range(2, 13) if not listed_misreading(m, name)[0]] for name in ("six bits", "seven bits")}
    assert never == {"six bits": [2, 4, 8], "seven bits": [2, 3, 4, 6, 8, 12]}


@pytest.mark.parametrize(
    ("order", "dtype"), [(10, "float8_e5m2"), (15, "float8_e5m2"), (45, "float8_e4m3"), (60, "float8_e3m4")]
)
def test_every_short_word_in_the_type_itself(order, dtype):
    kind = getattr(ml_dtypes, {"float8_e4m3": "float8_e4m3fn"}.get(dtype, dtype))
    first = listed_misreading(order, dtype)[0]
    angles = 2 * np.pi * np.arange(order) / order
    cos, sin = (np.round(part, 14).astype(kind) for part in (np.cos(angles), np.sin(angles)))
    states = {(1.0, 0.0, 0)}
    for step in range(1, first + 1):
        rows = np.array(sorted(states))
        x, y = (rows[:, i].astype(kind)[:, None] for i in (0, 1))
        real, imaginary = ((x * cos - y * sin).astype(float), (x * sin + y * cos).astype(float))
        counts = (rows[:, 2][:, None] + np.arange(order)) % order
        ahead = np.arctan2(imaginary, real) * order / (2 * np.pi) - counts
        wrong = (abs(ahead - order * np.rint(ahead / order)) >= 0.5 - 1e-9) | ((real == 0) & (imaginary == 0))
        assert wrong.any() == (step == first)
        states = set(zip(real.ravel().tolist(), imaginary.ravel().tolist(), counts.ravel().tolist(), strict=True))


def test_bad_input_is_named():
    for arguments, words in [
        ((0, "bfloat16"), "order = 0"),
        ((5, "float16"), "dtype = 'float16'"),
        ((5, "int8"), "small enough"),
    ]:
        with pytest.raises(ValueError, match=words):
            bounds.earliest_misread(*arguments)
    with pytest.raises(TooExpensive, match="order 100000"):
        bounds.earliest_misread(100_000, "bfloat16")
    for order, dtype in itertools.product((3, 12), FORMATS):
        with pytest.raises(OutsideHypotheses, match="some word is misread"):
            bounds.earliest_misread(order, dtype).at()

"""Orbits of recurrences in arithmetic of narrow types, until a state comes back."""

from collections.abc import Callable

import jax
import ml_dtypes
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.lie.eigenvalues_decide_counting.common import BEFORE, FADING, MOST, TURNS

Step = Callable[[np.ndarray], np.ndarray]


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """States until one comes back, and the length of the cycle, of every recurrence."""
    kind = _type(cell.dtype)
    states, period = _systems(given, kind)
    last = 2 ** (1 + _bits(kind))
    begin = np.array([[max(last - BEFORE, 0)]], np.float64).astype(kind)
    counted = _until_back(lambda h: h + np.ones_like(h), begin)[0]
    fading = np.array(FADING)[:, None].astype(kind)
    turning = _turning(kind)
    return measured(
        states=Quantity(states, "system", label="states until one comes back"),
        period=Quantity(period, "system", label="states of the cycle"),
        longest_period=Quantity(period.max(), label="states of the longest cycle"),
        standstill=Quantity(int(begin[0, 0].astype(float)) + int(counted[0]) - 1, label="where the counter stands still"),
        counted=Quantity(counted[0], label="numbers of a counter until it stands still"),
        fading=Quantity(_until_back(lambda h: fading * h, np.ones_like(fading))[1], "fade", label="states of the cycle of a^n"),
        turns=Quantity(turning, "turn", floor=0.0, label="states of the cycle of a turn"),
        fade=list(FADING),
        turn=list(TURNS),
    )


def turning(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Cycles of matrices that turn, in place of triangular ones."""
    cycles = _turning(_type(cell.dtype))
    return measured(longest_period=Quantity(cycles.max()), turns=Quantity(cycles, "turn", floor=0.0), turn=list(TURNS))


def in_double(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same recurrences in float64."""
    return measured(states=Quantity(_systems(given, np.dtype(np.float64))[0], "system"))


def _systems(given: dict, kind: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    matrices, shifts, starts = (given[name].astype(kind) for name in ("matrices", "shifts", "starts"))

    def step(h: np.ndarray) -> np.ndarray:
        total = matrices[:, :, 0] * h[:, :1]
        for column in range(1, h.shape[1]):
            total = total + matrices[:, :, column] * h[:, column : column + 1]
        return total + shifts

    return _until_back(step, starts)


def _turning(kind: np.dtype) -> np.ndarray:
    turns = np.array(list(TURNS.values()), np.float64).astype(kind)

    def step(h: np.ndarray) -> np.ndarray:
        return turns[:, :, 0] * h[:, :1] + turns[:, :, 1] * h[:, 1:]

    start = np.zeros((len(turns), 2)).astype(kind)
    start[:, 0] = 1
    return _until_back(step, start)[1]


def _until_back(step: Step, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many states each row takes before one comes back, and how many steps ago that one was; all rows side by side."""
    seen: list[dict[bytes, int]] = [{} for _ in start]
    states, period, state = np.zeros(len(start), int), np.zeros(len(start), int), start
    for number in range(MOST):
        for row in np.flatnonzero(states == 0):
            text = (state[row] + np.zeros_like(state[row])).tobytes()  # zero has one sign
            if text in seen[row]:
                states[row], period[row] = number, number - seen[row][text]
            seen[row].setdefault(text, number)
        if states.all():
            break
        state = step(state)
    return states, period


def _type(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, name))


def _bits(kind: np.dtype) -> int:
    """Bits of the significand without the hidden one."""
    return int(ml_dtypes.finfo(kind).nmant)

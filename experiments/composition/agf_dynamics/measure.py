"""Trained networks at doubling scales, extrapolated to the limit, beside a simulation of the flow of the limit itself."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import isotypic_part, spectral_encoding
from depthjax.training.flow import Trajectory, jump_times, plateaus
from depthjax.verify import Cell, Quantity, measured
from experiments.composition._common import SLOTS
from experiments.composition._gradient_flow import flow
from experiments.composition.agf_dynamics.alternating import alternating_flow, largest_utility
from experiments.composition.agf_dynamics.staircase import Learned, learned, plateau_losses, starts, without_step_error


def measure(cell: Cell, key: jax.Array, task: dict) -> xr.Dataset:
    """Times of the median network at three scales, their limit and order; and a simulated flow."""
    trained, simulated, ascent = jax.random.split(key, 3)
    scales, table, parts = cell.log_scale * 2.0 ** np.arange(3), task["table"], parts_of(task)
    flows = [flow(cell, trained, table, parts, scale, steps=cell.steps << i) for i, scale in enumerate(scales)]
    found = np.array([starts(course, cell.share) for course in flows])
    typical = np.argsort(found[-1, 0], axis=0)[cell.seeds // 2]
    times, errors = np.take_along_axis(found, typical[None, None, None], axis=2)[:, :, 0].swapaxes(0, 1)
    # the error C / log(1/alpha) halves from one scale to the next, and what is left falls to a fifth or less
    first, second = (2 * finer - coarser for coarser, finer in itertools.pairwise(times))
    rest = np.abs(second - first)
    limits = without_step_error(second, cell.log_scale, cell.spacing / cell.steps)
    doubts = 2 * errors[2] + errors[1] + rest

    rounding = rounding_floor(len(table) ** (cell.length + 1), np.dtype(np.float64))  # sums of squares over all words
    jumps, levels, left = _simulated(cell, simulated, table, parts)
    unsure = jumps.times * (rounding + jumps.relative) + jumps.early
    beside = np.stack([(found[-1, 0] < times[-1]).sum(axis=0), (found[-1, 0] > times[-1]).sum(axis=0)])
    delays = np.abs(times - jumps.times * (second / limits))
    share = (errors + unsure + rest * np.array([[5], [1], [0.2]])) / delays

    slow, fast = (flow(cell, trained, table, parts, cell.large * factor) for factor in (1, 2))
    early = [np.abs(np.median(starts(course, cell.share)[0], axis=0) - limits) for course in (slow, fast)]
    judged = np.resize(limits, SLOTS)
    return measured(
        irreps=Quantity(len(set(judged.tolist())), label="irreps whose times are judged"),
        beside=Quantity(
            np.where(np.isfinite(times[-1]), beside, np.nan)[:, np.resize(range(len(parts)), SLOTS)],
            "side irrep",
            floor=0.0,
            label="seeds before the typical one, or after it",
        ),
        networks=Quantity(sum(course.losses.size for course in flows), label="records of trained networks"),
        time=_by_irrep(limits, limits * rounding, doubts, "limit of the time"),
        rate=_by_irrep(
            np.log2(delays[1] / delays[2]), rounding + 0 * rest, (share[1] + share[2]) / np.log(2), "order of the delay"
        ),
        simulated_time=_by_irrep(
            jumps.times, jumps.times * (rounding + jumps.relative), jumps.early, "time of the simulated jump"
        ),
        simulated_level=Quantity(
            np.resize(levels, SLOTS + 1),
            "plateau",
            floor=np.resize(rounding * levels[0] + left, SLOTS + 1),
            label="loss on the simulated plateau",
        ),
        **_ascended(cell, ascent, table, parts, task["stretch"]),
        large_rate=_by_irrep(np.log2(early[0] / early[1]), 0 * rest, cell.spacing / early[1], "order of the delay"),
        large_time=_by_irrep(_jumps(fast), 0 * rest, cell.spacing + 0 * rest, "time of the jump"),
        large_level=Quantity(np.resize(_levels(fast), SLOTS + 1), "plateau", floor=rounding * levels[0], label="loss"),
    )


def coefficients_reversed(cell: Cell, key: jax.Array, task: dict) -> xr.Dataset:
    """Times of the simulated jumps where irreps have the coefficients of `task` in the opposite order."""
    sizes = np.array([task["irreps"][number][2] for number in task["active"]])
    parts = parts_of(task) * (sizes[::-1] / sizes)[:, None, None]  # a part is linear in its coefficient
    jumps = _simulated(cell, key, task["table"], parts)[0]
    return measured(simulated_time=_by_irrep(jumps.times, 0 * jumps.times, jumps.early, "time of the simulated jump"))


def parts_of(task: dict) -> np.ndarray:
    """The codes of the encoding's part in each irrep that can be learned, together with its conjugate."""
    encoding = spectral_encoding([matrices for _, matrices, _ in task["irreps"]], [size for _, _, size in task["irreps"]])
    return np.stack([isotypic_part(encoding, *task["irreps"][number][:2])[task["table"]] for number in task["active"]])


def _simulated(cell: Cell, key: jax.Array, table: np.ndarray, parts: np.ndarray) -> tuple[Learned, np.ndarray, np.ndarray]:
    """Jumps and levels of the flow of the limit, and what minimisation left of each level; NaN where it is not simulated."""
    count = len(parts)
    if cell.length > cell.longest:
        return Learned(*np.full((3, count), np.nan)), np.full(count + 1, np.nan), np.full(count + 1, np.nan)
    sizes = {"length": cell.length, "width": round(cell.simulated * cell.neurons), "climb": cell.climb}
    staircase = alternating_flow(key, jnp.asarray(parts), jnp.asarray(table), **sizes)
    return learned(staircase), *plateau_losses(staircase, count + 1)


def _ascended(cell: Cell, key: jax.Array, table: np.ndarray, parts: np.ndarray, stretch: float) -> dict[str, Quantity]:
    """Times from the utilities alone, for longer words; and whether two agree, with the last part as it is and stretched.

    A time is 1 / ((k+1) U), U the largest utility of a unit neuron.
    """
    each = [*parts, parts[-1] * stretch]
    found = [largest_utility(key, jnp.asarray(part), jnp.asarray(table), length=cell.beyond) for part in each]
    utilities, gained = np.array(found).T
    times, doubts = 1 / ((cell.beyond + 1) * utilities), gained / utilities
    rounding = rounding_floor(len(table) ** (cell.beyond + 1), np.dtype(np.float64))

    def agree(places: list[int]) -> int:
        pairs = itertools.combinations(places, 2)
        return int(any(abs(times[i] / times[j] - 1) <= 2 * rounding + doubts[i] + doubts[j] for i, j in pairs))

    plain = list(range(len(parts)))
    return {
        "ascended_time": _by_irrep(
            times[plain], times[plain] * rounding, times[plain] * doubts[plain], "time from the largest utility"
        ),
        "tied": Quantity([agree(plain), agree([*plain[:-1], len(parts)])], "spectrum", label="two times agree"),
    }


def _jumps(course: Trajectory) -> np.ndarray:
    """The median seed's jump times."""
    return np.median(np.asarray(jump_times(course)), axis=0)


def _levels(course: Trajectory) -> np.ndarray:
    """The median seed's loss where it is flattest."""
    return np.median(np.asarray(jax.jit(jax.vmap(plateaus))(course.losses, course.shares)[0]), axis=0)


def _by_irrep(values: np.ndarray, floor: np.ndarray, sampling: np.ndarray, label: str) -> Quantity:
    floor, sampling = np.resize(floor, SLOTS), np.resize(sampling, SLOTS)
    return Quantity(np.resize(values, SLOTS), "irrep", floor=floor, sampling=sampling, label=label)

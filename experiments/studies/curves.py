"""What each kind of network did on each task, by depth: the lines of a study's table and figure.

Of several learning rates and batches, each depth has those that did best on validation words (or on the test words, where
the caller selects as some papers did). Widths are lines of their own, unless that made more than eight lines for a task; then
they are selected alike. What is shown was measured on test words, once.
"""

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

LOWER = ("error", "mse", "loss", "left")  # metrics of which less is better, by the start of their names
LINES = 8  # of a task
TUNED = ("rate", "batch")
HASH = re.compile(r"\.[0-9a-f]{8}$")  # the end of a long name, which keeps files apart
# task -> its metrics at the training length and beyond
METRICS = {
    "hops": ("error_1x", "error_2x"),
    "asked_hops": ("error_1x", "error_2x"),
    "rotation": ("mse_1x", "mse_2x"),
    "composition": ("left_1x", "sequence_2x"),
}


@dataclasses.dataclass(frozen=True)
class Curve:
    """One kind of network on one task.

    Attributes:
        task: What it follows, in words: "S3", "2 hops".
        network: The kind, with its width where widths are told apart.
        metric: What was tested.
        depths: The numbers of layers.
        values: The metric, shape ``(depths, seeds)``.
        predicted: The least depth at which theory has weights for the task; None where there is none or nothing is known.
        floor: What one layer errs at least, in the metric; None where nothing is known.
    """

    task: str
    network: str
    metric: str
    depths: tuple[int, ...]
    values: np.ndarray
    predicted: int | None = None
    floor: float | None = None


def metrics(task: str) -> tuple[str, str]:
    """What is shown of a task: at the training length, and beyond it."""
    return METRICS.get(task, ("sequence_1x", "prefix_2x"))


def sign(metric: str) -> int:
    """1 where more is better, -1 where less is."""
    return -1 if metric.startswith(LOWER) else 1


def curves(
    cells: Mapping[str, xr.Dataset],
    metric: str,
    predicted: Mapping[str, int | None] | None = None,
    selection: str = "validation",
    floors: Mapping[str, float] | None = None,
) -> list[Curve]:
    """One curve for every task and kind of network, in the order of the cells.

    Args:
        cells: By name, as a sweep writes them.
        metric: A test, over depth and seed, and over hops where words ask for their number.
        predicted: The least depth that theory has weights for, by cell.
        selection: The words that choose rate and batch, "validation" or "test".
        floors: What one layer errs at least, by cell.
    """
    lines: dict[tuple[tuple[str, str], ...], list[str]] = {}
    cells = {name: cell for name, cell in cells.items() if metric in cell}  # one hidden layer reads no longer words
    left = TUNED if _most(cells, TUNED) <= LINES else (*TUNED, "width")
    for name in cells:
        lines.setdefault(tuple((key, value) for key, value in parts(name).items() if key not in left), []).append(name)
    widths = len({parts(name)["width"] for name in cells}) > 1
    found = []
    for line, names in lines.items():
        followed, *kind = line
        network = ", ".join(value if key == "model" else f"{key} {value}" for key, value in kind if key == "model" or widths)
        least = (predicted or {}).get(names[0])
        for place, task in _tasks(cells[names[0]][metric], followed):
            depths = tuple(cells[names[0]]["depth"].to_numpy().tolist())
            values = [
                chosen([measured(cells[name], metric, place | {"depth": d}) for name in names], metric, selection)
                for d in depths
            ]
            found.append(Curve(task, network, metric, depths, np.stack(values), least, (floors or {}).get(names[0])))
    order = list(dict.fromkeys(curve.task for curve in found))
    return sorted(found, key=lambda curve: order.index(curve.task))


def curve(network: str, cell: xr.Dataset, metric: str, floor: float | None = None) -> Curve:
    """The curve of a metric over depth and seed, of a task that needs no name."""
    depths, values = tuple(cell["depth"].to_numpy().tolist()), cell[metric].to_numpy().astype(float)
    return Curve("", network, metric, depths, values, floor=floor)


def table(found: Sequence[Curve]) -> list[list[str]]:
    """A row for each curve: its task, its network, and at every depth the median over seeds with the best in brackets.

    The first row names the columns.
    """
    depths = sorted({depth for curve in found for depth in curve.depths})
    rows = [["task", "network", *(f"depth {depth}" for depth in depths)]]
    for curve in found:
        runs = dict(zip(curve.depths, curve.values, strict=True))
        rows.append([curve.task, curve.network, *(_entry(curve.metric, runs[d]) if d in runs else "" for d in depths)])
    return rows


def facts(found: Sequence[Curve]) -> list[dict[str, Any]]:
    """What `table` shows, as numbers: of every curve its median and its best seed at each depth; None where not finite."""
    return [
        {
            "task": curve.task,
            "network": curve.network,
            "depths": list(curve.depths),
            "median": [_finite(np.median(runs)) for runs in curve.values],
            "best": [_finite(_best(curve.metric, runs)) for runs in curve.values],
            "predicted": curve.predicted,
        }
        for curve in found
    ]


def measured(cell: xr.Dataset, metric: str, place: Mapping[str, Any]) -> tuple[float, np.ndarray]:
    """How a cell did on validation words at a place, as a number of which more is better, and the metric of its seeds there."""
    return _validated(cell, place, metric), cell[metric].sel(place).to_numpy().astype(float)


def chosen(found: Sequence[tuple[float, np.ndarray]], metric: str, selection: str) -> np.ndarray:
    """The seeds of the cell that did best on validation words, or whose median test is best."""
    better = sign(metric)
    return max(found, key=lambda pair: pair[0] if selection == "validation" else better * float(np.median(pair[1])))[1]


def parts(name: str) -> dict[str, str]:
    """What the name of a cell says: "group=S3,model=aussm" is {"group": "S3", "model": "aussm"}."""
    return dict(part.split("=", 1) for part in name.split(",") if "=" in part)


def _most(cells: Mapping[str, xr.Dataset], left: Sequence[str]) -> int:
    """The most lines of a task if these parts of names are selected."""
    lines: dict[str, set[str]] = {}
    for name in cells:
        followed, *kind = ((key, value) for key, value in parts(name).items() if key not in left)
        lines.setdefault(followed[1], set()).add(str(kind))
    return max(map(len, lines.values()), default=0)


def _tasks(values: xr.DataArray, followed: tuple[str, str]) -> list[tuple[dict[str, Any], str]]:
    """Places of a metric, each with what is followed there in words: names stand alone, numbers with their axis."""
    if "hops" in values.dims:
        return [({"hops": hop}, _counted("hops", hop)) for hop in values["hops"].to_numpy().tolist()]
    key, value = followed
    return [({}, _counted(key, int(value)) if value.isdecimal() else HASH.sub("", value).replace("_", " "))]


def _entry(metric: str, runs: np.ndarray) -> str:
    return f"{np.median(runs):.3g} ({_best(metric, runs):.3g})"


def _best(metric: str, runs: np.ndarray) -> float:
    return float(sign(metric) * (sign(metric) * runs).max())


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _counted(axis: str, number: int) -> str:
    return f"{number} {axis[:-1] if number == 1 and axis.endswith('s') else axis}"


def _validated(data: xr.Dataset, place: Mapping[str, Any], metric: str) -> float:
    """The median over seeds of the last validation score; a loss counts as its negative, and what is no number as the worst.

    It is the score of the metric where less of it is better, then that of whole words, then the first one there is.
    """
    names = [str(name) for name in data.data_vars if str(name).startswith("validation_")]
    own = f"validation_{metric.rpartition('_')[0]}"
    likely = (*([own] if sign(metric) < 0 else []), "validation_sequence", *names[:1], "loss")
    name = next(name for name in likely if name in data)
    known = {axis: value for axis, value in place.items() if axis in data[name].dims}
    found = sign(name.removeprefix("validation_")) * float(data[name].sel(known).isel(step=-1).median(skipna=False))
    return found if math.isfinite(found) else -math.inf

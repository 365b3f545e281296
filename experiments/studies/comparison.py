"""Published numbers beside measured ones: matched by the study's axes, with the spread over seeds and the settings that differ.

An axis of a study is a dimension of a cell's data, a part of the cell's name, or a setting of the whole run. Groups match where
they are isomorphic. Where several cells of a run match a row (rates, batches), the cell that did best on validation words is
taken, for each depth, or the one that did best on test words where the caller selects as some papers did. What is compared was
measured on test words, once. A row of a width that no cell has is shown once, beside another width, and not judged.

A published number is the best, the median or the only one of some runs. It is judged by whether that many fresh runs of the
law that was measured would give it (`experiments.studies.limits`), its rounding allowed for.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import kendalltau

from depthjax.runs.records import plain
from depthjax.verify.seeds import median_limits
from experiments.studies.curves import chosen, measured, metrics, parts, sign
from experiments.studies.limits import prediction_limits
from experiments.studies.published import Published, Row
from experiments.studies.trained import StudyRun
from theory.groups import group
from theory.groups.recognition import isomorphism

LEVEL = 0.9  # of an accuracy, at which first depths are compared
LEARNED, ENOUGH = "sequence_1x", 0.9  # words of the training length that are right, in the typical run of a control


@dataclasses.dataclass(frozen=True)
class Measured:
    """What the seeds of one cell and depth found.

    Attributes:
        seeds: Number of runs.
        best: The best of them.
        median: Their median.
        low: Lower end of the interval of the median.
        high: Its upper end.
        lowest: The smallest of the runs.
        highest: The largest.
        least: A published number of the same law is not smaller; infinite where the runs are too few to say so.
        most: Nor larger.
        alike: Whether the cell has the published width.
        power: Whether the network that the study names as its control learned the same task in this run.
    """

    seeds: int
    best: float
    median: float
    low: float
    high: float
    lowest: float
    highest: float
    least: float = -math.inf
    most: float = math.inf
    alike: bool = True
    power: bool = True

    def of(self, statistic: str) -> float:
        """The number that a published statistic is held against: the best run for "best", else the median."""
        return self.best if statistic == "best" else self.median


@dataclasses.dataclass(frozen=True)
class Line:
    """A published number and what was measured in its place; None where the run has no such cell."""

    row: Row
    measured: Measured | None
    rounding: float = 0.0

    @property
    def difference(self) -> float | None:
        """Measured less published."""
        return None if self.measured is None else self.measured.of(self.row.statistic) - self.row.value

    @property
    def inside(self) -> bool | None:
        """Whether fresh runs of the measured law would give the published number; None where the runs cannot say so.

        They cannot where they are too few for a limit, and where the number lies beyond all of them on a side without a limit.
        """
        found, value, off = self.measured, self.row.value, self.rounding
        if found is None or not (found.alike and found.power) or not np.isfinite([found.least, found.most]).any():
            return None
        if not found.least - off <= value <= found.most + off:
            return False
        above, below = value > found.highest + off, value < found.lowest - off
        beyond = (np.isinf(found.most) and above) or (np.isinf(found.least) and below)
        return None if beyond else True


def compare(published: Published, run: StudyRun, selection: str = "validation") -> list[Line]:
    """One line for every published number, in the order of the file; `selection` names the words that choose among cells."""
    others, rounding = int(published.setup.get("seeds", 1)), float(published.setup.get("rounding", 0.0))
    lines = [Line(row, _measured(row, run, selection, others), rounding) for row in published.rows]
    if isinstance(control := published.setup.get("control"), str):
        lines = [_with_power(line, run, control) for line in lines]
    shown: dict[str, Line] = {}  # beside another width a number is shown once: the nearest width stands for the others
    for line in lines:
        if line.measured is not None and not line.measured.alike:
            place = str((line.row.cell, line.row.metric, line.row.statistic))
            shown[place] = min(shown.get(place, line), line, key=lambda one: float(one.row.more.get("width", 0)))
    return [
        line
        if line.measured is None or line.measured.alike or line in shown.values()
        else dataclasses.replace(line, measured=None)
        for line in lines
    ]


def shown_metric(published: Published | None, run: StudyRun) -> str:
    """The metric that a table of the whole run shows: that of the published numbers, else that of the task."""
    return metrics(run.configuration["task"])[0] if published is None else published.rows[0].metric


def unpublished(published: Published, run: StudyRun) -> list[str]:
    """Cells and depths of a run that no published number speaks of, each as "group=S3,...,batch=4, depth 2"."""
    found = []
    for name, cell in run.cells.items():
        places = [_place(row, parts(name), cell, run.configuration) for row in published.rows]
        known = {place.get("depth") for place in places if place is not None}
        found += [f"{name}, depth {depth}" for depth in cell["depth"].to_numpy().tolist() if not known & {depth, None}]
    return found


def outside(lines: Sequence[Line]) -> str:
    """Return how many published numbers fresh runs of the measured law would not give, and which is farthest, in one sentence.

    It is empty where no run can say so.
    """
    judged = [line for line in lines if line.inside is not None]
    if any(line.measured and not line.measured.power for line in lines) and not judged:
        return "no power: the control does not learn these tasks in this run, so nothing is compared"
    if not judged:
        return ""
    wrong = [line for line in judged if not line.inside]
    said = f"{len(wrong)} of {len(judged)} published numbers lie outside what as many fresh runs would give (at 95 per cent)"
    if not wrong:
        return said
    far = max(wrong, key=lambda line: abs(line.difference or 0.0))
    where = ", ".join(f"{name} {value}" for name, value in {**far.row.cell, **far.row.more}.items())
    return f"{said}; the largest of their differences is {far.difference:+.3g}, at {where}"


def order(lines: Sequence[Line], axis: str) -> Iterator[tuple[str, int, float, float]]:
    """Yield, for each place beside an axis, how far both agree on the order along it: place, items, Kendall's tau, its chance.

    The chance is that of as large a tau in either direction if one order were drawn at random. Of a place with fewer than four
    items nothing is said, because no order of three is rare.
    """
    for place, found in _along([line for line in lines if line.measured is not None], axis).items():
        if len(found) >= 4:
            ours = [line.measured.of(line.row.statistic) for line in found if line.measured is not None]
            tau, chance = map(float, kendalltau([line.row.value for line in found], ours))
            if math.isfinite(tau):  # it is not where all items are equal
                yield place, len(found), tau, chance


def _along(lines: Sequence[Line], axis: str) -> dict[str, list[Line]]:
    """The lines by their place beside an axis, in words; medians, which repeat a best run, are left out."""
    places: dict[str, list[Line]] = {}
    for line in lines:
        if line.row.statistic != "median":
            rest = {name: value for name, value in {**line.row.cell, **line.row.more}.items() if name != axis}
            places.setdefault(", ".join(f"{name} {value}" for name, value in rest.items()), []).append(line)
    return places


def first_depths(lines: Sequence[Line], level: float = LEVEL) -> Iterator[tuple[str, int | None, int | None, list[int]]]:
    """Yield, for each place beside the depth, the first published and measured depth at a level, and all measured ones.

    None says that no depth reaches it. Places with fewer than two measured depths are left out, and so are errors.
    """
    for place, found in _along([line for line in lines if sign(line.row.metric) > 0], "depth").items():
        there = [int(line.row.cell["depth"]) for line in found if line.row.value >= level]
        here = {int(line.row.cell["depth"]): line.measured.best for line in found if line.measured is not None}
        if len(here) > 1:
            reached = (depth for depth, best in here.items() if best >= level)
            yield place, min(there, default=None), min(reached, default=None), sorted(here)


def passed(lines: Sequence[Line], ceilings: Sequence[float | None]) -> str:
    """Return, by depth, how often the measured median passes what one layer could reach; empty if no ceiling is known."""
    by_depth: dict[int, list[bool]] = {}
    for line, top in zip(lines, ceilings, strict=True):
        if line.measured is not None and top is not None and top < 1 and "depth" in line.row.cell:
            by_depth.setdefault(int(line.row.cell["depth"]), []).append(line.measured.median > top)
    counts = (f"{sum(over)} of {len(over)} at depth {depth}" for depth, over in sorted(by_depth.items()))
    return "the median passes what one layer blind to order could reach: " + ", ".join(counts) if by_depth else ""


def absent(published: Published, lines: Sequence[Line]) -> list[str]:
    """Where the numbers lie that no cell of the run has: for each axis the values that it lacks, each as "group A6, S4"."""
    lacking = [line.row.cell for line in lines if line.measured is None]
    known = [line.row.cell for line in lines if line.measured is not None]
    found = []
    for axis in published.axes:
        values = list(dict.fromkeys(cell[axis] for cell in lacking if cell[axis] not in [one[axis] for one in known]))
        if values:
            found.append(f"{axis} {', '.join(map(str, values))}")
    return found


def settings(published: Published, run: StudyRun, selection: str = "validation") -> Iterator[tuple[str, Any, Any]]:
    """Settings that differ: name, published, here. Only those that the paper's file names and a sweep has."""
    flat = dict(run.configuration) | run.configuration.get("recipe", {}) | {"selection": selection}
    for name, there in published.setup.items():
        if name in flat and flat[name] != there:
            yield name, there, flat[name]


def _measured(row: Row, run: StudyRun, selection: str, others: int) -> Measured | None:
    known = []
    for name, cell in run.cells.items():
        if (place := _place(row, parts(name), cell, run.configuration)) is not None:
            known.append((parts(name), measured(cell, row.metric, place)))
    if not known:
        return None
    alike = [
        found for named, found in known if all(named.get(key, str(value)) == str(value) for key, value in row.more.items())
    ]
    runs = chosen(alike or [found for _, found in known], row.metric, selection)
    low, high = median_limits(runs)
    best = sign(row.metric) * (sign(row.metric) * runs).max()
    least, most = _limits(runs, row, others)
    return Measured(
        seeds=runs.size,
        best=float(best),
        median=float(np.median(runs)),
        low=float(low),
        high=float(high),
        lowest=float(runs.min()),
        highest=float(runs.max()),
        least=least,
        most=most,
        alike=bool(alike),
    )


def _with_power(line: Line, run: StudyRun, control: str) -> Line:
    """The same line, which says nothing where the control does not learn the task: then the budget is too small for it."""
    if line.measured is None:
        return line
    cell = {name: value for name, value in line.row.cell.items() if name not in ("depth", "model")}
    learned = False
    for name, data in run.cells.items():
        named = parts(name)
        if named.get("model") == control and all(
            _same(key, named.get(key, str(value)), str(value)) for key, value in cell.items()
        ):
            whole = data[LEARNED].median("seed").to_numpy() if LEARNED in data else np.zeros(1)
            learned = learned or bool((whole >= ENOUGH).any())
    return dataclasses.replace(line, measured=dataclasses.replace(line.measured, power=learned))


def _limits(runs: np.ndarray, row: Row, others: int) -> tuple[float, float]:
    """Between which numbers a published statistic of fresh runs lies; of a mean nothing is known without a law."""
    if row.statistic == "mean":
        return -math.inf, math.inf
    count = 1 if row.statistic == "single" else others
    middle = (count + 1) // 2, count // 2 + 1
    best = count if sign(row.metric) > 0 else 1
    low, high = middle if row.statistic == "median" else (best, best)
    return prediction_limits(runs, count, low)[0], prediction_limits(runs, count, high)[1]


def _place(row: Row, named: Mapping[str, str], cell: xr.Dataset, configuration: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where in a cell a published number belongs; None where the cell is another, or has other dimensions."""
    if row.metric not in cell:
        return None
    place = {}
    for axis, value in row.cell.items():
        if axis in cell.coords and axis in cell[row.metric].dims:
            if value not in cell[axis].to_numpy().tolist():
                return None
            place[axis] = value
        elif not _same(axis, named.get(axis, str(configuration.get(axis))), str(value)):
            return None
    return place if {*cell[row.metric].dims} == {"seed", *place} else None


def _same(axis: str, one: str, other: str) -> bool:
    """Whether a value of an axis is another one; groups are the same where they are isomorphic."""
    return one == other or (axis == "group" and same_group(one, other))


@cache
def same_group(one: str, other: str) -> bool:
    """Whether two names are names of one group."""
    try:
        return isomorphism(group(one), group(other)) is not None
    except ValueError:  # no group has this name, or it is too large to ask
        return False


def table(lines: Sequence[Line], ceilings: Sequence[float | None] = ()) -> tuple[list[list[str]], str]:
    """A row for each published number that was measured, none where none was; the first row names the columns.

    What all rows have in common is no column: the second part says it, as "model transformer, metric error_1x". `ceilings` has
    a number or None for every line, and a column where any is known.
    """
    given = list(ceilings) or [None] * len(lines)
    if all(line.measured is None for line in lines):
        return [], "no published number has a cell in this run"
    found = [(line, line.measured, top) for line, top in zip(lines, given, strict=True) if line.measured is not None]
    said = [_said(line.row) for line, _, _ in found]
    names = list(dict.fromkeys(name for one in said for name in one))
    common = {name for name in names if len({one.get(name, "") for one in said}) == 1}
    left = [name for name in names if name not in common]
    topped = any(top is not None for _, _, top in found)
    rows = [[*left, "published", "best", "median", "fresh runs", "difference", *["one layer"] * topped]]
    for (line, runs, top), one in zip(found, said, strict=True):
        numbers = [
            f"{line.row.value:.3g}",
            f"{runs.best:.3g}",
            f"{runs.median:.3g}",
            _interval(runs),
            f"{line.difference:+.3g}",
        ]
        rows.append([one.get(name, "") for name in left] + numbers + ["–" if top is None else f"{top:.3g}"] * topped)
    return rows, ", ".join(f"{name} {said[0][name]}" for name in names if name in common)


def _interval(runs: Measured) -> str:
    """Where a published number of the same law would lie, in words."""
    if not runs.power:
        return "no power"
    if not runs.alike:
        return "another width"
    if not np.isfinite([runs.least, runs.most]).any():
        return "too few runs"
    if not np.isfinite(runs.most):
        return f"from {runs.least:.3g}"
    return f"to {runs.most:.3g}" if not np.isfinite(runs.least) else f"{runs.least:.3g} to {runs.most:.3g}"


def _said(row: Row) -> dict[str, str]:
    """What names a published number, in words."""
    named = {name: str(value) for part in (row.cell, row.more) for name, value in part.items()}
    return named | {"metric": row.metric, "statistic": row.statistic}


def summary(published: Published, lines: Sequence[Line], ceilings: Sequence[float | None] = ()) -> dict[str, Any]:
    """The comparison as JSON values: small enough to be committed, where weights and curves are not."""
    return {
        "study": published.study,
        "source": published.source,
        "rows": [
            dict(line.row.cell)
            | dict(line.row.more)
            | {"metric": line.row.metric, "statistic": line.row.statistic, "published": line.row.value}
            | {"standing": line.row.standing, "difference": line.difference, "inside": line.inside}
            | {"one_layer": top}
            | {"measured": None if line.measured is None else _finite(plain(dataclasses.asdict(line.measured)))}
            for line, top in zip(lines, ceilings or [None] * len(lines), strict=True)
        ],
    }


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """The values with null where a number is infinite, which JSON cannot say."""
    return {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()}

"""Published numbers beside measured ones: matched by the study's axes, with the spread over seeds and the settings that differ.

An axis of a study is a dimension of a cell's data, a part of the cell's name, or a setting of the whole run. Where several
cells of a run match a row (widths, rates, batches), those that have the row's own width come first. Of these the cell that did
best on validation words is taken, for each depth, or the one that did best on the test words where the caller selects as some
papers did. What is compared was measured on test words, once.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from depthjax.runs.records import plain
from depthjax.verify.seeds import median_limits
from experiments.studies.curves import chosen, measured, metrics, parts, sign
from experiments.studies.published import Published, Row
from experiments.studies.trained import StudyRun


@dataclasses.dataclass(frozen=True)
class Measured:
    """What the seeds of one cell and depth found."""

    seeds: int
    best: float
    median: float
    low: float
    high: float

    def of(self, statistic: str) -> float:
        """The number that a published statistic is held against: the best run for "best", else the median."""
        return self.best if statistic == "best" else self.median


@dataclasses.dataclass(frozen=True)
class Line:
    """A published number and what was measured in its place; None where the run has no such cell."""

    row: Row
    measured: Measured | None

    @property
    def difference(self) -> float | None:
        """Measured less published."""
        return None if self.measured is None else self.measured.of(self.row.statistic) - self.row.value

    @property
    def inside(self) -> bool | None:
        """Whether the published number lies in the interval of the measured median; None where there is no interval."""
        if self.measured is None or not np.isfinite(self.measured.low):
            return None
        return self.measured.low <= self.row.value <= self.measured.high


def compare(published: Published, run: StudyRun, selection: str = "validation") -> list[Line]:
    """One line for every published number, in the order of the file; `selection` names the words that choose among cells."""
    return [Line(row, _measured(row, run, selection)) for row in published.rows]


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
    """Return how many published numbers lie outside the interval of the measured median and which is farthest, in one sentence.

    It is empty where no interval is known.
    """
    judged = [line for line in lines if line.inside is not None]
    if not judged:
        return ""
    wrong = [line for line in judged if not line.inside]
    said = f"{len(wrong)} of {len(judged)} published numbers lie outside the interval of the measured median"
    if not wrong:
        return said
    far = max(wrong, key=lambda line: abs(line.difference or 0.0))
    where = ", ".join(f"{name} {value}" for name, value in {**far.row.cell, **far.row.more}.items())
    return f"{said}; the largest of their differences is {far.difference:+.3g}, at {where}"


def settings(published: Published, run: StudyRun, selection: str = "validation") -> Iterator[tuple[str, Any, Any]]:
    """Settings that differ: name, published, here. Only those that the paper's file names and a sweep has."""
    flat = dict(run.configuration) | run.configuration.get("recipe", {}) | {"selection": selection}
    for name, there in published.setup.items():
        if name in flat and flat[name] != there:
            yield name, there, flat[name]


def _measured(row: Row, run: StudyRun, selection: str) -> Measured | None:
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
    return Measured(runs.size, float(best), float(np.median(runs)), float(low), float(high))


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
        elif named.get(axis, str(configuration.get(axis))) != str(value):
            return None
    return place if {*cell[row.metric].dims} == {"seed", *place} else None


def table(lines: Sequence[Line]) -> tuple[list[list[str]], str]:
    """A row for each published number that was measured; the first row names the columns.

    What all rows have in common is no column: the second part says it, as "model transformer, metric error_1x".
    """
    found = [(line, line.measured) for line in lines if line.measured is not None]
    said = [_said(line.row) for line, _ in found]
    names = list(dict.fromkeys(name for one in said for name in one))
    common = {name for name in names if len({one.get(name, "") for one in said}) == 1}
    left = [name for name in names if name not in common]
    rows = [[*left, "published", "best", "median", "interval", "difference"]]
    for (line, runs), one in zip(found, said, strict=True):
        interval = "–" if line.inside is None else f"{runs.low:.3g} to {runs.high:.3g}"
        numbers = [f"{line.row.value:.3g}", f"{runs.best:.3g}", f"{runs.median:.3g}", interval, f"{line.difference:+.3g}"]
        rows.append([one.get(name, "") for name in left] + numbers)
    return rows, ", ".join(f"{name} {said[0][name]}" for name in names if name in common)


def _said(row: Row) -> dict[str, str]:
    """What names a published number, in words."""
    named = {name: str(value) for part in (row.cell, row.more) for name, value in part.items()}
    return named | {"metric": row.metric, "statistic": row.statistic}


def summary(published: Published, lines: Sequence[Line]) -> dict[str, Any]:
    """The comparison as JSON values: small enough to be committed, where weights and curves are not."""
    return {
        "study": published.study,
        "source": published.source,
        "rows": [
            dict(line.row.cell)
            | dict(line.row.more)
            | {"metric": line.row.metric, "statistic": line.row.statistic, "published": line.row.value}
            | {"standing": line.row.standing, "difference": line.difference, "inside": line.inside}
            | {"measured": None if line.measured is None else plain(dataclasses.asdict(line.measured))}
            for line in lines
        ],
    }

"""Published numbers beside measured ones: matched by the study's axes, with the spread over seeds and the settings that differ.

An axis of a study is a dimension of a cell's data, a part of the cell's name, or a setting of the whole run. Where several
cells of a run match a row (widths, rates, batches), those that have the row's own width come first. Of these the cell that did
best on validation words is taken, for each depth, or the one that did best on the test words where the caller selects as some
papers did. What is compared was measured on test words, once.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from depthjax.runs.records import RecordError, load, plain
from depthjax.verify.seeds import median_limits
from experiments.studies.published import Published, Row

LOWER = ("error", "mse", "loss")  # metrics of which less is better, by the start of their names


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


@dataclasses.dataclass(frozen=True)
class Training:
    """A run of `depthjax sweep` on disk: its configuration, and the cells with what their names say."""

    configuration: Mapping[str, Any]
    cells: tuple[tuple[Mapping[str, str], xr.Dataset], ...]


def training(directory: Path) -> Training:
    """Read a sweep's directory.

    Raises:
        RecordError: The directory is not one of a sweep, holds no finished cell, or a cell of it is damaged.
    """
    file = directory / "configuration.json"
    try:
        configuration = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise RecordError(f"{directory} is not a sweep's directory: cannot read {file.name} ({error})") from error
    files = sorted((directory / "cells").glob("*.nc"))
    if not isinstance(configuration, dict) or not files:
        raise RecordError(f"{directory} holds no finished cell of a sweep: run depthjax sweep first, or --resume it")
    return Training(configuration, tuple((_named(file.stem), _dataset(file)) for file in files))


def compare(published: Published, run: Training, selection: str = "validation") -> list[Line]:
    """One line for every published number, in the order of the file; `selection` names the words that choose among cells."""
    return [Line(row, _measured(row, run, selection)) for row in published.rows]


def unpublished(published: Published, run: Training) -> list[str]:
    """Names of the cells of a run that no published number speaks of."""
    return [
        ",".join(f"{key}={value}" for key, value in named.items())
        for named, data in run.cells
        if all(_values(row, named, data, run.configuration) is None for row in published.rows)
    ]


def settings(published: Published, run: Training, selection: str = "validation") -> Iterator[tuple[str, Any, Any]]:
    """Settings that differ: name, published, here. Only those that the paper's file names and a sweep has."""
    flat = dict(run.configuration) | run.configuration.get("recipe", {}) | {"selection": selection}
    for name, there in published.setup.items():
        if name in flat and flat[name] != there:
            yield name, there, flat[name]


def _measured(row: Row, run: Training, selection: str) -> Measured | None:
    known = [(named, found) for named, data in run.cells if (found := _values(row, named, data, run.configuration)) is not None]
    if not known:
        return None
    alike = [
        found for named, found in known if all(named.get(key, str(value)) == str(value) for key, value in row.more.items())
    ]
    sign = -1 if row.metric.startswith(LOWER) else 1
    found = alike or [found for _, found in known]
    _, runs = max(found, key=lambda pair: pair[0] if selection == "validation" else sign * float(np.median(pair[1])))
    low, high = median_limits(runs)
    best = sign * (sign * runs).max()
    return Measured(runs.size, float(best), float(np.median(runs)), float(low), float(high))


def _values(
    row: Row, named: Mapping[str, str], data: xr.Dataset, configuration: Mapping[str, Any]
) -> tuple[float, np.ndarray] | None:
    """How a cell did on validation words at the row's depth, and the metric of its seeds; None where the cell is another."""
    if row.metric not in data:
        return None
    place = {}
    for axis, value in row.cell.items():
        if axis in data.coords and axis in data[row.metric].dims:
            if value not in data[axis].to_numpy().tolist():
                return None
            place[axis] = value
        elif named.get(axis, str(configuration.get(axis))) != str(value):
            return None
    runs = data[row.metric].sel(place)
    if runs.dims != ("seed",):
        return None
    return _validated(data, place), runs.to_numpy().astype(float)


def _validated(data: xr.Dataset, place: Mapping[str, Any]) -> float:
    """The median over seeds of the last validation score; a loss counts as its negative."""
    names = [str(name) for name in data.data_vars if str(name).startswith("validation_")]
    if not names:
        return -float(data["loss"].sel(_known(data["loss"], place)).isel(step=-1).median())
    name = next((name for name in names if "sequence" in name), names[0])
    last = float(data[name].sel(_known(data[name], place)).isel(step=-1).median())
    return -last if name.removeprefix("validation_").startswith(LOWER) else last


def _known(values: xr.DataArray, place: Mapping[str, Any]) -> dict[str, Any]:
    return {axis: value for axis, value in place.items() if axis in values.dims}


def _named(stem: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in stem.split(",") if "=" in part)


def _dataset(file: Path) -> xr.Dataset:
    try:
        return load(file)
    except Exception as error:  # a file can be damaged in more ways than its readers have names for
        raise RecordError(f"{file} is damaged ({type(error).__name__}): remove it and run depthjax sweep --resume") from error


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

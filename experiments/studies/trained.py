"""What a sweep trained: the configuration and the cells of its directory, or the tests of a study that stand in this folder.

The tests of the reduced studies are kept in ``reduced/NAME.json``: the configuration, and of every cell the numbers of all
seeds on test words with the last ones on validation words, without curves and weights.
``python -m experiments.studies.trained NAME RUN`` writes such a file from the directory of ``depthjax sweep --study NAME``.
"""

import argparse
import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.files import look, read
from depthjax.runs.records import RecordError, load, plain, save_text
from depthjax.runs.schema import MAX_SETTINGS, read_json
from experiments.studies.configuration import Sweep
from experiments.studies.curves import parts
from experiments.studies.reading import paper
from experiments.studies.schema import named
from experiments.studies.tasks import TASKS

FOLDER = Path(__file__).parent / "reduced"
DIGITS = 5  # of a number that is kept: a test has at most some thousands of words
NAMED = ("model", "width", "rate", "batch")  # parts of the name of a cell, beside what it follows
AXES = ("depth", "seed", "step")
# key of a configuration, what it must be, and that in words
CONFIGURED: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("task", lambda task: isinstance(task, str) and task in TASKS, f"one of {', '.join(TASKS)}"),
    ("seeds", lambda seeds: type(seeds) is int and seeds > 0, "a number of seeds"),
    ("recipe", lambda recipe: isinstance(recipe, dict), "a table"),
)
NEEDED = ("task", "seeds", "recipe")  # of a configuration, to be read
LEFT_OUT = ("position", "steps")  # starts of names that no table and no figure of a study shows


@dataclasses.dataclass(frozen=True)
class StudyRun:
    """Trained cells by name, such as "group=S3,model=aussm,width=16,rate=0.01,batch=32", with the configuration they share."""

    configuration: Mapping[str, Any]
    cells: Mapping[str, xr.Dataset]


def training(directory: Path) -> StudyRun:
    """Read a sweep's directory.

    Raises:
        RecordError: The directory is not one of a sweep, holds no finished cell, or a cell of it is damaged.
    """
    file = directory / "configuration.json"
    try:
        configuration = read_json(read(file, MAX_SETTINGS, directory))
        look(directory, directory / "cells")
    except (OSError, ValueError) as error:
        raise RecordError(f"{directory} is not a sweep's directory: cannot read {file.name} ({error})") from error
    if isinstance(configuration, dict) and (lacking := [key for key in NEEDED if key not in configuration]):
        raise RecordError(f"{file} lacks {', '.join(lacking)}: it is not what a sweep wrote; run the sweep again")
    files = sorted((directory / "cells").glob("*.nc"))
    if isinstance(configuration, dict):
        for key, fine, expected in CONFIGURED:
            if not fine(configuration[key]):
                raise RecordError(f"{file} says {key} = {configuration[key]!r:.60}, expected {expected}: no sweep wrote it")
    if not isinstance(configuration, dict) or not files:
        raise RecordError(f"{directory} holds no finished cell of a sweep: run depthjax sweep first, or --resume it")
    return StudyRun(configuration, {file.stem: _dataset(file, directory) for file in files})


def committed() -> list[str]:
    """Names of the studies whose reduced setting was run."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


def reduced(name: str) -> StudyRun:
    """Read what the reduced setting of a study gave.

    Raises:
        SweepError: It is not there; the nearest name is suggested.
    """
    named("study", name, committed())
    content = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    # a key that is younger than the run has its default
    configuration = {**json.loads(json.dumps(dataclasses.asdict(Sweep()))), **content["configuration"]}
    return StudyRun(configuration, {cell: xr.Dataset.from_dict(data) for cell, data in content["cells"].items()})


def keep(name: str, run: StudyRun) -> Path:
    """Write the tests of a finished study into this folder, and return the file.

    Raises:
        RecordError: The run is not of the study's reduced setting, or lacks a cell of it.
    """
    sweep = paper(name).sweep("reduced")
    if run.configuration != json.loads(json.dumps(dataclasses.asdict(sweep))):
        raise RecordError(f"this run is not of the reduced setting of {name}: its configuration is another one")
    if missing := sorted(set(sweep.studies()) - set(run.cells)):
        raise RecordError(f"{len(missing)} cells of {name} are not finished, such as {missing[0]}")
    cells = {cell: _tests(run.cells[cell]) for cell in sweep.studies()}
    FOLDER.mkdir(exist_ok=True)
    save_text(file := FOLDER / f"{name}.json", json.dumps({"configuration": run.configuration, "cells": cells}) + "\n")
    return file


def _tests(cell: xr.Dataset) -> dict[str, Any]:
    """A cell as JSON values, with the last step of its curves."""
    last = cell.isel(step=[-1])
    left = [name for name in last.data_vars if any(part in str(name) for part in LEFT_OUT)]
    found = last.drop_vars(left).drop_attrs().to_dict()
    for variable in found["data_vars"].values():
        variable["data"] = _rounded(variable["data"])
    return plain(found)


def _rounded(values: Any) -> Any:
    if isinstance(values, list):
        return [_rounded(value) for value in values]
    return float(np.format_float_positional(values, DIGITS, fractional=False)) if isinstance(values, float) else values


def _dataset(file: Path, root: Path) -> xr.Dataset:
    try:
        found = load(file, root)
    except Exception as error:  # a file can be damaged in more ways than its readers have names for
        raise RecordError(f"{file} is damaged ({type(error).__name__}): remove it and run depthjax sweep --resume") from error
    if lacking := _lacking(file.stem, found):
        raise RecordError(f"{file} is no cell of a sweep: {lacking}; remove it and run depthjax sweep --resume")
    return found


def _lacking(name: str, cell: xr.Dataset) -> str:
    """What a dataset lacks of a cell: a name of five parts, curves over depth, seed and step, and tests of numbers."""
    known = parts(name)
    if len(known) != 1 + len(NAMED) or not set(NAMED) <= set(known):
        return f"its name is not what it follows, and {', '.join(NAMED)}"
    if any(not cell.sizes.get(axis) for axis in AXES) or "loss" not in cell or cell["loss"].dims != AXES:
        return f"it has no loss over {', '.join(AXES)}"
    if not {"depth", "step"} <= set(cell.coords) or not all(dtypes.is_integer(cell[axis].dtype) for axis in ("depth", "step")):
        return "its depths and steps are no whole numbers"
    if any(
        dtypes.number(values.dtype) not in (bool, int, float) or values.dims[:2] != AXES[:2]
        for values in cell.data_vars.values()
    ):
        return "what it holds is not numbers over depth and seed"
    return ""


def main() -> None:
    """Keep the tests of a run."""
    parser = argparse.ArgumentParser(prog="python -m experiments.studies.trained", description=__doc__)
    parser.add_argument("name", help="the study")
    parser.add_argument("run", type=Path, help="the directory of depthjax sweep --study NAME")
    asked = parser.parse_args()
    print(keep(asked.name, training(asked.run)))


if __name__ == "__main__":
    main()

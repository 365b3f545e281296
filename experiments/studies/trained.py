"""What a sweep trained: the configuration and the cells of its directory, or the tests of a study that stand in this folder.

The tests of reduced studies are kept in ``reduced/NAME.json``, those of another setting in ``reduced/NAME.SETTING.json``: the
configuration, and of every cell the numbers of all seeds on test words with the last ones on validation words, without curves
and weights. ``python -m experiments.studies.trained NAME RUN`` writes such a file from the directory of
``depthjax sweep --study NAME``; with ``--setting SETTING`` it is one of that setting.
"""

import argparse
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.files import look, read
from depthjax.runs.records import RecordError, load, plain, save_text
from depthjax.runs.schema import MAX_SETTINGS, read_json
from experiments.studies.configuration import Sweep, SweepError
from experiments.studies.curves import parts
from experiments.studies.reading import paper
from experiments.studies.schema import named
from experiments.studies.tasks import TASKS

FOLDER = Path(__file__).parent / "reduced"
REDUCED = "reduced"  # the setting that is meant where none is named
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
    """Trained cells by name, such as "group=S3,model=aussm,width=16,rate=0.01,batch=32", with the configuration they share.

    Attributes:
        configuration: What was asked.
        cells: Curves and tests by name.
        hours: Hours of one core that the training took; None where nobody noted them.
    """

    configuration: Mapping[str, Any]
    cells: Mapping[str, xr.Dataset]
    hours: float | None = None


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
        claims = (directory / "run.json").is_file() and not file.exists()
        hint = f"; it is a run of claims, which `depthjax report {directory}` shows" if claims else ""
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise RecordError(f"{directory} is not a sweep's directory: cannot read {file.name} ({why}){hint}") from error
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


def committed(setting: str = REDUCED) -> list[str]:
    """Names of the studies of which a run of this setting is kept."""
    return sorted(study for study, own in _files() if own == setting)


def settings_of(name: str) -> list[str]:
    """The settings of a study of which a run is kept, the reduced one first."""
    return sorted((own for study, own in _files() if study == name), key=lambda own: (own != REDUCED, own))


def kept(name: str, setting: str = REDUCED) -> StudyRun:
    """Read what a setting of a study gave.

    Raises:
        SweepError: It is not there; the nearest name is suggested.
    """
    named("study", name, sorted({study for study, _ in _files()}))
    named(f"setting of {name} with a run", setting, settings_of(name))
    content = json.loads(_file(name, setting).read_text(encoding="utf-8"))
    # a key that is younger than the run has its default
    configuration = {**json.loads(json.dumps(dataclasses.asdict(Sweep()))), **content["configuration"]}
    cells = {cell: xr.Dataset.from_dict(data) for cell, data in content["cells"].items()}
    return StudyRun(configuration, cells, content.get("hours"))


def keep(name: str, runs: Sequence[StudyRun], setting: str = REDUCED) -> Path:
    """Write the tests of a finished study into this folder, and return the file.

    A cell is taken from the first of the runs that trained it, from the same seed and on the same terms; what other cells the
    run had does not matter, because a cell has keys of its own. So a setting in which one group changes asks for the cells of
    that group alone: what is kept already counts as the last run.

    Raises:
        SweepError: The study has no such setting.
        RecordError: No run trained some cell of it.
    """
    sweep = paper(name).sweep(setting)
    asked = json.loads(json.dumps(dataclasses.asdict(sweep)))
    every = [*runs, *([kept(name, setting)] if setting in settings_of(name) else [])]
    cells, missing, hours = {}, [], {}
    for cell in sweep.studies():
        same = (run for run in every if cell in run.cells and _terms(run.configuration, cell) == _terms(asked, cell))
        if (run := next(same, None)) is None:
            missing.append(cell)
        else:
            cells[cell], hours[id(run)] = _tests(run.cells[cell]), run.hours
    if missing:
        told = f"{len(missing)} cells of the setting {setting} of {name} are in no run on its terms, such as {missing[0]}"
        raise RecordError(f"{told}; run depthjax sweep --study {name} --setting {setting}, or --resume it")
    known = [taken for taken in hours.values() if taken is not None]
    content = {"configuration": asked} | ({"hours": sum(known)} if len(known) == len(hours) else {}) | {"cells": cells}
    FOLDER.mkdir(exist_ok=True)
    save_text(file := _file(name, setting), json.dumps(content) + "\n")
    return file


def _terms(configuration: Mapping[str, Any], cell: str) -> dict[str, Any]:
    """What a run says of one of its cells, beside its name: all but the lists that are crossed and what other cells have."""
    named = parts(cell)
    follows = next(iter(named.values()))
    lists = {task.key for task in TASKS.values()} | {"models", "widths", "learning_rates", "batches"}
    own = {key: value for key, value in configuration.items() if key not in lists}
    letters, known = configuration.get("letters", {}), configuration.get(TASKS[configuration["task"]].key, [])
    own["letters"] = letters.get(follows) if follows in known else letters  # a long name is shortened
    own["switches"] = configuration.get("switches", {}).get(named["model"], {})
    return own


def _files() -> list[tuple[str, str]]:
    """Study and setting of every run that is kept; no name of either has a dot."""
    parted = [file.stem.partition(".") for file in FOLDER.glob("*.json")]
    return [(study, setting or REDUCED) for study, _, setting in parted]


def _file(name: str, setting: str) -> Path:
    return FOLDER / (f"{name}.json" if setting == REDUCED else f"{name}.{setting}.json")


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
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="the directory of depthjax sweep --study NAME")
    parser.add_argument("--setting", default=REDUCED, help="the setting of the study that was run")
    parser.add_argument("--hours", type=float, help="hours of one core that the training took")
    asked = parser.parse_args()
    try:
        found = [training(run) for run in asked.runs]
        found[0] = dataclasses.replace(found[0], hours=asked.hours)
        print(keep(asked.name, found, asked.setting))
    except (RecordError, SweepError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()

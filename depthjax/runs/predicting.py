"""The process that predicts: it runs ``claim.py`` and theory, and never JAX."""

import dataclasses
import importlib
import itertools
import numbers
import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from depthjax.runs import noting, rooms
from depthjax.runs.guards import BorderError, Guard
from depthjax.runs.guest import guest
from depthjax.runs.stated import NoCell, Stated, StatedTrial
from depthjax.verify.cell import Cell
from depthjax.verify.data import NUMBERS, WANTED, unfit
from depthjax.verify.experiment import Experiment
from depthjax.verify.grid import Grid
from depthjax.verify.prediction import Prediction
from depthjax.verify.trials import Control, Said
from depthjax.verify.verdict import Verdict


class Predicting:
    """Answers what the judge asks of ``claim.py``."""

    def __init__(self) -> None:
        self.guard = Guard("predict")
        noting.install()

    def state(self, room: str, size: str, seed: int, only: str, place: Mapping[str, Any]) -> Stated:
        """Return what a claim states of the cells of a grid.

        Args:
            room: The claim's module.
            size: Of the grid.
            seed: Of the run.
            only: Name of the only cell that is asked for; empty for all.
            place: The arguments of `depthjax.runs.rooms.enter`.
        """
        start, folder = time.monotonic(), rooms.enter(room, **place)
        with guest(), self.guard.watching(folder):
            experiment = Experiment.of(importlib.import_module(room))
            chosen = sorted(cell.name for cell in experiment.grids[size].cells())
            if not chosen:
                raise ValueError(f"the {size} grid has no cells")
            if twice := [name for name, following in itertools.pairwise(chosen) if name == following]:
                raise ValueError(f"the {size} grid has the cell {twice[0]!r} twice: it would be the same measurement again")
            cells = experiment.cells(size, seed)
            if only and only not in (names := [cell.name for cell in cells]):
                raise NoCell(f"{experiment.claim.slug} has no cell {only!r}; it has {', '.join(names)}")
            cells = tuple(cell for cell in cells if only in ("", cell.name))
            given, noted = [], []
            for cell in cells:
                with noting.noting() as notes:
                    given.append(experiment.given(cell, seed))
                noted.append(tuple(notes))
            said = [plain(experiment.said(cell, one)) for cell, one in zip(cells, given, strict=True)]
            found = Stated(
                grid=repr(experiment.grids[size]),
                domain=tuple(experiment.domain.sentences()) if experiment.domain else (),
                axes=type(cells[0]).axes(),
                cells=tuple(_crossing(cell, folder) for cell in cells),
                chosen=sum(not cell.is_drawn for cell in cells),
                given=tuple(_fit(one, folder, "objects") for one in given),
                said=tuple(said),
                trials=tuple(self._trial(one, experiment, cells, given, said, seed, folder) for one in experiment.trials),
                definitions=experiment.definitions,
                reads=experiment.reads,
                noted=tuple(tuple((words, _number(value)) for words, value in notes) for notes in noted),
                seconds=0.0,
            )
        return dataclasses.replace(found, seconds=time.monotonic() - start)

    def draw(self, room: str, stated: Stated, content: bytes, verdict: Verdict, place: Mapping[str, Any]) -> str:
        """Return the figure of a claim as SVG, from its measurements as the content of a file."""
        from depthjax.figures.plots import figure
        from depthjax.runs.records import unpacked

        folder = rooms.enter(room, **place)
        with guest(), self.guard.watching(folder, files=False):
            experiment = Experiment.of(importlib.import_module(room))
            falsehoods = [trial.said[: stated.chosen] for trial in stated.trials]
            findings = tuple(finding for finding in verdict.findings if finding.cell < stated.chosen)
            shown = dataclasses.replace(verdict, findings=findings)
            return figure(experiment, stated.said[: stated.chosen], falsehoods, unpacked(content), shown)

    def _trial(
        self, one: Any, experiment: Experiment, cells: Any, given: Any, said: Any, seed: int, folder: Path
    ) -> StatedTrial:
        control = one if isinstance(one, Control) else None
        objects = control.objects if control else None
        instead = None
        if objects is not None:
            instead = tuple(_fit((experiment.made(objects, cell, seed),), folder, f"control {one.name!r}") for cell in cells)
        held = tuple(plain(one.said(own, cell, more)) for own, cell, more in zip(said, cells, given, strict=True))
        finds: tuple[Said, ...] = ()
        if control is not None:  # it is measured in the chosen cells that it speaks of
            spoken = [not cell.is_drawn and against is not None for cell, against in zip(cells, held, strict=True)]
            finds = tuple(
                plain(control.found(cell, more)) if speaks else None
                for cell, more, speaks in zip(cells, instead or given, spoken, strict=True)
            )
        return StatedTrial(
            kind="control" if control else "rival",
            name=one.name,
            statement=one.statement,
            everywhere=one.everywhere,
            measure=str(control.measure or "") if control else "",
            measured=bool(control and control.own_measurement),
            apart=bool(control and (control.own_measurement or control.instead)),
            predicts=one.predict is not None,
            said=held,
            finds=finds,
            given=instead,
        )


def plain(said: Said) -> Said:
    """Return predictions with numbers of Python and numpy alone: those of other packages become what they are equal to."""
    return None if said is None else tuple(_plain(prediction) for prediction in said)


def _plain(prediction: Prediction) -> Prediction:
    names = ("value", "constant", "constant_resolution", "resolution", "truncation", "skewness")
    changed = dataclasses.replace(prediction, **{name: _number(getattr(prediction, name)) for name in names})
    for name in names:
        if why := unfit(getattr(changed, name), name):
            raise BorderError(f"the prediction of {prediction.of!r}: {why}; {WANTED}")
    if why := _unreal(changed):
        raise ValueError(f"the prediction of {prediction.of!r} {why}")
    return changed


def _unreal(prediction: Prediction) -> str:
    """Why a value is no array of real numbers over its axes, as a run stores them; empty if it is one."""
    try:
        value = prediction.exact().to_numpy()
    except ValueError as error:
        return f"is no array over the axes dims = {prediction.dims}: {error}"
    kinds = value.flat if value.dtype == object else value.flat[:1]
    wrong = [one for one in kinds if not isinstance(one, numbers.Real | np.bool_)]
    return f"holds {wrong[0]!r:.60}: predict real numbers, and both parts of a complex one" if wrong else ""


def _number(value: Any) -> Any:
    if type(value) in NUMBERS or value is None or isinstance(value, np.generic):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype != object:
            return np.asarray(value)
        numbered = np.empty(value.shape, dtype=object)
        for index, one in np.ndenumerate(value):
            numbered[index] = _number(one)
        return numbered
    if isinstance(value, list | tuple):
        return tuple(_number(one) for one in value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, numbers.Real):
        return float(value)
    return complex(value) if isinstance(value, numbers.Complex) else value


def _fit(given: tuple, folder: Path, what: str) -> tuple:
    for value in given:
        if why := unfit(value):
            raise BorderError(f"{folder / 'claim.py'}: of what {what} hands over, {why}; {WANTED}")
    return given


def _crossing(cell: Grid, folder: Path) -> Cell:
    for name in type(cell).__dataclass_fields__:
        if why := unfit(getattr(cell, name), name):
            raise BorderError(f"{folder / 'claim.py'}: of the cell {cell.name}, {why}; {WANTED}")
    return Cell.of(cell)

"""The cells of one claim in one run: predicted first, measured once, each on disk before the next one starts.

The randomness of a cell follows from the seed, the claim's slug and the cell's name alone, so a result does not depend on what
else ran, or where.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import jax
import xarray as xr

from depthjax.runs.border import check_objects, measuring
from depthjax.runs.datasets import over_cells
from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import Seconds, numerics, timed
from depthjax.runs.records import RecordError, RunDirectory
from depthjax.runs.stored import keep, kept
from depthjax.verify.experiment import Experiment
from depthjax.verify.grid import Grid
from depthjax.verify.rehearsal import hopeless, seeds_of
from depthjax.verify.trials import Control, Rival, Said

Progress = Callable[[int, int], None]
Warn = Callable[[str], None]


def cell_key(seed: int, slug: str, name: str, *more: str) -> jax.Array:
    """Return the key of a cell; ``more`` names a part of the cell that draws its own numbers, such as a control."""
    key = jax.random.key(seed)
    for part in (slug, name, *more):
        key = jax.random.fold_in(key, int.from_bytes(hashlib.sha256(part.encode()).digest()[:4], "big"))
    return key


class Cells:
    """The cells of one claim in one run, each measured once and kept on disk."""

    def __init__(self, experiment: Experiment, run: RunDirectory, progress: Progress, warn: Warn):
        self.experiment, self.claim, self.run, self.progress = experiment, experiment.claim, run, progress
        self.module, self.warn, self.seconds = experiment.module, warn, Seconds()
        self.slug = experiment.claim.slug
        self.cells: tuple[Grid, ...] = experiment.grids[run.settings.size].cells()
        if not self.cells:
            raise ValueError(f"the {run.settings.size} grid has no cells")
        with timed() as spent:
            seed, made = run.settings.seed, experiment.made
            self.given = [experiment.given(cell, seed) for cell in self.cells]
            of_controls = {control.name: control.objects for control in experiment.controls if control.objects}
            self.instead = {name: [(made(objects, c, seed),) for c in self.cells] for name, objects in of_controls.items()}
        self._add(spent)
        self.crossing = [experiment.crossing(cell) for cell in self.cells]
        self.done, self.total = 0, len(self.cells)
        self.among: dict[str, Sequence[int]] = {}  # of which cells a control with a measurement of its own speaks

    def predictions(self) -> list[Said]:
        """What the claim predicts of each cell; the objects that a measurement is given must hold none of it."""
        with timed() as spent:
            said = [self.experiment.said(cell, given) for cell, given in zip(self.cells, self.given, strict=True)]
        self._add(spent)
        for given in (self.given, *self.instead.values()):
            for cell, one, predictions in zip(self.cells, given, said, strict=True):
                check_objects(self.experiment, cell, one, predictions)
        return said

    def falsehoods(self, trial: Control | Rival, predictions: Sequence[Said]) -> list[Said]:
        """What a control or a rival says of each cell. A control with a measurement of its own is measured where it speaks."""
        with timed() as spent:
            cells = zip(predictions, self.cells, self.given, strict=True)
            said = [trial.said(own, cell, given) for own, cell, given in cells]
        self._add(spent)
        if isinstance(trial, Control) and trial.own_measurement:
            self.among[trial.name] = [index for index, one in enumerate(said) if one is not None]
            self.total += len(self.among[trial.name])
        return said

    def hopeless(self, predictions: Sequence[Said], falsehoods: Sequence[Sequence[Said]]) -> str:
        """Why no measurement could support the claim; empty if one could."""
        seeds = seeds_of(self.cells)
        return "" if seeds is None else hopeless(self.claim, predictions, seeds, falsehoods)

    def measure(self, control: Control | None = None) -> xr.Dataset:
        """The claim's cells over the dimension ``cell``, or those of a control that has a measurement of its own."""
        indices = self._of(control)
        return over_cells(self._measured(indices, control), [self.cells[index] for index in indices])

    def share(self, number: int, of: int) -> None:
        """Measure every cell of which the index leaves this remainder, of the claim and of its controls."""
        for control in (None, *(one for one in self.experiment.controls if one.own_measurement)):
            self._measured([index for index in self._of(control) if index % of == number], control)

    def _of(self, control: Control | None) -> Sequence[int]:
        return range(len(self.cells)) if control is None else self.among[control.name]

    def _measured(self, indices: Sequence[int], control: Control | None) -> list[xr.Dataset]:
        """The measurements of some cells; those that are on disk are kept."""
        own = None if control is None else control.measure
        function = self.experiment.measure if own is None or isinstance(own, str) else own
        name = () if control is None else (control.name,)
        given = self.given if control is None else self.instead.get(control.name, self.given)
        origins = self._origins(*name)
        files = {index: self._file(index, *name) for index in indices}
        datasets = self._stored(files, origins)
        if control is None:
            self.progress(self.done, self.total)
        for index in indices:
            cell = self.cells[index]
            if index not in datasets:
                key = cell_key(self.run.settings.seed, self.slug, cell.name, *name)
                with timed() as spent, measuring(self.experiment.module):
                    dataset = function(self.crossing[index], key, *given[index]).as_numpy()
                if "cell" in dataset.dims:
                    raise ValueError("a measurement is of one cell and has no dimension 'cell'")
                spent = {"seconds_compile": spent.compile, "seconds_run": spent.run}
                keep(files[index], dataset.assign_attrs(spent, slug=self.slug, cell=cell.name), origins[index], self.run.path)
                read, why = kept(files[index], origins[index], self.run.path)
                if read is None:
                    raise RecordError(f"{files[index]} was written and {why or 'is gone'}")
                datasets[index] = read
            attributes = datasets[index].attrs
            self._add(Seconds(float(attributes.pop("seconds_compile")), float(attributes.pop("seconds_run"))))
            self.done += 1
            self.progress(self.done, self.total)
        return [datasets[index] for index in indices]

    def _file(self, index: int, *control: str) -> Path:
        file = self.run.cell_file(self.slug, index, self.cells[index].name, *control)
        return self.run.file(str(file.relative_to(self.run.path)))

    def _origins(self, *control: str) -> list[dict[str, str]]:
        """What each cell is of, and what it comes from."""
        settings, source = self.run.settings, source_digest(self.module)
        shared = {"slug": self.slug, "control": "".join(control), "source": source, **numerics()}
        shared |= {"seed": str(settings.seed), "size": settings.size, "precision": settings.precision}
        return [shared | {"cell": cell.name} for cell in self.cells]

    def _stored(self, files: Mapping[int, Path], origins: Sequence[Mapping[str, str]]) -> dict[int, xr.Dataset]:
        """The cells that an earlier, broken run has left; one line for each reason not to use one."""
        found, useless = {}, {}
        for index, file in files.items():
            dataset, why = kept(file, origins[index], self.run.path)
            if dataset is not None:
                found[index] = dataset
            elif why:
                useless.setdefault(why, []).append(file)
        for why, those in useless.items():
            more = f" (and {len(those) - 1} more of {self.slug})" if len(those) > 1 else ""
            self.warn(f"{those[0]} {why}{more}: measured again")
        return found

    def _add(self, spent: Seconds) -> None:
        self.seconds.compile += spent.compile
        self.seconds.run += spent.run

"""The cells of one claim in one run: predicted first, measured once, each on disk before the next one starts.

The randomness of a cell follows from the seed, the claim's slug and the cell's name alone, so a result does not depend on what
else ran, or where. Nothing of the claim runs in this process: what it states comes from one process, what is measured from
another (`depthjax.runs.sides`).
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from depthjax.runs.border import check_objects, check_typed
from depthjax.runs.datasets import over_cells
from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import Seconds
from depthjax.runs.records import RecordError, RunDirectory, Settings
from depthjax.runs.sides import place, sides
from depthjax.runs.stated import StatedTrial
from depthjax.runs.stored import found, kept, put
from depthjax.verify.claim import Claim
from depthjax.verify.rehearsal import hopeless, seeds_of

Progress = Callable[[int, int], None]
Warn = Callable[[str], None]


def options(settings: Settings) -> dict:
    """Return what `configure` is told in every process that measures for a run."""
    return {"precision": settings.precision, "cache": True, "brief": settings.size in ("test", "quick")}


class Cells:
    """The cells of one claim in one run, each measured once and kept on disk."""

    def __init__(self, claim: Claim, module: str, run: RunDirectory, progress: Progress, warn: Warn):
        self.claim, self.module, self.run, self.progress, self.warn = claim, module, run, progress, warn
        self.slug, self.place, self.options = claim.slug, place(), options(run.settings)
        settings = run.settings
        self.stated = sides().predicting("state", module, settings.size, settings.seed, "", self.place)
        self.cells = self.stated.cells
        self.names = [cell.name for cell in self.cells]
        self.seconds = Seconds(run=self.stated.seconds)
        check_objects(module, self.stated)
        check_typed(module, self.stated)
        chosen = range(self.stated.chosen)
        self.among: dict[str, Sequence[int]] = {}  # of which chosen cells a control with a measurement of its own speaks
        for trial in self.stated.trials:
            if trial.measured:
                self.among[trial.name] = [index for index in chosen if trial.said[index] is not None]
        self.done, self.total = 0, len(self.cells) + sum(map(len, self.among.values()))
        self.numerics: dict[str, str] = {}

    def hopeless(self) -> str:
        """Why no measurement could support the claim; empty if one could."""
        seeds = seeds_of(self.cells)
        return "" if seeds is None else hopeless(self.claim, self.stated.said, seeds, [one.said for one in self.stated.trials])

    def measure(self, control: StatedTrial | None = None) -> xr.Dataset:
        """The chosen cells over the dimension ``cell``, or those of a control that has a measurement of its own."""
        indices = range(self.stated.chosen) if control is None else self.among[control.name]
        return over_cells(self._measured(indices, control), [self.cells[index] for index in indices], self.stated.axes)

    def drawn(self) -> list[xr.Dataset]:
        """The cells that were drawn from the claim's domain, each for itself: their axes need not be those of another."""
        indices = range(self.stated.chosen, len(self.cells))
        found = zip(indices, self._measured(indices, None), strict=True)
        return [dataset.expand_dims("cell").assign_attrs(cell_name=self.names[index]) for index, dataset in found]

    def share(self, number: int, of: int) -> None:
        """Measure every cell of which the index leaves this remainder, of the claim and of its controls."""
        for control in (None, *(one for one in self.stated.trials if one.measured)):
            indices = range(len(self.cells)) if control is None else self.among[control.name]
            self._measured([index for index in indices if index % of == number], control)

    def again(self, index: int) -> bytes:
        """Measure a cell whatever is on disk, and return the content of a file."""
        return self._content(index, None, {})

    def _measured(self, indices: Sequence[int], control: StatedTrial | None) -> list[xr.Dataset]:
        """The measurements of some cells; those that are on disk are kept."""
        name = () if control is None else (control.name,)
        origins = self._origins(*name)
        files = {index: self._file(index, *name) for index in indices}
        datasets = found(files, dict(enumerate(origins)), self.run.path, self.warn, again="measured again", of=self.slug)
        if not self.done:
            self.progress(self.done, self.total)
        for index in indices:
            if index not in datasets:
                put(files[index], self._content(index, control, origins[index]), self.run.path)
                read, why = kept(files[index], origins[index], self.run.path)
                if read is None:
                    raise RecordError(f"{files[index]} was written and {why or 'is gone'}")
                datasets[index] = read
            attributes = datasets[index].attrs
            self._add(Seconds(float(attributes.pop("seconds_compile")), float(attributes.pop("seconds_run"))))
            self.done += 1
            self.progress(self.done, self.total)
        return [datasets[index] for index in indices]

    def _content(self, index: int, control: StatedTrial | None, origin: Mapping[str, str]) -> bytes:
        """What the process that measures returns for a cell."""
        cell = self.cells[index]
        own = () if control is None else (control.name,)
        given = self.stated.given if control is None or control.given is None else control.given
        name = "measure" if control is None or not control.measure else control.measure
        key = self.run.settings.seed, self.slug, cell.name, *own
        arguments: tuple[Any, ...] = (self.module, name, cell, key, given[index], self.stated.reads)
        return sides().measuring("measure", *arguments, self.options, dict(origin), self.place)

    def _file(self, index: int, *control: str) -> Path:
        file = self.run.cell_file(self.slug, index, self.cells[index].name, *control)
        return self.run.file(str(file.relative_to(self.run.path)))

    def _origins(self, *control: str) -> list[dict[str, str]]:
        """What each cell is of, and what it comes from."""
        settings, source = self.run.settings, source_digest(self.module)
        self.numerics = self.numerics or sides().measuring("numerics", self.options)
        shared = {"slug": self.slug, "control": "".join(control), "source": source, **self.numerics}
        shared |= {"seed": str(settings.seed), "size": settings.size, "precision": settings.precision}
        return [shared | {"cell": cell.name} for cell in self.cells]

    def _add(self, spent: Seconds) -> None:
        self.seconds.compile += spent.compile
        self.seconds.run += spent.run

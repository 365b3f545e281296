"""Runs one claim: predict, measure cell by cell, judge, then try its controls and rivals with the same judge.

The randomness of a cell follows from the seed, the claim's slug and the cell's name alone, so a result does not depend on what
else ran. Predictions are made before anything is measured. Each finished cell is on disk before the next one starts, and the
judge sees what was read back, so a resumed run judges the same numbers as an unbroken one.
"""

import hashlib
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import jax
import xarray as xr

from depthjax.runs.border import check_objects, measuring
from depthjax.runs.datasets import over_cells, with_predictions
from depthjax.runs.entry import entry, one_line
from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import Seconds, numerics, timed, x64_enabled
from depthjax.runs.records import RecordError, RunDirectory
from depthjax.runs.stored import keep, kept
from depthjax.verify.experiment import Experiment
from depthjax.verify.grid import Grid
from depthjax.verify.judge import judge
from depthjax.verify.rehearsal import hopeless, seeds_of
from depthjax.verify.trials import Control, Rival, Said
from depthjax.verify.verdict import ControlVerdict, Finding, Outcome, Verdict

Progress = Callable[[int, int], None]
Warn = Callable[[str], None]


def cell_key(seed: int, slug: str, name: str, *more: str) -> jax.Array:
    """Return the key of a cell; ``more`` names a part of the cell that draws its own numbers, such as a control."""
    key = jax.random.key(seed)
    for part in (slug, name, *more):
        key = jax.random.fold_in(key, int.from_bytes(hashlib.sha256(part.encode()).digest()[:4], "big"))
    return key


def run_claim(
    experiment: Experiment,
    run: RunDirectory,
    progress: Progress = lambda done, total: None,
    warn: Warn = lambda message: None,
    *,
    outcome_only: bool = False,
) -> dict:
    """Run a claim and leave its cells, dataset and figure in the run directory.

    A cell that is there already is kept if it was measured by the same code under the same settings, versions and device;
    otherwise it is measured again, and ``warn`` is told why.

    Args:
        experiment: The claim.
        run: Where everything is written.
        progress: Called with the cells done and the cells in all.
        warn: Called with every reason why a stored cell is not used.
        outcome_only: Draw no figure, and try no control where the claim's own data leave no hope of support.

    Returns:
        The claim's record, ready to be appended. A claim that fails ends INCONCLUSIVE with the reason.

    Raises:
        RecordError: if the run directory cannot be written.
    """
    claim = experiment.claim
    if claim.needs_float64 and not x64_enabled():
        reason = f"needs float64, but this run has --precision {run.settings.precision}: nothing was measured"
        return entry(experiment, run.settings, Verdict(claim.slug, Outcome.INCONCLUSIVE, (), reason))
    seconds, dataset, figure = Seconds(), None, ""
    try:
        work = _Cells(experiment, run, progress, warn)
        predictions = work.predictions()
        falsehoods = [work.falsehoods(trial, predictions) for trial in experiment.trials]
        seeds = seeds_of(work.cells)
        if seeds is not None and (reason := hopeless(claim, predictions, seeds, falsehoods)):
            verdict = Verdict(claim.slug, Outcome.INCONCLUSIVE, (), f"nothing was measured: {reason}")
            return entry(experiment, run.settings, verdict, seconds=work.seconds)
        dataset = work.measure()
        run.save(run.path / f"{claim.slug}.nc", with_predictions(dataset, predictions, claim.relation))
        verdict = judge(claim, predictions, dataset)
        if verdict.outcome is Outcome.SUPPORTED or not outcome_only:
            tried = [_try(work, trial, false, dataset) for trial, false in zip(experiment.trials, falsehoods, strict=True)]
            count = len(experiment.controls)
            verdict = verdict.with_trials(tuple(tried[:count]), tuple(tried[count:]))
        seconds = work.seconds
        figure = "" if outcome_only else _draw(experiment, run, predictions, falsehoods, dataset, verdict)
    except RecordError:
        raise
    except Exception as error:
        run.save_text(f"errors/{claim.slug}.txt", "".join(traceback.format_exception(error)))
        reason = f"{one_line(error)} (traceback in errors/{claim.slug}.txt)"
        verdict = Verdict(claim.slug, Outcome.INCONCLUSIVE, (), reason)
    return entry(experiment, run.settings, verdict, dataset, seconds, figure)


def replay_cell(experiment: Experiment, run: RunDirectory, name: str) -> tuple[xr.Dataset, tuple[Finding, ...]]:
    """Measure one cell of a run again, and judge it.

    Raises:
        KeyError: if the run's grid has no such cell; lists those it has.
    """
    cells = {cell.name: cell for cell in experiment.grids[run.settings.size].cells()}
    if name not in cells:
        raise KeyError(f"{experiment.claim.slug} has no cell {name!r}; it has {', '.join(cells)}")
    cell = cells[name]
    given = experiment.given(cell, run.settings.seed)
    said = experiment.said(cell, given)
    key = cell_key(run.settings.seed, experiment.claim.slug, name)
    with measuring(experiment.module):
        dataset = experiment.measure(cell, key, *given).as_numpy()
    return dataset, judge(experiment.claim, [said], dataset.expand_dims("cell")).findings


def control_outcome(name: str, statement: str, everywhere: bool, verdict: Verdict, cells: Sequence[str]) -> ControlVerdict:
    """Return whether a control or rival was refuted: in every cell that it speaks of, or in one cell if that is enough."""
    by_cell: dict[int, list[Finding]] = {}
    for finding in verdict.findings:
        by_cell.setdefault(finding.cell, []).append(finding)
    # where a finding was set aside, the falsehood may lie there: such a cell counts only if another finding refutes it
    by_cell = {
        i: found
        for i, found in by_cell.items()
        if all(f.resolved or f.loose for f in found) or Outcome.REFUTED in [f.outcome for f in found]
    }
    standing = {i: found for i, found in by_cell.items() if all(f.outcome is not Outcome.REFUTED for f in found)}
    if by_cell and (not standing or (not everywhere and len(standing) < len(by_cell))):
        return ControlVerdict(name, statement, Outcome.REFUTED)
    outcome = Outcome.of_all([f for found in standing.values() for f in found])
    reasons = [f"{cells[i]}: {next((f.reason for f in found if f.reason), 'it fits')}" for i, found in standing.items()]
    return ControlVerdict(name, statement, outcome, "; ".join(reasons[:3]) or "it says nothing of any cell")


class _Cells:
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
        self.done, self.total = 0, len(self.cells)

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
        """What a control or a rival says of each cell; a measurement of its own takes those of which it says something."""
        with timed() as spent:
            cells = zip(predictions, self.cells, self.given, strict=True)
            said = [trial.said(own, cell, given) for own, cell, given in cells]
        self._add(spent)
        if isinstance(trial, Control) and trial.own_measurement:
            self.total += len(said) - said.count(None)
        return said

    def measure(self, control: Control | None = None, among: Sequence[int] | None = None) -> xr.Dataset:
        """The claim's cells over the dimension ``cell``, or for a control the cells with these numbers."""
        function = control.measure if control is not None and control.measure is not None else self.experiment.measure
        name = () if control is None else (control.name,)
        given = self.given if control is None else self.instead.get(control.name, self.given)
        indices = range(len(self.cells)) if among is None else among
        cells = [self.cells[index] for index in indices]
        origins = self._origins(cells, *name)
        files = [self._file(index, *name) for index in indices]
        datasets = self._stored(files, origins)
        if control is None:
            self.progress(self.done, self.total)
        for place, (index, cell) in enumerate(zip(indices, cells, strict=True)):
            if datasets[place] is None:
                key = cell_key(self.run.settings.seed, self.slug, cell.name, *name)
                with timed() as spent, measuring(self.experiment.module):
                    dataset = function(cell, key, *given[index]).as_numpy()
                if "cell" in dataset.dims:
                    raise ValueError("a measurement is of one cell and has no dimension 'cell'")
                spent = {"seconds_compile": spent.compile, "seconds_run": spent.run}
                keep(files[place], dataset.assign_attrs(spent, slug=self.slug, cell=cell.name), origins[place])
                datasets[place], why = kept(files[place], origins[place])
                if why:
                    raise RecordError(f"{files[place]} was written and {why}")
            attributes = datasets[place].attrs
            self._add(Seconds(float(attributes.pop("seconds_compile")), float(attributes.pop("seconds_run"))))
            self.done += 1
            self.progress(self.done, self.total)
        return over_cells(datasets, cells)

    def _file(self, index: int, *control: str) -> Path:
        file = self.run.cell_file(self.slug, index, "-".join((self.cells[index].name, *control)))
        return self.run.file(str(file.relative_to(self.run.path)))

    def _origins(self, cells: Sequence[Grid], *control: str) -> list[dict[str, str]]:
        """What each cell is of, and what it comes from."""
        settings, source = self.run.settings, source_digest(self.module)
        shared = {"slug": self.slug, "control": "".join(control), "source": source, **numerics()}
        shared |= {"seed": str(settings.seed), "size": settings.size, "precision": settings.precision}
        return [shared | {"cell": cell.name} for cell in cells]

    def _stored(self, files: list[Path], origins: list[dict[str, str]]) -> list:
        """The cells that an earlier, broken run has left, None for the others; one line for each reason not to use them."""
        found, useless = [], {}
        for file, origin in zip(files, origins, strict=True):
            dataset, why = kept(file, origin)
            found.append(dataset)
            if why:
                useless.setdefault(why, []).append(file)
        for why, those in useless.items():
            more = f" (and {len(those) - 1} more of {self.slug})" if len(those) > 1 else ""
            self.warn(f"{those[0]} {why}{more}: measured again")
        return found

    def _add(self, spent: Seconds) -> None:
        self.seconds.compile += spent.compile
        self.seconds.run += spent.run


def _try(work: _Cells, trial: Control | Rival, predictions: list[Said], dataset: xr.Dataset) -> ControlVerdict:
    """Return what became of a control or a rival. One that fails to run is open, and so is its claim."""
    names, among = [cell.name for cell in work.cells], [index for index, said in enumerate(predictions) if said is not None]
    try:
        if isinstance(trial, Control) and trial.own_measurement and among:
            dataset, names = work.measure(trial, among), [names[index] for index in among]
            predictions = [tuple(p for p in predictions[i] or () if trial.predict or p.of in dataset) for i in among]
        verdict = judge(work.claim, predictions, dataset)
    except RecordError:
        raise
    except Exception as error:
        work.run.save_text(f"errors/{work.slug}.control.txt", "".join(traceback.format_exception(error)))
        return ControlVerdict(trial.name, trial.statement, Outcome.INCONCLUSIVE, one_line(error))
    return control_outcome(trial.name, trial.statement, trial.everywhere, verdict, names)


def _draw(experiment, run, predictions, falsehoods, dataset, verdict) -> str:
    """Draw the claim's figure into the run directory; a picture that fails leaves the verdict as it is."""
    try:
        from depthjax.figures.plots import figure

        run.save_text(f"{experiment.claim.slug}.svg", figure(experiment, predictions, falsehoods, dataset, verdict))
    except RecordError:
        raise
    except Exception as error:
        run.save_text(f"errors/{experiment.claim.slug}.figure.txt", "".join(traceback.format_exception(error)))
        return f"not drawn: {one_line(error)}"
    return f"{experiment.claim.slug}.svg"

"""Runs one claim: predict, measure cell by cell, judge, then try its controls and rivals with the same judge.

Predictions are made before anything is measured. The judge sees what was read back from disk, so a resumed run judges the same
numbers as an unbroken one, and it does not matter which processes measured them.
"""

from collections.abc import Callable, Sequence

import xarray as xr

from depthjax.runs.border import measuring
from depthjax.runs.cells import Cells, Progress, Warn, cell_key
from depthjax.runs.datasets import with_predictions
from depthjax.runs.entry import entry, one_line, traced
from depthjax.runs.guest import guest
from depthjax.runs.provenance import Seconds, x64_enabled
from depthjax.runs.records import RecordError, RunDirectory
from depthjax.verify.claim import UNTRAINED
from depthjax.verify.experiment import Experiment
from depthjax.verify.judge import judge
from depthjax.verify.trials import Control, Rival, Said
from depthjax.verify.verdict import ControlVerdict, Finding, Outcome, Verdict

BUDGET = "budget too small to judge: at test size networks train for a few steps; run it with --size quick"


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
    if _too_narrow(experiment):
        reason = f"needs float64, but this run has --precision {run.settings.precision}: nothing was measured"
        return entry(experiment, run.settings, Verdict(claim.slug, Outcome.INCONCLUSIVE, (), reason))
    seconds, dataset, figure = Seconds(), None, ""
    failures: list[str] = []
    try:
        with guest():
            work = Cells(experiment, run, progress, warn)
            predictions = work.predictions()
            falsehoods = [work.falsehoods(trial, predictions) for trial in experiment.trials]
            reason = work.hopeless(predictions, falsehoods)
            dataset = None if reason else work.measure()
        if dataset is None:
            verdict = Verdict(claim.slug, Outcome.INCONCLUSIVE, (), f"nothing was measured: {reason}")
            return entry(experiment, run.settings, verdict, seconds=work.seconds)
        run.save(run.path / f"{claim.slug}.nc", with_predictions(dataset, predictions, claim.relation))
        verdict = judge(claim, predictions, dataset)
        if verdict.outcome is Outcome.SUPPORTED or not outcome_only:
            trials = zip(experiment.trials, falsehoods, strict=True)
            tried = [_try(work, trial, false, dataset, failures.append) for trial, false in trials]
            count = len(experiment.controls)
            verdict = verdict.with_trials(tuple(tried[:count]), tuple(tried[count:]))
        if claim.trains and run.settings.size == UNTRAINED:
            verdict = verdict.undecided("; ".join((*failures, BUDGET)))
        seconds = work.seconds
        figure = "" if outcome_only else _draw(experiment, run, predictions, falsehoods, dataset, verdict)
    except RecordError:
        raise
    except Exception as error:
        run.save_text(f"errors/{claim.slug}.txt", traced(error))
        reason = f"{one_line(error)} (traceback in errors/{claim.slug}.txt)"
        failures.append(reason)
        verdict = Verdict(claim.slug, Outcome.INCONCLUSIVE, (), reason)
    return entry(experiment, run.settings, verdict, dataset, seconds, figure, failed=bool(failures))


def measure_share(
    experiment: Experiment,
    run: RunDirectory,
    number: int,
    of: int,
    progress: Progress = lambda done, total: None,
    warn: Warn = lambda message: None,
) -> None:
    """Predict all cells of a claim, measure a share of them, and leave these on disk for `run_claim` to judge.

    What fails here fails again where the claim is judged, and is told there.

    Args:
        experiment: The claim.
        run: Where everything is written.
        number: Which share it is, from 0.
        of: Number of shares; the cells are dealt out one by one.
        progress: Called with the cells of this share that are done, and the cells of the claim in all.
        warn: Called with every reason why a stored cell is not used.

    Raises:
        RecordError: if the run directory cannot be written.
    """
    if _too_narrow(experiment):
        return
    try:
        with guest():
            work = Cells(experiment, run, progress, warn)
            predictions = work.predictions()
            if not work.hopeless(predictions, [work.falsehoods(trial, predictions) for trial in experiment.trials]):
                work.share(number, of)
    except RecordError:
        raise
    except Exception:
        return


def replay_cell(experiment: Experiment, run: RunDirectory, name: str) -> tuple[xr.Dataset, tuple[Finding, ...]]:
    """Measure one cell of a run again, and judge it.

    Raises:
        KeyError: if the run's grid has no such cell; lists those it has.
        Exception: whatever the claim's code raises; `Ended` if it asks for the end of the process.
    """
    cells = {cell.name: cell for cell in experiment.grids[run.settings.size].cells()}
    if name not in cells:
        raise KeyError(f"{experiment.claim.slug} has no cell {name!r}; it has {', '.join(cells)}")
    cell = cells[name]
    key = cell_key(run.settings.seed, experiment.claim.slug, name)
    with guest():
        given = experiment.given(cell, run.settings.seed)
        said = experiment.said(cell, given)
        with measuring(experiment.module):
            dataset = experiment.measure(experiment.crossing(cell), key, *given).as_numpy()
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


def _too_narrow(experiment: Experiment) -> bool:
    """Whether the claim needs wider floats than this process has."""
    return experiment.claim.needs_float64 and not x64_enabled()


def _try(
    work: Cells, trial: Control | Rival, predictions: list[Said], dataset: xr.Dataset, fail: Callable[[str], None]
) -> ControlVerdict:
    """Return what became of a control or a rival. One that fails to run is open, and so is its claim; ``fail`` is told why."""
    names, among = [cell.name for cell in work.cells], work.among.get(trial.name, ())
    try:
        if isinstance(trial, Control) and among:
            with guest():
                dataset = work.measure(trial)
            names = [names[index] for index in among]
            predictions = [tuple(p for p in predictions[i] or () if trial.predict or p.of in dataset) for i in among]
        verdict = judge(work.claim, predictions, dataset)
    except RecordError:
        raise
    except Exception as error:
        work.run.save_text(f"errors/{work.slug}.control.txt", traced(error))
        fail(one_line(error))
        return ControlVerdict(trial.name, trial.statement, Outcome.INCONCLUSIVE, one_line(error))
    return control_outcome(trial.name, trial.statement, trial.everywhere, verdict, names)


def _draw(experiment, run, predictions, falsehoods, dataset, verdict) -> str:
    """Draw the claim's figure into the run directory; a picture that fails leaves the verdict as it is."""
    try:
        from depthjax.figures.plots import figure

        with guest():
            drawn = figure(experiment, predictions, falsehoods, dataset, verdict)
        run.save_text(f"{experiment.claim.slug}.svg", drawn)
    except RecordError:
        raise
    except Exception as error:
        run.save_text(f"errors/{experiment.claim.slug}.figure.txt", traced(error))
        return f"not drawn: {one_line(error)}"
    return f"{experiment.claim.slug}.svg"

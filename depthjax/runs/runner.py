"""Runs one claim: predict, measure cell by cell, judge, then try its controls and rivals with the same judge.

Predictions are made before anything is measured, each side in a process of its own. The judge runs in this one, which imports
neither, and sees what was read back from disk, so a resumed run judges the same numbers as an unbroken one, and it does not
matter which processes measured them.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import xarray as xr

from depthjax.card import room_of
from depthjax.runs.border import check_room
from depthjax.runs.cells import Cells, Progress, Warn, options
from depthjax.runs.datasets import with_predictions
from depthjax.runs.entry import entry, one_line, traced, unrun
from depthjax.runs.executor import Elsewhere, Gone
from depthjax.runs.guards import BorderError
from depthjax.runs.provenance import Seconds
from depthjax.runs.records import RecordError, RunDirectory, packed, unpacked
from depthjax.runs.sides import place, sides
from depthjax.runs.stated import NoCell, StatedTrial
from depthjax.runs.typed import unmoved
from depthjax.verify.claim import UNTRAINED, Claim
from depthjax.verify.experiment import claim_of
from depthjax.verify.informative import distance, informative
from depthjax.verify.judge import judge
from depthjax.verify.verdict import ControlVerdict, Finding, Outcome, Verdict

MOVED = "a control's measurement follows its cell, as the claim's own does, or it shows nothing"
BUDGET = "budget too small to judge: at test size networks train for a few steps; run it with --size quick"


def run_claim(
    module: str,
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
        module: The claim's room.
        run: Where everything is written.
        progress: Called with the cells done and the cells in all.
        warn: Called with every reason why a stored cell is not used.
        outcome_only: Draw no figure, and try no control where the claim's own data leave no hope of support.

    Returns:
        The claim's record, ready to be appended. A claim that fails ends INCONCLUSIVE with the reason.

    Raises:
        RecordError: if the run directory cannot be written.
        Gone: if a process of the claim ended before it answered.
    """
    settings, seconds, dataset, figure, work = run.settings, Seconds(), None, "", None
    slug = module.rpartition(".")[2]
    failures: list[str] = []
    try:
        check_room(module)
        claim = claim_of(module)
    except Exception as error:
        run.save_text(f"errors/{slug}.txt", traced(error))
        return unrun(slug, module.split(".")[-2] if "." in module else "", f"cannot be loaded: {one_line(error)}")
    where: dict[str, Any] = {}
    try:
        where = sides().measuring("environment", options(settings))
        if _too_narrow(claim, run):
            reason = f"needs float64, but this run has --precision {settings.precision}: nothing was measured"
            return entry(claim, module, settings, Verdict(slug, Outcome.INCONCLUSIVE, (), reason), where)
        work = Cells(claim, module, run, progress, warn)
        stated, predictions = work.stated, list(work.stated.said)
        reason = work.hopeless()
        if reason:
            verdict = Verdict(slug, Outcome.INCONCLUSIVE, (), f"nothing was measured: {reason}")
            told = {"domain": stated.domain, "seconds": work.seconds}
            return entry(claim, module, settings, verdict, where, stated.grid, **told)
        dataset = work.measure()
        run.save(run.path / f"{slug}.nc", with_predictions(dataset, predictions[: stated.chosen], claim.relation))
        drawn = work.drawn()
        verdict = judge(claim, predictions, dataset, *drawn)
        if verdict.outcome is Outcome.SUPPORTED or not outcome_only:
            tried = [_try(work, trial, (dataset, *drawn), failures.append) for trial in stated.trials]
            count = sum(trial.kind == "control" for trial in stated.trials)
            verdict = verdict.with_trials(tuple(tried[:count]), tuple(tried[count:]))
        if claim.trains and settings.size == UNTRAINED:
            verdict = verdict.undecided("; ".join((*failures, BUDGET)))
        seconds = work.seconds
        figure = "" if outcome_only else _draw(work, dataset, verdict)
    except (RecordError, Gone):
        raise
    except Exception as error:
        run.save_text(f"errors/{slug}.txt", traced(error))
        reason = f"{one_line(error)} (traceback in errors/{slug}.txt)"
        failures.append(reason)
        verdict = Verdict(slug, Outcome.INCONCLUSIVE, (), reason)
    told: dict[str, Any] = {"dataset": dataset, "seconds": seconds, "figure": figure, "failed": bool(failures)}
    if work is not None:
        stated, drawn_names = work.stated, work.names[work.stated.chosen :]
        told |= {"grid": stated.grid, "domain": stated.domain, "cells": work.names, "drawn": drawn_names}
    return entry(claim, module, settings, verdict, where, **told)


def measure_share(
    module: str,
    run: RunDirectory,
    number: int,
    of: int,
    progress: Progress = lambda done, total: None,
    warn: Warn = lambda message: None,
) -> None:
    """Predict all cells of a claim, measure a share of them, and leave these on disk for `run_claim` to judge.

    What fails here fails again where the claim is judged, and is told there.

    Args:
        module: The claim's room.
        run: Where everything is written.
        number: Which share it is, from 0.
        of: Number of shares; the cells are dealt out one by one.
        progress: Called with the cells of this share that are done, and the cells of the claim in all.
        warn: Called with every reason why a stored cell is not used.

    Raises:
        RecordError: if the run directory cannot be written.
        Gone: if a process of the claim ended before it answered.
    """
    try:
        check_room(module)
        claim = claim_of(module)
        if _too_narrow(claim, run):
            return
        work = Cells(claim, module, run, progress, warn)
        if not work.hopeless():
            work.share(number, of)
    except (RecordError, Gone):
        raise
    except Exception:
        return


def replay_cell(module: str, run: RunDirectory, name: str) -> tuple[xr.Dataset, tuple[Finding, ...]]:
    """Measure one cell of a run again, and judge it.

    Raises:
        NoCell: if the run's grid has no such cell; lists those it has.
        Elsewhere: whatever the claim's code raises.
    """
    check_room(module)
    claim, settings = claim_of(module), run.settings
    try:
        stated = sides().predicting("state", module, settings.size, settings.seed, name, place())
    except Elsewhere as error:
        if error.kind == NoCell.__name__:
            raise NoCell(str(error)) from None
        raise
    (cell,), (given,) = stated.cells, stated.given
    key = settings.seed, claim.slug, name
    told = options(settings), {}, place()
    content = sides().measuring("measure", module, "measure", cell, key, given, stated.reads, *told)
    dataset = unpacked(content)
    return dataset, judge(claim, list(stated.said), dataset.expand_dims("cell")).findings


def control_outcome(name: str, statement: str, everywhere: bool, verdict: Verdict, cells: Sequence[str]) -> ControlVerdict:
    """Return whether a control or rival was refuted: in every cell that it speaks of, or in one cell if that is enough."""
    by_cell: dict[int, list[Finding]] = {}
    for finding in verdict.findings:
        by_cell.setdefault(finding.cell, []).append(finding)
    # an undecided cell counts only if another finding refutes it
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


def _too_narrow(claim: Claim, run: RunDirectory) -> bool:
    """Whether the claim needs wider floats than this run has."""
    return claim.needs_float64 and run.settings.precision != "float64"


def _try(work: Cells, trial: StatedTrial, measured: Sequence[xr.Dataset], fail: Callable[[str], None]) -> ControlVerdict:
    """Return what became of a control or a rival. One that fails to run is open, and so is its claim; ``fail`` is told why."""
    names, among, predictions, known = work.names, work.among.get(trial.name, ()), list(trial.said), None
    try:
        if trial.measured and among:
            own, measured = measured[0].isel(cell=list(among)), (work.measure(trial),)
            if same := unmoved(own, measured[0], {one.of for said in predictions for one in said or ()}):
                file = room_of(work.module) / "measure.py"
                raise BorderError(f"{file}: the control {trial.name!r} measures the same {same!r} in every cell: {MOVED}")
            names = [names[index] for index in among]
            predictions = [tuple(p for p in predictions[i] or () if trial.predicts or p.of in measured[0]) for i in among]
            if any(finds := [trial.finds[index] for index in among]):
                known = judge(work.claim, finds, *measured)
        verdict = judge(work.claim, predictions, *measured)
    except (RecordError, Gone):
        raise
    except Exception as error:
        work.run.save_text(f"errors/{work.slug}.control.txt", traced(error))
        fail(one_line(error))
        return ControlVerdict(trial.name, trial.statement, Outcome.INCONCLUSIVE, one_line(error), evidence=trial.apart)
    told = control_outcome(trial.name, trial.statement, trial.everywhere, verdict, names)
    if trial.kind == "control":
        return _beside(dataclasses.replace(told, evidence=trial.apart), known)
    evidence = informative(work.claim, work.stated.said, trial.said, trial.everywhere)
    return dataclasses.replace(told, evidence=evidence, distance=distance(verdict, trial.everywhere))


def _beside(told: ControlVerdict, known: Verdict | None) -> ControlVerdict:
    """A control beside what it found of what is known of its measurement: one that found something else stays open."""
    if known is None:
        return told
    found = str(known).partition(": ")[2]
    if known.outcome is Outcome.SUPPORTED:
        return dataclasses.replace(told, found=found)
    reason = f"it measured something else than is known of it: {found}"
    return dataclasses.replace(told, outcome=Outcome.INCONCLUSIVE, reason=reason, found=found)


def _draw(work: Cells, dataset: xr.Dataset, verdict: Verdict) -> str:
    """Draw the claim's figure into the run directory; a picture that fails leaves the verdict as it is."""
    run, slug = work.run, work.slug
    try:
        drawn = sides().predicting("draw", work.module, work.stated, packed(dataset), verdict, work.place)
        run.save_text(f"{slug}.svg", drawn)
    except (RecordError, Gone):
        raise
    except Exception as error:
        run.save_text(f"errors/{slug}.figure.txt", traced(error))
        return f"not drawn: {one_line(error)}"
    return f"{slug}.svg"

"""A sweep: every combination of groups, models, widths, learning rates and batches, each at all depths from all seeds.

A directory holds ``configuration.json`` (what was asked), ``cells/*.nc`` (curves and tests of every finished combination, by
depth and seed), ``states`` (checkpoints), ``verdicts.jsonl`` (one line per combination and depth) and ``figure.svg``.
"""

import dataclasses
import itertools
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax.models.kinds import KINDS
from depthjax.runs.cluster import RESUME, Cluster
from depthjax.runs.executor import Gone, Here, as_done
from depthjax.runs.records import plain, save_text
from depthjax.training import Segment
from depthjax.verify import Claim, Prediction, Relation, Source, judge
from depthjax.verify.rehearsal import hopeless
from experiments.studies.cell import TrainedCell, told
from experiments.studies.configuration import Sweep, SweepError
from experiments.studies.predicted import succeeds
from experiments.studies.states import CODE, Folder, placed
from experiments.studies.study import Study, without_rate
from theory import groups
from theory.composition import flattening_squares, least_loss

# of `configure`, where one process trains a cell
OPTIONS: dict[str, Any] = {"precision": "float32", "cache": True, "split": True}
CLAIM = Claim(
    slug="sweep",
    title="A typical seed succeeds exactly where its class of networks can",
    statement="A typical seed reaches the wanted sequence accuracy exactly where theory has weights for its kind and depth.",
    latex=r"P(\mathrm{success}) > \tfrac12 \iff \text{expressible}",
    relation=Relation.TREND,
    source=Source("this project", "a sweep"),
    assumes=(),
    refuted_by="a typical seed that succeeds where its class cannot, or fails where it can",
)


def check_seeds(sweep: Sweep) -> None:
    """Refuse a sweep whose seeds could not give a verdict whatever its networks learn; trains and builds nothing.

    Raises:
        SweepError: says how many seeds would do; or a group does not exist.
    """
    if sweep.task != "words":
        return  # nothing is predicted, and nothing judged
    copies = len(sweep.widths) * len(sweep.learning_rates) * len(sweep.batches)
    try:
        known = [
            succeeds(model, group, depth) for group, model, depth in itertools.product(sweep.groups, sweep.models, sweep.depths)
        ]
    except (ValueError, TypeError) as error:
        raise SweepError(str(error)) from error
    if reason := hopeless(CLAIM, copies * _predictions(known), sweep.seeds):
        raise SweepError(
            f"{reason}; set `seeds` so, or ask for fewer cells and depths, or train without a verdict (--unjudged). "
            "Nothing was trained"
        )


def run(
    sweep: Sweep,
    out: Path,
    *,
    layout: str = "auto",
    cluster: Cluster | None = None,
    watch: Callable[[str, Segment], None] = lambda cell, segment: None,
    finished: Callable[[str, xr.Dataset, bool], None] = lambda cell, dataset, before: None,
    warn: Callable[[str], None] = lambda message: None,
) -> list[dict]:
    """Train what is left of a sweep and judge it; without a cluster, every process of a distributed run calls this.

    Args:
        sweep: what.
        out: directory of this configuration alone; finished cells in it are not trained again, a broken one goes on.
        layout: as `depthjax.training.ensemble` takes it.
        cluster: trains the cells, many at a time; None for this process.
        watch: told after every segment of a cell.
        finished: told of every cell, and whether it was found finished.
        warn: told of every cell and state on disk that cannot be used, and why.

    Raises:
        SweepError: as `Sweep.studies`.
        CheckpointError: `out` belongs to another configuration.
        RecordError: `out` cannot be written.
        ClusterError: the cluster cannot train this, or is gone.
    """
    studies = sweep.studies()
    if sweep.task == "words":
        try:
            for study in studies.values():
                _expressible(study, 1)
        except ValueError as error:  # a layer declares a class that does not exist
            raise SweepError(f"{error}. Nothing was trained") from error
    layers = tuple(sorted({KINDS[kind].mixer.__module__ for kind in sweep.models if kind in KINDS}))
    # a worker is one thread: it has one device, whatever it has computed before
    place = None if cluster is None else cluster.agree(out, (*CODE, *layers), OPTIONS | {"split": False}, placed)
    store = Folder(out, dataclasses.asdict(sweep), list(studies), warn, layers, place, layout)
    for name, dataset in store.found.items():
        finished(name, dataset, True)
    waiting = [
        TrainedCell(
            name,
            study,
            sweep.seed,
            store.states(name).directory,
            store.file(name),
            out,
            store.origins[name],
            layout,
            sweep.segments,
            layers,
        )
        for name, study in sorted(studies.items(), key=lambda cell: _program(cell[1]))
        if name not in store.found
    ]
    trained = dict(store.found)
    for cell, future in as_done(Here() if cluster is None else cluster, waiting, partial(told, watch)):
        try:
            trained[cell.name] = future.result()
        except Gone as reason:
            raise SweepError(f"{cell.name}: {reason}; {RESUME}") from reason
        finished(cell.name, trained[cell.name], False)
    cells = {name: trained[name] for name in studies}
    lines = verdicts(sweep, studies, cells)
    if jax.process_index() == 0:
        from experiments.studies.figure import by_depth

        save_text(out / "verdicts.jsonl", "".join(json.dumps(plain(line)) + "\n" for line in lines), out)
        predicted = {name: first_depth(study) for name, study in studies.items()}
        save_text(out / "figure.svg", by_depth(cells, predicted, sweep.task, floors(studies)), out)
    _together("end")
    return lines


def first_depth(study: Study) -> int | None:
    """The least depth at which the task is expressible, None where there is none or nothing is known."""
    return next((depth for depth in range(1, 65) if study.task == "words" and _expressible(study, depth)), None)


def floors(studies: Mapping[str, Study]) -> dict[str, float]:
    """By cell the share of the target that one hidden layer leaves, whatever its weights; only where it leaves something.

    It is the tail of the flattened target (`narrow_loss_floor`); all nontrivial coefficients of one-hot codes are identities.
    """
    found = {}
    for name, study in studies.items():
        if study.model == "two_layer":
            group = groups.group(str(study.follows))
            parts = [(irrep.dimension, [1] * irrep.dimension) for irrep in group.irreps[1:]]
            squares = flattening_squares(parts, group.order, study.length)
            if left := least_loss(squares, study.width):
                found[name] = float(left / least_loss(squares, 0))
    return found


def verdicts(sweep: Sweep, studies: Mapping[str, Study], cells: Mapping[str, xr.Dataset]) -> list[dict]:
    """One line for each cell and depth: tests, best and median, and what the judge says of the prediction."""
    score = "mse_1x" if sweep.task == "rotation" else "sequence_1x"
    points = [(name, depth) for name in cells for depth in studies[name].depths]
    values = np.stack([cells[name][score].sel(depth=depth).to_numpy() for name, depth in points]).astype(float)
    failed = np.stack([cells[name]["failed"].sel(depth=depth).to_numpy() for name, depth in points])
    reached = np.where(failed >= 0, np.nan, (values >= sweep.success).astype(float))
    known = [_expressible(studies[name], depth) if sweep.task == "words" else None for name, depth in points]
    measured = xr.Dataset({"success": (("cell", "seed"), reached)})
    findings = {finding.cell: finding for finding in judge(CLAIM, _predictions(known), measured).findings}
    lines = []
    for number, (name, depth) in enumerate(points):
        finding, bad = findings.get(number), np.flatnonzero(failed[number] >= 0)
        reason = finding.reason if finding else "theory predicts nothing here"
        if bad.size:
            reason = "; ".join(f"seed {s}: the loss was not finite at step {failed[number][s]}" for s in bad)
        best = values[number].min() if sweep.task == "rotation" else values[number].max()
        lines.append(
            {
                "cell": name,
                "depth": depth,
                "outcome": "INCONCLUSIVE" if finding is None or bad.size else finding.outcome.value,
                "predicted": known[number],
                "succeeded": int(np.nansum(reached[number])),
                "seeds": sweep.seeds,
                "best": {score: best},
                "median": {score: float(np.median(values[number]))},
                "tests": {
                    n: v.sel(depth=depth).to_numpy() for n, v in cells[name].items() if str(n)[-1] == "x" and v.ndim == 2
                },
                "failed": [int(step) if step >= 0 else None for step in failed[number]],
                "reason": reason,
            }
        )
    return lines


def _expressible(study: Study, depth: int) -> bool | None:
    return succeeds(study.model, str(study.follows), depth)


def _predictions(known: list[bool | None]) -> list[Prediction | None]:
    """Success where theory says that the class can, failure where it cannot, nothing where theory is silent."""
    return [None if can is None else Prediction(int(can), of="success") for can in known]


def _program(study: Study) -> str:
    """Cells of one text are trained in turn: what differs in its rate alone has the program of the one before."""
    return repr(dataclasses.replace(study, recipe=without_rate(study)))


def _together(name: str) -> None:
    """Wait for all processes."""
    if jax.process_count() > 1:
        from jax.experimental import multihost_utils

        multihost_utils.sync_global_devices(name)

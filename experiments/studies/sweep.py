"""A sweep: every combination of groups, models, widths, learning rates and batches, each at all depths from all seeds.

A directory holds ``configuration.json`` (what was asked), ``cells/*.nc`` (curves and tests of every finished combination, by
depth and seed), ``states`` (checkpoints), ``verdicts.jsonl`` (one line per combination and depth) and ``figure.svg``.
"""

import dataclasses
import difflib
import itertools
import json
import tomllib
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax.runs.records import plain, save_text
from depthjax.training import Ensemble, Recipe, Segment, configuration_hash
from depthjax.verify import Claim, Prediction, Relation, Source, judge
from depthjax.verify.rehearsal import hopeless
from experiments.studies.cells import Cells
from experiments.studies.schema import SweepError, check
from experiments.studies.study import Study, expressible, train

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


@dataclasses.dataclass(frozen=True)
class Sweep:
    """What a configuration file may say; lists are crossed with each other.

    Attributes:
        task: "words" or "rotation".
        groups, models, widths, learning_rates, batches: one combination of each is a cell.
        depths: of every cell. seeds: of every depth. seed: root of all keys.
        length: of the training words, in letters. bos: whether a beginning-of-sequence token stands first.
        mode: of the rotation task. tests: words of each test.
        success: the sequence accuracy on test words of the training length that counts as success.
        segments: pieces between which states are stored. recipe: of the training, without its learning rate.
        switches: of the models, by kind.
    """

    task: str = "words"
    groups: tuple[str, ...] = ("S3",)
    models: tuple[str, ...] = ("aussm",)
    widths: tuple[int, ...] = (32,)
    learning_rates: tuple[float, ...] = (1e-3,)
    batches: tuple[int, ...] = (64,)
    depths: tuple[int, ...] = (1, 2)
    seeds: int = 12
    seed: int = 0
    length: int = 16
    bos: bool = True
    mode: str = "faithful"
    tests: int = 1000
    success: float = 0.99
    segments: int = 10
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    switches: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)

    def studies(self) -> dict[str, Study]:
        """Every cell by its name.

        Raises:
            SweepError: what a cell asks for does not exist or does not fit.
        """
        found = {}
        axes = (self.groups, self.models, self.widths, self.learning_rates, self.batches)
        for group, model, width, rate, batch in itertools.product(*axes):
            name = f"group={group},model={model},width={width},rate={rate:g},batch={batch}"
            try:
                study = Study(
                    task=self.task,
                    group=group,
                    mode=self.mode,
                    model=model,
                    width=width,
                    switches=self.switches.get(model, {}),
                    length=self.length,
                    bos=self.bos,
                    batch=batch,
                    tests=self.tests,
                    depths=self.depths,
                    seeds=self.seeds,
                    recipe=dataclasses.replace(self.recipe, learning_rate=rate),
                )
                study.network(study.sampler())
            except (ValueError, TypeError) as error:
                raise SweepError(f"{name}: {error}") from error
            found[name] = study
        return found


def read(file: Path) -> Sweep:
    """Read a configuration and check all that can be checked before training.

    Raises:
        SweepError: the file cannot be read, or holds a key or a value that a sweep does not have or cannot use.
    """
    try:
        content = tomllib.loads(file.read_text())
    except OSError as error:
        raise SweepError(f"cannot read {file}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SweepError(f"{file} is not TOML: {error}") from error
    sweep = _built(Sweep, content, "")
    check(sweep, content)
    sweep.studies()  # builds every network without its weights, and says what does not fit together
    return sweep


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
            expressible(Study(group=group, model=model), depth)
            for group, model, depth in itertools.product(sweep.groups, sweep.models, sweep.depths)
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
    watch: Callable[[str, Segment], None] = lambda cell, segment: None,
    finished: Callable[[str, xr.Dataset, bool], None] = lambda cell, dataset, before: None,
    warn: Callable[[str], None] = lambda message: None,
) -> list[dict]:
    """Train what is left of a sweep and judge it; every process of a distributed run calls this.

    Args:
        sweep: what.
        out: directory of this configuration alone; finished cells in it are not trained again, a broken one goes on.
        layout: as `depthjax.training.ensemble` takes it.
        watch: told after every segment of a cell.
        finished: told of every cell, and whether it was found finished.
        warn: told of every cell and state on disk that cannot be used, and why.

    Raises:
        SweepError: as `Sweep.studies`.
        CheckpointError: `out` belongs to another configuration.
        RecordError: `out` cannot be written.
    """
    studies = sweep.studies()
    store = Cells(out, dataclasses.asdict(sweep), list(studies), warn)
    cells = {}
    for name, study in studies.items():
        if name not in store.found:
            key = jax.random.fold_in(jax.random.key(sweep.seed), int(configuration_hash({"cell": name}), 16) % 2**32)
            found = train(
                study,
                key,
                study.sampler(),
                layout=layout,
                segments=sweep.segments,
                checkpoints=store.states(name),
                watch=lambda segment, name=name: watch(name, segment),
            )
            cells[name] = dataset_of(study, found)
            store.keep(name, cells[name])
        else:
            cells[name] = store.found[name]
        finished(name, cells[name], name in store.found)
    lines = verdicts(sweep, studies, cells)
    if jax.process_index() == 0:
        from experiments.studies.figure import by_depth

        save_text(out / "verdicts.jsonl", "".join(json.dumps(plain(line)) + "\n" for line in lines))
        predicted = {name: first_depth(study) for name, study in studies.items()}
        save_text(out / "figure.svg", by_depth(cells, predicted, sweep.task))
    _together("end")
    return lines


def dataset_of(study: Study, found: Ensemble) -> xr.Dataset:
    """Curves and tests by depth and seed; weights stay in the checkpoints."""
    runs = ("depth", "seed")
    data: dict[str, Any] = {
        "loss": ((*runs, "step"), found.fit.losses),
        "steps": (runs, found.fit.steps),
        "failed": (runs, found.fit.failed),
    }
    data |= {f"validation_{name}": ((*runs, "step"), values) for name, values in found.fit.metrics.items()}
    for name, values in found.test.items():
        data[name] = ((*runs, *([f"position_{name[-2:]}"] if values.ndim > 2 else [])), values)
    steps = study.recipe.record_every * np.arange(1, study.recipe.records + 1)
    return xr.Dataset(data, coords={"depth": list(study.depths), "step": steps})


def first_depth(study: Study) -> int | None:
    """The least depth at which the task is expressible, None where there is none or nothing is known."""
    return next((depth for depth in range(1, 65) if study.task == "words" and expressible(study, depth)), None)


def verdicts(sweep: Sweep, studies: Mapping[str, Study], cells: Mapping[str, xr.Dataset]) -> list[dict]:
    """One line for each cell and depth: tests, best and median, and what the judge says of the prediction."""
    score = "sequence_1x" if sweep.task == "words" else "mse_1x"
    points = [(name, depth) for name in cells for depth in sweep.depths]
    values = np.stack([cells[name][score].sel(depth=depth).to_numpy() for name, depth in points]).astype(float)
    failed = np.stack([cells[name]["failed"].sel(depth=depth).to_numpy() for name, depth in points])
    reached = np.where(failed >= 0, np.nan, (values >= sweep.success).astype(float))
    known = [expressible(studies[name], depth) if sweep.task == "words" else None for name, depth in points]
    measured = xr.Dataset({"success": (("cell", "seed"), reached)})
    findings = {finding.cell: finding for finding in judge(CLAIM, _predictions(known), measured).findings}
    lines = []
    for number, (name, depth) in enumerate(points):
        finding, bad = findings.get(number), np.flatnonzero(failed[number] >= 0)
        reason = finding.reason if finding else "theory predicts nothing here"
        if bad.size:
            reason = "; ".join(f"seed {s}: the loss was not finite at step {failed[number][s]}" for s in bad)
        best = values[number].max() if sweep.task == "words" else values[number].min()
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


def _predictions(known: list[bool | None]) -> list[Prediction | None]:
    """Success where theory says that the class can, failure where it cannot, nothing where theory is silent."""
    return [None if can is None else Prediction(int(can), of="success") for can in known]


def _together(name: str) -> None:
    """Wait for all processes."""
    if jax.process_count() > 1:
        from jax.experimental import multihost_utils

        multihost_utils.sync_global_devices(name)


def _built(kind: type, content: Mapping[str, Any], where: str) -> Any:
    """A dataclass from a table, every key and type checked."""
    hints = typing.get_type_hints(kind)
    for key in content:
        if key not in hints:
            close = difflib.get_close_matches(key, hints, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(hints)}"
            raise SweepError(f"there is no key {where}{key!r}; {hint}")
    values = {key: _value(hints[key], value, f"{where}{key}") for key, value in content.items()}
    try:
        return kind(**values)
    except ValueError as error:
        raise SweepError(f"{where.rstrip('.') or 'configuration'}: {error}") from error


def _value(hint: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise SweepError(f"{where} = {value!r}: expected a table, [{where}]")
        return _built(typing.cast(type, hint), value, f"{where}.")
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        if not isinstance(value, list) or not value:
            raise SweepError(f"{where} = {value!r}: expected a list that is not empty")
        return tuple(_value(inside[0], item, where) for item in value)
    if origin is dict:
        if not isinstance(value, dict):
            raise SweepError(f"{where} = {value!r}: expected a table, [{where}.NAME]")
        return value
    if origin in (typing.Union, types.UnionType):
        return _value(next(one for one in inside if one is not type(None)), value, where)
    if origin is typing.Literal:
        if value not in inside:
            raise SweepError(f"{where} = {value!r}: expected one of {', '.join(map(str, inside))}")
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise SweepError(f"{where} = {value!r}: expected {hint.__name__}")
    return value

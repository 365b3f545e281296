"""One cell of a sweep as work for one process, here or on a cluster: train it, test it, and leave it on disk."""

import dataclasses
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax.runs.executor import Tell
from depthjax.runs.stored import Origin, keep
from depthjax.training import Ensemble, Segment, configuration_hash
from experiments.studies.scores import coordinates
from experiments.studies.states import States
from experiments.studies.study import Study, train
from experiments.studies.tasks import sampler


@dataclasses.dataclass(frozen=True)
class TrainedCell:
    """A cell that is to be trained.

    Attributes:
        name: Of the cell.
        study: What is trained.
        seed: Root of the keys of the sweep.
        folder: Where its states are kept; a broken cell goes on from the last one.
        file: Where the finished cell is kept.
        root: The directory of the sweep, which both are in.
        origin: What it comes from.
        layout: As `depthjax.training.ensemble` takes it.
        segments: Pieces of the training.
        layers: Modules that register the layers.
    """

    name: str
    study: Study
    seed: int
    folder: Path
    file: Path
    root: Path
    origin: Origin
    layout: str
    segments: int
    layers: tuple[str, ...]

    def __call__(self, tell: Tell) -> xr.Dataset:
        """Train, test and store the cell; every process of a distributed run calls this, and the first one writes.

        Raises:
            RecordError: it cannot be written.
        """
        for layer in self.layers:
            importlib.import_module(layer)
        key = jax.random.fold_in(jax.random.key(self.seed), int(configuration_hash({"cell": self.name}), 16) % 2**32)
        # a worker that nobody waits for stops before it writes
        states = States(self.folder, self.origin, self.root.resolve(), tell)
        more = {"layout": self.layout, "segments": self.segments, "checkpoints": states}
        trained = train(self.study, key, sampler(self.study), watch=lambda segment: tell(*_plain(segment)), **more)
        dataset = dataset_of(self.study, trained)
        if jax.process_index() == 0:
            keep(self.file, dataset, self.origin, self.root)
        return dataset


def told(watch: Callable[[str, Segment], None], cell: TrainedCell) -> Tell:
    """Return what a cell tells its segments to; it also tells, with no segment, that it is about to write."""

    def tell(*fields: Any) -> None:
        if fields:
            step, depths, losses, *rest = fields
            watch(cell.name, Segment(step, tuple(depths), np.asarray(losses), *rest))

    return tell


def dataset_of(study: Study, found: Ensemble) -> xr.Dataset:
    """Curves and tests by depth and seed; weights stay in the checkpoints."""
    runs = ("depth", "seed")
    data: dict[str, Any] = {
        "loss": ((*runs, "step"), found.fit.losses),
        "steps": (runs, found.fit.steps),
        "failed": (runs, found.fit.failed),
    }
    data |= {f"validation_{name}": ((*runs, "step"), values) for name, values in found.fit.metrics.items()}
    known: dict[str, Any] = {}
    for name, values in found.test.items():
        more = []
        if values.ndim > len(runs):
            dimension, places = coordinates(name, values.shape[-1])
            more, known = [dimension], known if places is None else known | {dimension: places}
        data[name] = ((*runs, *more), values)
    steps = study.recipe.record_every * np.arange(1, study.recipe.records + 1)
    return xr.Dataset(data, coords={"depth": list(study.depths), "step": steps} | known)


def _plain(segment: Segment) -> list[Any]:
    """The fields of a segment as numbers and lists."""
    return [np.asarray(field).tolist() for field in segment]

"""How the cost of training grows with depth, length, seeds and cells: ``python -m benchmarks.growth [--rounds N]``.

Writes ``growth.md``, ``growth.svg`` and ``growth.json`` in ``benchmarks/results``. Depth, length and seeds are those of one
ensemble, trained as a cell of a sweep is; cells are those of a whole sweep. All times are processor time, which other work on
the machine disturbs less than wall-clock time. A round measures every place once, so that no place has all the busy minutes.
``--table`` measures nothing and writes the table and the figure of ``growth.json`` again.
"""

import argparse
import functools
import itertools
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from benchmarks.enough import Enough
from benchmarks.growth_table import Axis, Times, figure, table
from depthjax.runs.provenance import configure, cores, cpu, listed, versions
from depthjax.training import Recipe, Segment
from experiments.studies.configuration import Sweep
from experiments.studies.study import Study, train
from experiments.studies.sweep import run
from experiments.studies.tasks import sampler

RESULTS = Path(__file__).parent / "results"
MODELS = ("rnn",)
STRETCH, STRETCHES = 10, 6  # steps of a stretch, and stretches of a training
WIDTH, BATCH = 64, 16
USUAL = {"depths": (2,), "length": 16, "seeds": 2}  # where another axis grows


AXES = {
    "depth": Axis(
        (1, 2, 4, 10),
        {
            "running": "layers run one after the other; embedding, readout, drawing of words and the loop over steps are the "
            "part that does not grow",
            "preparing": "the parameters of all layers are stacked, and a program loops over them four at a time, so XLA sees "
            "four layers and what is left over; up to there the program grows",
        },
    ),
    "length": Axis(
        (8, 16, 32, 80),
        {
            "running": "products of weights at every position; the scores of attention grow with the square, and are the "
            "smaller part until words are several widths long. Updates of the weights do not grow",
            "preparing": "positions are an axis of arrays, or the rounds of a loop",
        },
    ),
    "seeds": Axis(
        (2, 4, 8, 20),
        {
            "running": "networks of this size run one after the other on each core, because side by side they evict each "
            "other from its caches",
            "preparing": "seeds are a batch axis of one program",
        },
    ),
    "cells": Axis(
        (1, 2, 4, 10),
        {
            "running": "cells run one after the other; the steps of their training, and the states that are stored on the way",
            "preparing": "every cell compiles its programs, because its learning rate, width and batch are constants in them",
        },
        {"running": 1.0, "preparing": 1.0},
    ),
}


def of_ensemble(model: str, **sizes: Any) -> Times:
    """Train an ensemble without its tests, and return one step of all its networks, and what came before the second stretch.

    The latter is without one stretch: tracing, compilation and first weights.
    """
    recipe = Recipe(steps=STRETCH * STRETCHES, record_every=STRETCH)
    study = Study(model=model, width=WIDTH, batch=BATCH, recipe=recipe, **sizes)
    marks = [time.process_time()]

    def watch(segment: Segment) -> None:
        marks.append(time.process_time())
        if len(marks) > STRETCHES:
            raise Enough

    try:
        train(study, jax.random.key(0), sampler(study), segments=STRETCHES, watch=watch)
    except Enough:
        jax.clear_caches()
    first, *later = np.diff(marks)
    return {"running": float(np.median(later)) / STRETCH, "preparing": float(first - np.median(later))}


def of_cells(model: str, most: int) -> list[Times]:
    """Train a sweep of cells that differ in their learning rates; return what the first cell took, the first two, and so on.

    Running are all stretches of a cell, each taken as their median; preparing is all else, the tests and the files included.
    """
    sweep = Sweep(
        models=(model,),
        widths=(WIDTH,),
        batches=(BATCH,),
        learning_rates=tuple(round(1e-3 * 1.1**number, 6) for number in range(most)),
        tests=64,
        segments=STRETCHES,
        recipe=Recipe(steps=STRETCH * STRETCHES, record_every=STRETCH),
        **USUAL,
    )
    marks: dict[str, list[float]] = {}
    found, running, begun = [], 0.0, time.process_time()

    def watch(cell: str, segment: Segment) -> None:
        marks.setdefault(cell, []).append(time.process_time())

    def finished(cell: str, dataset: object, before: bool) -> None:
        nonlocal running
        running += STRETCHES * float(np.median(np.diff(marks[cell])))
        found.append({"running": running, "preparing": time.process_time() - begun - running})

    with tempfile.TemporaryDirectory() as folder:
        run(sweep, Path(folder), watch=watch, finished=finished)
    jax.clear_caches()
    return found


def measure(model: str, axis: str, once: Callable[..., Times]) -> list[Times]:
    """One round of one axis; ``once`` is `of_ensemble`, remembered, so that what axes share is measured once."""
    values = AXES[axis].values
    if axis == "cells":
        found = of_cells(model, max(values))
        return [found[n - 1] for n in values]
    return [once(model, **USUAL | ({"depths": (n,)} if axis == "depth" else {axis: n})) for n in values]


def about(found: Mapping[str, Any]) -> str:
    """What was measured, where, in a paragraph."""
    least = min(len(rounds) for models in found["times"].values() for rounds in models.values())
    usual = f"depth {USUAL['depths'][0]}, length {USUAL['length']}, {USUAL['seeds']} seeds"
    return (
        f"Made by `python -m benchmarks.growth`: {least} or more rounds on {found['device']}, {found['cores']} cores under a "
        f"load of {found['load']:.0f}, {found['versions']}. Words of S3, width {WIDTH}, batch {BATCH}; where another axis "
        f"grows, {usual}. All times are processor time. Running is one optimiser step of all networks of an ensemble, the "
        f"median of {STRETCHES - 1} stretches of {STRETCH} steps; of cells, the whole training of {STRETCH * STRETCHES} steps. "
        "Preparing is tracing, compilation and first weights; of cells also the tests and the files. The programs are those of "
        "a short training, which XLA optimises less than those of a long one."
    )


def main() -> None:
    """Measure, and write the three files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--axes", nargs="+", choices=AXES, default=list(AXES), help="measured anew; the others are kept")
    parser.add_argument("--table", action="store_true", help="measure nothing: write the table and the figure again")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / "growth.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"times": {}}
    if not options.table:
        configure("float32", split=True)  # as sweeps are, but nothing that was compiled is kept
        of_ensemble(options.models[0], **USUAL)  # the first program of a process also loads the compiler
        found |= {"device": cpu(), "cores": cores(), "load": os.getloadavg()[2], "versions": listed(versions())}
        found["times"] |= {axis: {model: [] for model in options.models} for axis in options.axes}
        for number, model in itertools.product(range(options.rounds), options.models):
            once = functools.cache(of_ensemble)
            for axis in options.axes:
                found["times"][axis][model].append(measure(model, axis, once))
                file.write_text(json.dumps(found, indent=1) + "\n")
                print(f"round {number + 1}, {model}, {axis}: {time.process_time():.0f} s of processor time so far", flush=True)
    times = {axis: found["times"][axis] for axis in AXES if all(found["times"].get(axis, {"": []}).values())}
    (options.results / "growth.md").write_text(table(AXES, times, about(found)))
    (options.results / "growth.svg").write_text(figure(AXES, times))


if __name__ == "__main__":
    main()

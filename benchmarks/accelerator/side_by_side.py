"""Seeds times depths of one network in one program, beside one program for each depth and a loop over all runs.

A network-step is one optimiser step of one network. Compilation is told apart: of an ensemble it is in the first of its
segments, and the others are timed; the loop compiles one program for every depth before it is timed.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import numpy as np

from depthjax.models import sequence_model
from depthjax.tasks.words import GroupWords
from depthjax.training import Recipe, Segment, ensemble, fit
from depthjax.training.losses import cross_entropy

Row = dict[str, Any]
ORDER = 6  # of the cyclic group whose words are followed


@dataclasses.dataclass(frozen=True)
class Grid:
    """What is trained; the loop trains `looped` seeds of every depth, and all its runs cost the same."""

    model: str = "aussm"
    depths: tuple[int, ...] = (1, 2, 3, 4)
    seeds: int = 16
    looped: int = 1
    width: int = 64
    batch: int = 64
    length: int = 64
    steps: int = 200


TOY = Grid(depths=(1, 2), seeds=2, width=8, batch=4, length=8, steps=8)


def rows(grid: Grid, late: Callable[[], bool]) -> Iterator[Row]:
    """Say which ways are asked for, then train the grid in each until `late()` holds."""
    task = GroupWords(np.add.outer(np.arange(ORDER), np.arange(ORDER)) % ORDER)
    sizes: dict[str, Any] = {
        "letters": task.letters,
        "classes": task.classes,
        "width": grid.width,
        "max_depth": max(grid.depths),
    }
    model = sequence_model(grid.model, mlp=True, **sizes)
    sample = partial(task.sample, batch=grid.batch, length=grid.length)

    def loss(params: Any, batch: Any, depth: Any) -> Any:
        return cross_entropy(model.apply(params, batch.tokens, depth), batch)

    ways: dict[str, Callable[[], Row]] = {
        "one program": partial(_ensemble, grid, model, loss, sample, "masked"),
        "a loop of runs": partial(_loop, grid, model, loss, sample),
        "one program for each depth": partial(_ensemble, grid, model, loss, sample, "buckets"),
    }
    yield {"asked": [{"way": way} for way in ways]}
    for way, measure in ways.items():
        if late():
            return
        head = {"way": way, "runs": grid.seeds * len(grid.depths), "steps": grid.steps, "model": grid.model}
        try:
            yield head | measure()
        except Exception as error:
            yield head | {"failed": f"{type(error).__name__}: {str(error)[:300]}"}


def _ensemble(grid: Grid, model: Any, loss: Any, sample: Any, layout: Any) -> Row:
    recipe = Recipe(steps=grid.steps, record_every=grid.steps // 4, clip=1.0)
    first, later, steps, begun = 0.0, 0.0, 0.0, time.perf_counter()
    seen: set[tuple[int, ...]] = set()

    def watch(segment: Segment) -> None:
        nonlocal first, later, steps, begun
        now = time.perf_counter()
        if segment.depths in seen:
            later, steps = later + now - begun, steps + recipe.record_every * grid.seeds * len(segment.depths)
        else:
            first += now - begun
        seen.add(segment.depths)
        begun = now

    found = ensemble(
        jax.random.key(0),
        model.init,
        loss,
        sample,
        recipe,
        depths=grid.depths,
        seeds=grid.seeds,
        layout=layout,
        segments=4,
        watch=watch,
    )
    each = later / steps
    quarter = each * grid.steps / 4 * grid.seeds * len(grid.depths)
    return {"seconds_a_network_step": each, "compile_seconds": first - quarter, "lanes": found.lanes} | _together(grid, each)


def _loop(grid: Grid, model: Any, loss: Any, sample: Any) -> Row:
    recipe = Recipe(steps=grid.steps, record_every=grid.steps, clip=1.0)
    compiling = running = 0.0
    for depth in grid.depths:

        def one(key: Any, depth: int = depth) -> Any:
            return fit(key, model.init(key), lambda params, batch: loss(params, batch, depth), sample, recipe)

        begun = time.perf_counter()
        program = jax.jit(one).lower(jax.random.key(0)).compile()
        compiling += time.perf_counter() - begun
        begun = time.perf_counter()
        for seed in range(grid.looped):
            jax.block_until_ready(program(jax.random.key(seed)))
        running += time.perf_counter() - begun
    each = running / (grid.steps * grid.looped * len(grid.depths))
    return {"seconds_a_network_step": each, "compile_seconds": compiling} | _together(grid, each)


def _together(grid: Grid, each: float) -> Row:
    return {"seconds": each * grid.steps * grid.seeds * len(grid.depths)}

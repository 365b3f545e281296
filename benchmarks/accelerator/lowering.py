"""Whether programs lower for accelerators that are not here: `jax.export` writes them down for cuda and tpu on any machine.

Lowering sees what a platform's compiler is given: an operation that has no rule there, or a call to a library that only CPUs
have. It does not see what the compiler or the device then do with it.
"""

import dataclasses
import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from unittest import mock

import jax
import numpy as np

from benchmarks.accelerator.kernels import with_gradient
from benchmarks.accelerator.programs import Program, Sizes, cast
from depthjax.runs import catalogue
from depthjax.training.fit import fit
from depthjax.training.learner import Asked
from depthjax.verify import Cell
from experiments.studies.configuration import Sweep
from experiments.studies.study import loss_of
from experiments.studies.tasks import sampler

PLATFORMS = ("cuda", "tpu")


class CannotLower(Exception):
    """A program does not lower for a platform; the message names the program, the platform and JAX's reason."""


class Lowered(NamedTuple):
    """What is to be lowered: the name of a program, a function of arrays, and its arguments or their shapes."""

    name: str
    run: Callable[..., Any]
    arguments: tuple[Any, ...]


def check_lowers(name: str, run: Callable[..., Any], *arguments: Any, platforms: tuple[str, ...] = PLATFORMS) -> None:
    """Lower a program for every platform.

    Args:
        name: Of the program.
        run: A function of arrays.
        arguments: Arrays, or their shapes.
        platforms: As JAX names them.

    Raises:
        CannotLower: names the program and the first platform that it does not lower for.
    """
    for platform in platforms:
        try:
            jax.export.export(jax.jit(run), platforms=[platform])(*arguments)
        except Exception as error:  # whatever a rule of lowering raises
            raise CannotLower(f"{name} does not lower for {platform}: {type(error).__name__}: {str(error)[:500]}") from error


def of_program(program: Program, sizes: Sizes) -> Iterator[Lowered]:
    """Yield a scan, mixer or network in each of its types, with its gradient where it has one."""
    drawn = program.draw(np.random.default_rng(0), sizes)
    for dtype in program.types:
        run, arguments = program.make(dtype), cast(drawn, dtype)
        if not program.exact:
            result = jax.eval_shape(run, *arguments)
            run, arguments = with_gradient(run), (jax.ShapeDtypeStruct(result.shape, result.dtype), *arguments)
        yield Lowered(f"{program.name}, {dtype}", run, arguments)


def of_sweep(sweep: Sweep) -> Iterator[Lowered]:
    """Yield one gradient of every kind of network of a sweep, with words drawn inside and with depth as data."""
    seen = set()
    for cell, study in sweep.studies().items():
        if study.model in seen:
            continue
        seen.add(study.model)
        words = sampler(study)
        model, key = study.network(words), jax.eval_shape(jax.random.key, 0)
        loss = loss_of(model, words)

        def step(params: Any, key: Any, depth: Any, loss: Any = loss, words: Any = words, study: Any = study) -> Any:
            return jax.grad(loss, has_aux=True)(params, words.sample(key, study.batch, study.length), depth)

        depth = jax.ShapeDtypeStruct((), np.dtype("int32"))
        yield Lowered(cell, step, (jax.eval_shape(model.init, key), key, depth))


class _Trained(Exception):
    """A measurement is about to train: what, and on what."""

    def __init__(self, asked: Asked, keys: Any, rows: Any, shared: Any):
        super().__init__("a measurement trains")
        self.first = asked, keys[0], jax.tree.map(lambda leaf: leaf[0], rows), shared


def of_claim(module: str) -> Lowered | None:
    """Return the program of one run, with its training and its test, that the measurement of a claim trains.

    The measurement stops there. It is that of the first cell of size `test` that trains, or else of size `quick`; None if no
    cell does, which costs the measurements of all these cells.
    """
    claim, harness = catalogue.experiment(module), importlib.import_module("depthjax.training.trials")
    for cell in (cell for size in ("test", "quick") for cell in claim.grids[size].cells()):
        try:
            with mock.patch.multiple(harness, _program=_broken_off, Stretches=_broken_off_together):
                claim.measure(Cell.of(cell), jax.random.key(0), *claim.given(cell))
        except _Trained as found:
            asked, *arguments = found.first

            def run(key: Any, row: Any, shared: Any, asked: Asked = asked) -> Any:
                own, learner = asked.of(key, row, shared)
                more = learner.optimiser, learner.validate
                done = fit(own, learner.params, learner.loss, learner.sample, learner.recipe, *more)
                return learner.test(done), done.failed

            return Lowered(f"{module.rpartition('.')[2]}, {cell}", run, tuple(arguments))
    return None


def _broken_off(backend: str) -> Callable[..., Any]:
    def run(asked: Asked, key: Any, row: Any, shared: Any) -> Any:
        raise _Trained(asked, key[None], jax.tree.map(lambda leaf: leaf[None], row), shared)

    return run


def _broken_off_together(asked: Asked, keys: Any, rows: Any, shared: Any, *more: Any) -> Any:
    raise _Trained(asked, keys, rows, shared)


def reduced(sweep: Sweep, length: int = 16) -> Sweep:
    """Return a sweep with the same kinds of network on short words: lowering depends on kinds, not on sizes."""
    return dataclasses.replace(sweep, widths=sweep.widths[:1], length=min(sweep.length, length))

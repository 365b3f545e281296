"""Runs many claims through an executor; only this process appends verdicts.

The unit of work is a `Share` of the cells of one claim. A claim is one share where there are as many claims as processes,
because its cells share objects and compiled programs. Where processes would be idle, its cells are dealt out, and the claim is
judged when they are on disk. A claim whose process ends early is retried once at the end, alone and from its finished cells.
"""

import dataclasses
import functools
import importlib.metadata
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from depthjax.card import CardError, read_card
from depthjax.runs.cells import options
from depthjax.runs.entry import unrun
from depthjax.runs.executor import Executor, Gone, Tell, as_done
from depthjax.runs.lock import Lock
from depthjax.runs.origin import source_digest
from depthjax.runs.pool import PATIENCE, Pool
from depthjax.runs.provenance import configure, cores, surroundings
from depthjax.runs.records import RunDirectory, Settings, packed, plain, unpacked
from depthjax.runs.runner import measure_share, run_claim
from depthjax.runs.schema import SchemaError, check_verdict
from depthjax.runs.sides import begin_sides, sides

Progress = Callable[[str, int, int], None]
Finished = Callable[[dict], None]
Warn = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class Share:
    """Some cells of a claim in a run, for one process. The share that has all cells also judges the claim.

    Attributes:
        module: Importable name; the last part is the slug.
        path: The run's directory.
        number: Which share it is, from 0.
        of: Number of shares that the cells are dealt out to.
    """

    module: str
    path: Path
    number: int = 0
    of: int = 1

    def __call__(self, tell: Tell) -> dict:
        """Return the claim's entry, which is empty if other shares have cells of it."""
        return run_module(self.module, self.path, lambda slug, *counts: tell(*counts), tell, share=(self.number, self.of))


def run_claims(
    modules: Sequence[str],
    run: RunDirectory,
    executor: Executor,
    *,
    progress: Progress,
    finished: Finished,
    warn: Warn = lambda message: None,
) -> None:
    """Run claims given by module name and append their verdicts as they come.

    Args:
        modules: importable names; the last part is the slug.
        run: where everything is written.
        executor: runs shares of claims, in this process or in others.
        progress: called with slug, cells done, cells in all; from any thread.
        finished: called with each appended entry.
        warn: called with every reason why something on disk is not used; from any thread.

    Raises:
        RecordError: if the run directory cannot be written.
    """
    count = _Count(progress, warn)

    def append(entry: dict) -> None:
        count.ended.add(entry["slug"])
        run.append(entry)
        finished(entry)

    of = -(-executor.width // max(len(modules), 1))
    waiting = [Share(module, run.path, number, of) for module in trained_first(modules) for number in range(of)]
    left, gone = dict.fromkeys(modules, of), {}
    for share, future in as_done(executor, waiting, count.told_by):
        try:
            entry = future.result()
        except Gone as reason:
            gone[share.module] = reason
        else:
            if share.of == 1:
                append(entry)
        left[share.module] -= 1
        if of > 1 and not left[share.module] and share.module not in gone:
            waiting.insert(0, Share(share.module, run.path))
    for module, reason in gone.items():
        try:
            if not reason.again:
                raise reason
            with executor.alone() as alone:
                share = Share(module, run.path)
                append(alone.submit(share, count.told_by(share)).result())
        except Gone as last:
            append(unrun(*_names(module), str(last)))


def trained_first(modules: Sequence[str]) -> list[str]:
    """Return the claims in their order, but those that train first: no process should be left alone with one at the end."""

    def trained(module: str) -> bool:
        try:
            return bool(read_card(module).options.get("trains"))
        except (CardError, ImportError, OSError):
            return False  # its own process says why

    return sorted(modules, key=lambda module: not trained(module))


def run_module(
    module: str,
    path: Path,
    progress: Progress,
    warn: Warn = lambda message: None,
    *,
    outcome_only: bool = False,
    share: tuple[int, int] = (0, 1),
) -> dict:
    """Run one claim, or a share of its cells.

    Returns:
        The claim's entry as `run_claim` makes it, empty for a share. A claim that cannot be imported is INCONCLUSIVE.

    Raises:
        RecordError: if the run directory cannot be written.
        Gone: if a process of the claim ended before it answered.
    """
    run = RunDirectory.open(path)
    slug, topic = _names(module)
    number, of = share
    source_digest(module)  # before the import: what is imported is then no older than the digest says

    def count(done: int, total: int) -> None:
        progress(slug, done, total)

    if of > 1:
        measure_share(module, run, number, of, count, warn)
        return {}
    found = run_claim(module, run, count, warn, outcome_only=outcome_only)
    try:
        return check_verdict(plain(found))
    except SchemaError as error:
        return unrun(slug, topic, f"its verdict cannot be kept: {error}")


def default_jobs(claims: int) -> int:
    """Return one process per core, at most one per claim; one if there is an accelerator, which two would fight over."""
    return 1 if accelerated() else max(1, min(cores(), claims))


def prepare(patience: float, memory: float) -> None:
    """Begin the two processes behind a judge, which share with it what it has imported by then."""
    unpacked(packed(xr.Dataset({"x": ("x", np.zeros(1))})))  # all three read or write such files, and xarray imports late
    begin_sides(patience, memory)


def local(jobs: int, *, patience: float = PATIENCE, lock: Lock | None = None) -> Pool:
    """Return processes of this machine; none of them counts as standing still while an accelerator may work for it."""
    return Pool(jobs, patience=float("inf") if accelerated() else patience, lock=lock, prepare=prepare)


def place(jobs: int, settings: Settings) -> dict[str, str]:
    """Return what numbers will depend on where claims are measured, as a process says that measures.

    Of several processes before one accelerator only each itself can know the device: it is left out.
    """
    if accelerated() and jobs > 1:
        configure(**options(settings))
        return surroundings()
    return _numerics(options(settings))


def asked(settings: Settings) -> Callable[[], dict[str, str]]:
    """Return what says, on a worker of a cluster, what the numbers of claims depend on there."""
    return functools.partial(_numerics, options(settings))


def _numerics(told: dict) -> dict[str, str]:
    return sides().measuring("numerics", told)


def accelerated() -> bool:
    """Whether JAX would find an accelerator here."""
    return bool(importlib.metadata.entry_points(group="jax_plugins")) and os.environ.get("JAX_PLATFORMS") != "cpu"


class _Count:
    """The cells of each claim that are done, whichever shares they are in."""

    def __init__(self, progress: Progress, warn: Warn):
        self.progress, self.warn = progress, warn
        self.ended: set[str] = set()
        self.done: dict[str, dict[Share, int]] = {}

    def told_by(self, share: Share) -> Tell:
        """Return what a share tells its events to: a reason to warn, or cells done and cells in all."""
        slug, _ = _names(share.module)
        known = self.done.setdefault(slug, {})

        def tell(*event) -> None:
            if len(event) == 1:
                self.warn(*event)
            elif slug not in self.ended:  # an event may come after the result
                known[share] = event[0]
                dealt = sum(done for other, done in known.items() if other.of > 1)
                self.progress(slug, max(dealt, known[share] if share.of == 1 else 0), event[1])

        return tell


def _names(module: str) -> tuple[str, str]:
    package, _, slug = module.rpartition(".")
    return slug, package.rpartition(".")[2]

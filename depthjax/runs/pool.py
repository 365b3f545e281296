"""Runs many claims, in this process or in several worker processes; only this process appends verdicts.

A worker may die (out of memory) or stall (threads of compiled code that wait for each other). The run goes on: the claims that
were under way are retried once at the end, each alone and from its finished cells.
"""

import concurrent.futures
import dataclasses
import faulthandler
import importlib
import importlib.metadata
import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from depthjax.card import CardError, read_card
from depthjax.runs.children import be_killed_with, safe_path, without_main
from depthjax.runs.entry import one_line, unrun
from depthjax.runs.lock import Lock
from depthjax.runs.origin import source_digest
from depthjax.runs.places import settle, settled
from depthjax.runs.provenance import configure, cores, cpu, environment
from depthjax.runs.records import RunDirectory, Settings, plain
from depthjax.runs.schema import SchemaError, check_verdict
from depthjax.verify.experiment import Experiment

Progress = Callable[[str, int, int], None]
Finished = Callable[[dict], None]
Warn = Callable[[str], None]

PATIENCE = 5.0  # minutes without work for the processor
WORK = 1.0  # seconds of it that count as some
DIED = "its process died (out of memory, or a crash in compiled code)"
STILL = "its process stood still for {:g} minutes and was ended (--patience)"


def default_jobs(claims: int) -> int:
    """Return one process per core, at most one per claim; one if there is an accelerator, which two would fight over."""
    return 1 if _accelerated() else max(1, min(cores(), claims))


def run_claims(
    modules: Sequence[str],
    run: RunDirectory,
    jobs: int,
    *,
    progress: Progress,
    finished: Finished,
    warn: Warn = lambda message: None,
    patience: float = PATIENCE,
    lock: Lock | None = None,
    apart: bool = False,
) -> None:
    """Run claims given by module name and append their verdicts as they come.

    Args:
        modules: importable names; the last part is the slug.
        run: where everything is written.
        jobs: Number of processes; with 1, claims run in this process, which nobody watches.
        progress: called with slug, cells done, cells in all.
        finished: called with each appended entry.
        warn: called with every reason why something on disk is not used.
        patience: Minutes after which a worker that uses no processor time is ended; ignored if there is an accelerator.
        lock: The lock of the run's directory; the workers hold it as well.
        apart: Even one process is not this one, which keeps its settings of JAX.

    Raises:
        RecordError: if the run directory cannot be written.
    """

    def append(entry: dict) -> None:
        run.append(entry)
        finished(entry)

    if not apart and (jobs == 1 or len(modules) <= 1):
        for module in modules:
            append(run_module(module, run.path, progress, warn))
        return
    show = _Show(progress, warn, append)
    patience = float("inf") if _accelerated() else patience
    waiting, suspects = trained_first(modules), []
    while waiting:
        broken = _in_pool(waiting, run, jobs, patience, show, lock)
        waiting, suspects = broken.waiting, suspects + broken.under_way
    for module in suspects:
        broken = _in_pool([module], run, 1, patience, show, lock)
        if broken.why:
            append(unrun(*_names(module), broken.why))


def trained_first(modules: Sequence[str]) -> list[str]:
    """Return the claims in their order, but those that train first: no process should be left alone with one at the end."""

    def trained(module: str) -> bool:
        try:
            return bool(read_card(module).options.get("trains"))
        except (CardError, ImportError, OSError):
            return False  # its own process says why

    return sorted(modules, key=lambda module: not trained(module))


def run_module(
    module: str, path: Path, progress: Progress, warn: Warn = lambda message: None, *, outcome_only: bool = False
) -> dict:
    """Import one claim, run it as `run_claim` does, and return its entry; a claim that cannot be imported is INCONCLUSIVE."""
    run = RunDirectory.open(path)
    slug, topic = _names(module)
    try:
        _configure(run.settings)
        source_digest(module)  # before the import: what is imported is then no older than the digest says
        experiment = Experiment.of(importlib.import_module(module))
    except Exception as error:
        run.save_text(f"errors/{slug}.txt", "".join(traceback.format_exception(error)))
        return unrun(slug, topic, f"cannot be loaded: {one_line(error)}")
    from depthjax.runs.runner import run_claim

    found = run_claim(experiment, run, lambda done, total: progress(slug, done, total), warn, outcome_only=outcome_only)
    try:
        return check_verdict(plain(found))
    except SchemaError as error:
        return unrun(slug, topic, f"its verdict cannot be kept: {error}")


@dataclasses.dataclass(frozen=True)
class _Show:
    """Where progress, warnings and finished entries go."""

    progress: Progress
    warn: Warn
    append: Finished


@dataclasses.dataclass(frozen=True)
class _Broken:
    """The claims that were left when a worker died or stalled; empty if none did."""

    why: str = ""
    under_way: list[str] = dataclasses.field(default_factory=list)
    waiting: list[str] = dataclasses.field(default_factory=list)


@safe_path()
def _in_pool(modules: list[str], run: RunDirectory, jobs: int, patience: float, show: _Show, lock: Lock | None) -> _Broken:
    """Run claims in fresh processes until all are done, or until one process breaks, which ends the pool."""
    context = multiprocessing.get_context("spawn")
    messages = context.SimpleQueue()
    others = set(multiprocessing.active_children())
    size, under_way, why = min(jobs, len(modules)), set(), DIED

    def listen() -> None:
        nonlocal why
        while not messages.empty():
            module, event = messages.get()
            under_way.add(module)
            if event == (STILL,):
                why = STILL.format(patience)
            elif len(event) == 1:
                show.warn(*event)
            elif event:
                show.progress(*event)

    start = {"initializer": _start, "initargs": (messages, patience, lock, settled())}
    with concurrent.futures.ProcessPoolExecutor(size, mp_context=context, **start) as pool:
        with without_main():
            futures = {pool.submit(_work, module, str(run.path)): module for module in modules}
        try:
            while futures:
                done, _ = concurrent.futures.wait(futures, 0.2, concurrent.futures.FIRST_COMPLETED)
                listen()
                for future in done:
                    show.append(future.result())
                    del futures[future]
        except BrokenProcessPool:
            listen()
            left = list(futures.values())
            # a pool that cannot even start its processes leaves all under suspicion
            suspects = [module for module in left if module in under_way] or left
            return _Broken(why, suspects, [module for module in left if module not in suspects])
        except BaseException:
            # nobody will read what the others would still write
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return _Broken()


_messages: Any = None  # of a worker process: where its progress goes
_module = ""  # and what it is at
_lock: Lock | None = None  # and what nobody else writes


def _start(messages, patience: float, lock: Lock | None, folders: Mapping[str, str]) -> None:
    """Prepare a worker: it leaves interrupts to its parent and ends itself if it is orphaned or stalls.

    It learns the places of claims that are not installed. An orphan must end, because a resumed run must be the only writer. A
    worker that has work but used no processor time for `patience` minutes prints its stacks on standard error and exits.
    """
    global _messages, _lock
    _messages, _lock = messages, lock
    settle(folders)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None and parent.pid is not None  # this is a worker
    be_killed_with(parent.pid)

    def follow() -> None:
        worked, since = time.process_time(), time.monotonic()
        while not multiprocessing.connection.wait([parent.sentinel], timeout=1.0):
            if not _module or time.process_time() - worked > WORK:
                worked, since = time.process_time(), time.monotonic()
            elif time.monotonic() - since > 60 * patience:
                faulthandler.dump_traceback()
                messages.put((_module, (STILL,)))
                break
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _work(module: str, path: str) -> dict:
    global _module
    _module = module
    _messages.put((module, ()))
    try:
        return run_module(module, Path(path), _tell(module), _tell(module))
    finally:
        _module = ""


def _tell(module: str) -> Callable[..., None]:
    return lambda *event: _messages.put((module, event))


def device(jobs: int, settings: Settings) -> str:
    """Return the kind of device that claims will be measured on; empty if only the workers can know."""
    if not _accelerated():
        return cpu()
    if jobs > 1:
        return ""
    _configure(settings)
    return environment(here=False)["device"]


def _configure(settings: Settings) -> None:
    configure(settings.precision, cache=True, brief=settings.size in ("test", "quick"))


def _accelerated() -> bool:
    return bool(importlib.metadata.entry_points(group="jax_plugins")) and os.environ.get("JAX_PLATFORMS") != "cpu"


def _names(module: str) -> tuple[str, str]:
    package, _, slug = module.rpartition(".")
    return slug, package.rpartition(".")[2]

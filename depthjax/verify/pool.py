"""Runs many claims, in this process or in several; only this process appends verdicts."""

import concurrent.futures
import importlib
import importlib.metadata
import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from depthjax.verify.claim import Experiment
from depthjax.verify.entry import one_line, unrun
from depthjax.verify.provenance import configure
from depthjax.verify.records import RunDirectory

Progress = Callable[[str, int, int], None]
Finished = Callable[[dict], None]


def default_jobs(claims: int) -> int:
    """One process per core and claim; a single one where an accelerator is, which two processes would fight over."""
    accelerator = importlib.metadata.entry_points(group="jax_plugins") and os.environ.get("JAX_PLATFORMS") != "cpu"
    return 1 if accelerator else max(1, min(len(os.sched_getaffinity(0)), claims))


def run_claims(modules: Sequence[str], run: RunDirectory, jobs: int, *, progress: Progress, finished: Finished) -> None:
    """Run claims given by module name and append their verdicts as they come.

    Args:
        modules: importable names; the last part is the slug.
        run: where everything is written.
        jobs: processes; 1 stays in this one.
        progress: called with slug, cells done, cells in all.
        finished: called with each appended entry.

    Raises:
        RecordError: if the run directory cannot be written.
    """

    def append(entry: dict) -> None:
        run.append(entry)
        finished(entry)

    if jobs == 1 or len(modules) <= 1:
        for module in modules:
            append(run_module(module, run.path, progress))
        return
    left = _in_pool(trained_first(modules), run, jobs, progress, append)
    # a process died and took its neighbours along; alone, the guilty one shows itself and the others go on from their cells
    for module in left:
        if _in_pool([module], run, 1, progress, append):
            append(unrun(*_names(module), "its process died (out of memory, or a crash in compiled code)"))


def trained_first(modules: Sequence[str]) -> list[str]:
    """Return the claims in their order, but those that judge trends over seeds first.

    Training takes longest, and no process should be left alone with it at the end. This is read from the text of the modules:
    to import them all would take as long as it saves.
    """

    def trained(module: str) -> bool:
        try:
            spec = importlib.util.find_spec(module)
        except ImportError:
            return False  # its own process says why
        return spec is not None and spec.origin is not None and "relation=Relation.TREND" in Path(spec.origin).read_text()

    return sorted(modules, key=lambda module: not trained(module))


def run_module(module: str, path: Path, progress: Progress) -> dict:
    """Import one claim, run it and return its entry; a claim that cannot be imported is INCONCLUSIVE."""
    run = RunDirectory.open(path)
    slug, topic = _names(module)
    try:
        configure(run.settings.precision, cache=True, brief=run.settings.size == "quick")
        experiment = Experiment.of(importlib.import_module(module))
    except Exception as error:
        run.save_text(f"errors/{slug}.txt", "".join(traceback.format_exception(error)))
        return unrun(slug, topic, f"cannot be loaded: {one_line(error)}")
    from depthjax.verify.runner import run_claim

    return run_claim(experiment, run, lambda done, total: progress(slug, done, total))


def _in_pool(modules: list[str], run: RunDirectory, jobs: int, progress: Progress, append: Finished) -> list[str]:
    """Run in fresh processes; returns what was left undone when one of them died."""
    context = multiprocessing.get_context("spawn")
    messages = context.SimpleQueue()
    others = set(multiprocessing.active_children())
    size = min(jobs, len(modules))
    with concurrent.futures.ProcessPoolExecutor(size, mp_context=context, initializer=_start, initargs=(messages,)) as pool:
        futures = {pool.submit(_work, module, str(run.path)): module for module in modules}
        try:
            waiting = set(futures)
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, 0.2, concurrent.futures.FIRST_COMPLETED)
                while not messages.empty():
                    progress(*messages.get())
                for future in done:
                    append(future.result())
                    del futures[future]
        except BrokenProcessPool:
            return list(futures.values())
        except BaseException:
            # nobody will read what the others would still write
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return []


_messages: Any = None  # of a worker process: where its progress goes


def _start(messages) -> None:
    """A worker leaves interrupts to its parent and does not outlive it: a resumed run must be the only writer."""
    global _messages
    _messages = messages
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a worker

    def follow() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _work(module: str, path: str) -> dict:
    return run_module(module, Path(path), lambda *event: _messages.put(event))


def _names(module: str) -> tuple[str, str]:
    package, _, slug = module.rpartition(".")
    return slug, package.rpartition(".")[2]

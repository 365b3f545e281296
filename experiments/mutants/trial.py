"""One trial: a fresh process loads a mutant, runs claims, and says how each of them ended.

The process is forked from a server that has imported the libraries and nothing of this project, so that it starts at once. JAX
has started no backend there. Each process has a run directory of its own, which is removed with it. Processor time and memory
are limited, because a mutant may loop for ever or fill the memory.
"""

import contextlib
import dataclasses
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path

from depthjax.located import OWN
from depthjax.runs import catalogue
from depthjax.runs.places import settle
from experiments.mutants.application import install
from experiments.mutants.mutant import Mutant, MutantError

FORKS = "forkserver" in multiprocessing.get_all_start_methods()
LIBRARIES = (
    *("jax", "jax.numpy", "numpy", "scipy.stats", "scipy.linalg", "scipy.optimize", "scipy.sparse.csgraph", "xarray", "sympy"),
    *("flax.linen", "optax", "chex", "mpmath", "jaxtyping", "matplotlib.figure", "matplotlib.backends.backend_svg"),
)
SEED, PRECISION = 0, "float64"
MEMORY = 8 * 2**30  # bytes of data of a process
STILL = 600.0  # seconds: a process that uses hardly any processor time for so long stands still
FAREWELL = 5.0  # seconds in which a process that says nothing more ends
STARTED, ERROR = "started", "error"
PARSING = threading.RLock()  # early releases of Python 3.11 end with a SystemError where two threads parse a program at a time


class Stopped(Exception):
    """The campaign ends before this trial does."""


@dataclasses.dataclass(frozen=True)
class HowEnded:
    """How a claim ended.

    Attributes:
        outcome: Value of the `Outcome`, or "error" if the program stopped.
        reason: What the judge or the program said.
        seconds: Processor time, all threads together.
    """

    outcome: str
    reason: str
    seconds: float


class Processes:
    """Runs claims in fresh processes. Several threads may share one object, and `stop` ends what all of them run."""

    def __init__(self) -> None:
        self.context = multiprocessing.get_context("forkserver") if FORKS else multiprocessing.get_context("spawn")
        self.context.set_forkserver_preload(list(LIBRARIES))  # ignored where processes are spawned
        self.stopped = threading.Event()

    def run(self, mutant: Mutant | None, slugs: Sequence[str], size: str, limit: float) -> dict[str, HowEnded]:
        """Run claims on the mutated program, or on the right one.

        Args:
            mutant: The mutant; None for the right program.
            slugs: The claims. They share a process until one of them ends it.
            size: of the claims.
            limit: Processor seconds for each process.

        Raises:
            MutantError: the mutant cannot be applied.
            RuntimeError: the end of a process says nothing of the mutant: it did not start, or something else killed it.
            Stopped: another thread called `stop`.
        """
        with PARSING:
            modules, ended = catalogue.modules(), {}
        while left := {slug: modules[slug] for slug in slugs if slug not in ended}:
            with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
                for slug, how in self._process(mutant, left, size, limit, folder):
                    ended[slug] = how
        return ended

    def stop(self) -> None:
        """End every process, and with it the work of every thread."""
        self.stopped.set()

    def _process(
        self, mutant: Mutant | None, modules: dict[str, str], size: str, limit: float, folder: str
    ) -> Iterator[tuple[str, HowEnded]]:
        """Yield what one process says, claim by claim. The claim that ends the process ends with an error."""
        ours, theirs = self.context.Pipe(duplex=False)
        task = mutant, modules, size, limit, folder
        child = self.context.Process(target=_child, args=(theirs, dict(os.environ), *task), daemon=True)
        left, started = list(modules), False
        with ours:
            child.start()
            theirs.close()
            try:
                while left:
                    if self.stopped.is_set():
                        raise Stopped
                    if wait([ours], timeout=0.2):
                        said = ours.recv()
                        if isinstance(said, MutantError):
                            raise said
                        if said == STARTED:
                            started = True
                        else:
                            left.remove(said[0])
                            yield said
            except EOFError:
                child.join(FAREWELL)
            finally:
                child.kill()
                child.join()
        if left and (not started or child.exitcode == -signal.SIGKILL):
            how = "was killed from outside, as for want of memory" if started else "did not start"
            raise RuntimeError(f"a process for {', '.join(modules)} {how}{_last_line(Path(folder, 'log'))}")
        if left:
            how = f"it crashed, stood still, or was ended after {limit:.0f} s of processor time"
            yield left[0], HowEnded(ERROR, f"{how}{_last_line(Path(folder, 'log'))}", limit)


def _child(
    line: Connection,
    variables: Mapping[str, str],
    mutant: Mutant | None,
    modules: Mapping[str, str],
    size: str,
    limit: float,
    folder: str,
) -> None:
    """Send slug and `Ended` of each claim, or the `MutantError` that forbids to start."""
    os.environ.update(variables)  # the server may have been started with others
    settle(OWN)  # a package of the same name on the path gives way: this process is depthjax's alone
    _silence(Path(folder, "log"))
    _limit(limit)
    line.send(STARTED)
    if mutant is not None:
        try:
            install(mutant)
        except MutantError as error:
            line.send(error)
            return
    # this project is imported from here on: what is imported is the mutated program
    from depthjax.runs.children import be_killed_with
    from depthjax.runs.claims import run_module
    from depthjax.runs.records import RunDirectory, Settings
    from depthjax.runs.sides import begin_sides

    be_killed_with(os.getppid())
    sides = begin_sides(STILL / 60, MEMORY, fork=True)  # both load the mutated program as this process does
    threading.Thread(target=_watch, daemon=True).start()
    for slug, module in modules.items():
        before, path = sides.processor_time(), Path(folder, slug)
        settings = Settings(size, SEED, PRECISION, (slug,), catalogue.packages_of([module]))
        entry = run_module(module, RunDirectory.create(path, settings).path, lambda *_: None, outcome_only=True)
        stopped = (path / "errors" / f"{slug}.txt").exists()
        outcome = ERROR if stopped else entry["outcome"]
        line.send((slug, HowEnded(outcome, entry["reason"], sides.processor_time() - before)))
    line.close()
    os._exit(0)  # threads of compiled code may take their time to end


def _watch() -> None:
    """End this process when its parent is gone."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a child
    wait([parent.sentinel])
    os._exit(1)


def _silence(file: Path) -> None:
    """What the process says goes to a file: many speak at once, and their verdicts are all that counts."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(descriptor, stream)


def _limit(seconds: float) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # a system without limits: the clock alone ends the process
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 60))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _last_line(log: Path) -> str:
    with contextlib.suppress(OSError):
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return f" ({' '.join(lines[-1].split())[:200]})" if lines else ""
    return ""

"""Cells on a cluster of Dask distributed, which runs the cells of lost workers again.

All workers see the directory of the run and write their cells there, so what is finished stays finished whoever is lost. Every
worker is asked, before each of its cells, whether it would give the numbers of this process: the same versions, the same code,
one kind of device, and a process that compiles as this run does. A worker of a run whose process is dead stops at its next
event after another process has signed the directory. Connect to clusters that you trust: what they send is unpickled.
"""

import concurrent.futures
import contextlib
import dataclasses
import itertools
import logging
import threading
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from depthjax.files import read
from depthjax.runs import provenance
from depthjax.runs.executor import CellWork, Gone, Tell
from depthjax.runs.origin import source_digest
from depthjax.runs.places import settle, settled
from depthjax.runs.provenance import PACKAGES, configure
from depthjax.runs.records import LOCK

SECONDS = 10  # that a scheduler, and then a first worker, may take to answer
GPU = "GPU"  # the resource that a worker with a GPU announces
RESUME = "nothing that was finished is lost: run the same command with --resume to go on"


class ClusterError(Exception):
    """A cluster that cannot be used; the message is one line for the user."""


class Abandoned(BaseException):
    """Another process writes the directory now, so nobody waits for this cell. Nothing that a cell does may catch this."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all processes that measure for one run must have in common.

    Attributes:
        directory: Of the run, seen by all.
        signature: What its writer wrote into the lock.
        source: Digest of the code of all cells.
        modules: That the digest is of.
        options: What `configure` is told.
        folders: Places of packages that are not installed.
        numerics: What numbers depend on; empty as long as no worker was asked.
        ask: Says what the numbers of a worker depend on.
    """

    directory: Path
    signature: str
    source: str
    modules: tuple[str, ...]
    options: Mapping[str, Any]
    folders: Mapping[str, str]
    numerics: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ask: Callable[[], Mapping[str, str]] = provenance.numerics


class Cluster:
    """Runs cells on the workers of a scheduler, as long as its block runs.

    If workers announce the resource GPU when the block begins, these get all cells, and otherwise every worker gets cells.
    """

    def __init__(self, address: str):
        """Prepare a connection to the scheduler at an address such as ``tcp://host:8786``."""
        self.address = address
        self.topic = f"depthjax-{uuid.uuid4().hex}"
        self.numbers = itertools.count()
        self.tells: dict[int, Tell] = {}

    def __enter__(self) -> "Cluster":
        """Connect.

        Raises:
            ClusterError: this is no address; nobody answers in ten seconds; there is no worker; one has other versions, or
                several threads.
        """
        try:
            import distributed
            from distributed.comm.addressing import get_address_host_port
        except ImportError as error:
            raise ClusterError(f"--cluster needs the extra `cluster`, which brings Dask distributed ({error})") from error
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what went wrong is said here, in one sentence
        for name in ("client", "core", "batched", "comm", "utils", "utils_comm"):
            logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
        try:  # what cannot be an address is told apart from an address where nobody answers
            get_address_host_port(self.address)
        except (OSError, ValueError, TypeError) as error:
            why = f"expected one such as tcp://host:8786 ({error})"
            raise ClusterError(f"{self.address!r} is no address of a scheduler: {why}") from error
        if self.address.startswith("tls://") and (missing := _uncertified(distributed)):
            raise ClusterError(
                f"{self.address!r} asks for TLS, and Dask has no {missing}: set distributed.comm.tls.ca-file, .client.cert and "
                ".client.key in its configuration, or DASK_DISTRIBUTED__COMM__TLS__CA_FILE, __CLIENT__CERT and __CLIENT__KEY"
            )
        try:
            self.client: Any = _within(SECONDS + 1, lambda: _client(distributed.Client, self.address))
        except (OSError, ValueError, TypeError, MemoryError) as error:
            # Dask takes the greeting of another protocol for the size of a message, and asks for so much memory
            foreign = isinstance(error, MemoryError)
            why = "what answers there is no Dask scheduler" if foreign else " ".join(str(error).split())[:160]
            raise ClusterError(f"no scheduler answers at {self.address!r} within {SECONDS} seconds ({why})") from error
        try:
            with contextlib.suppress(TimeoutError):
                self.client.wait_for_workers(1, timeout=SECONDS)
            self.resource = GPU if any(GPU in worker["resources"] for worker in self._every().values()) else ""
            self._check(self._workers())
            self.client.subscribe_topic(self.topic, self._hear)
        except BaseException:
            self.client.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self.client.close(timeout=SECONDS)

    @property
    def width(self) -> int:
        """Number of workers that get cells, now."""
        try:
            return len(self._workers())
        except Exception as error:
            raise self._lost() from error

    def agree(
        self,
        directory: Path,
        modules: tuple[str, ...],
        options: Mapping[str, Any],
        ask: Callable[[], Mapping[str, str]] = provenance.numerics,
    ) -> dict[str, str]:
        """Ask all workers whether they would give the numbers of this process, and let them run cells.

        Args:
            directory: Of the run, which this process holds the lock of.
            modules: Names of the modules that the cells use.
            options: What `configure` is told.
            ask: Says what the numbers of a worker depend on, if not `numerics`.

        Returns:
            What the numbers of the workers depend on, their device among it.

        Raises:
            ClusterError: one worker does not see the directory, or has other code; or two differ from each other.
        """
        directory = directory.resolve()
        places = directory, _signature(directory), source_digest(*modules)
        self.setting = Setting(*places, modules, dict(options), settled(), ask=ask)
        workers = list(self._workers())
        found = self.client.run(_ready, self.setting, workers=workers, on_error="return")
        first: dict[str, str] = {}
        for worker, answer in sorted(found.items()):
            if isinstance(answer, BaseException):
                raise ClusterError(f"worker {worker} {_one_line(answer)}")
            first = first or answer
            if answer != first:
                raise ClusterError(f"worker {worker} has {_differences(answer, first, f'worker {workers[0]}')}")
        self.setting = dataclasses.replace(self.setting, numerics=first)
        return first

    def submit(self, cell: CellWork, tell: Tell) -> concurrent.futures.Future:
        """Run a cell on the next free worker."""
        number, found = next(self.numbers), concurrent.futures.Future()
        self.tells[number] = tell
        resources = {self.resource: 1} if self.resource else None
        try:
            future = self.client.submit(_run, self.setting, cell, self.topic, number, resources=resources, pure=False)
        except Exception as error:
            raise self._lost() from error
        future.add_done_callback(lambda done: self._close(done, found))
        return found

    def alone(self) -> contextlib.AbstractContextManager["Cluster"]:
        """Return this cluster: it has run the cells of lost workers again already."""
        return contextlib.nullcontext(self)

    def _workers(self) -> dict[str, Any]:
        """The workers that get cells, by address."""
        every = self._every().items()
        return {address: worker for address, worker in every if not self.resource or self.resource in worker["resources"]}

    def _every(self) -> dict[str, Any]:
        return self.client.scheduler_info(n_workers=-1)["workers"]

    def _check(self, workers: Mapping[str, Any]) -> None:
        if not workers:
            start = f"dask worker {self.address} --nthreads 1"
            raise ClusterError(f"the scheduler at {self.address} has no workers: start one with `{start}`")
        versions = self.client.get_versions(packages=list(PACKAGES))
        here = _known(versions["client"])
        for address, worker in sorted(workers.items()):
            there = _known(versions["workers"].get(address) or {"packages": {}})
            if there != here:
                raise ClusterError(f"worker {address} has {_differences(there, here, 'this process')}: install the same there")
            if worker["nthreads"] != 1:
                raise ClusterError(f"worker {address} has {worker['nthreads']} threads: start it with --nthreads 1")

    def _close(self, done: Any, found: concurrent.futures.Future) -> None:
        import distributed

        if done.status == "finished":
            found.set_result(done.result())
        elif done.status == "error":
            error = done.exception()
            lost = isinstance(error, distributed.KilledWorker)
            found.set_exception(Gone("every worker that measured it was lost", again=False) if lost else error)
        else:
            found.set_exception(self._lost())

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler at {self.address} is gone; {RESUME}")

    def _hear(self, event: tuple[float, Any]) -> None:
        number, *parts = event[1]
        if number in self.tells:
            with contextlib.suppress(Exception):  # a display that fails holds up no measurement
                self.tells[number](*parts)


def _uncertified(distributed: Any) -> str:
    """What a client with TLS lacks, as Dask was configured; empty if nothing."""
    known = distributed.Security().get_tls_config_for_role("client")
    return "certificate of an authority" if not known.get("ca_file") else "" if known.get("cert") else "certificate of its own"


def connected(address: str | None) -> contextlib.AbstractContextManager[Cluster | None]:
    """The cluster at an address, connected while the block runs; None where no address is given. Raises as `Cluster`."""
    return contextlib.nullcontext() if address is None else Cluster(address)


_compiles: object = None  # of a worker: how it has asked XLA to compile, which cannot change afterwards


def _ready(setting: Setting) -> dict[str, str]:
    """Prepare this worker, and return what its numbers depend on."""
    global _compiles
    settle(setting.folders)
    if _signature(setting.directory) != setting.signature:
        raise ClusterError(f"does not see the run in {setting.directory}: --out must be a folder that all workers see")
    if missing := [module for module in setting.modules if not source_digest(module)]:
        raise ClusterError(f"cannot find {missing[0]}: install it there, or name a path that all workers see")
    if source_digest(*setting.modules) != setting.source:
        raise ClusterError("has other source code than this process, or has loaded it before it changed: restart the worker")
    brief = setting.options.get("brief", False)
    if _compiles not in (None, brief):
        kinds = "test and quick", "full, paper and sweeps"
        raise ClusterError(f"has compiled for runs of another size ({kinds[not _compiles]}): restart the worker")
    _compiles = brief
    configure(**setting.options)
    return dict(setting.ask())


def _run(setting: Setting, cell: CellWork, topic: str, number: int) -> Any:
    """Run a cell on this worker; a worker that came after the others were asked is asked now."""
    from distributed import get_worker

    worker, found = get_worker(), _ready(setting)
    if found != setting.numerics:
        raise ClusterError(f"worker {worker.address} has {_differences(found, setting.numerics, 'the others')}; {RESUME}")

    def tell(*event: Any) -> None:
        if _signature(setting.directory) != setting.signature:
            raise Abandoned
        worker.log_event(topic, [number, *event])

    return cell(tell)


def _client(kind: Any, address: str) -> Any:
    """A connected client; one that cannot connect is marked as closed, because Dask waits for it for twenty seconds."""
    client = kind.__new__(kind)
    try:
        client.__init__(address, timeout=SECONDS, set_as_default=False)
    except BaseException:
        client.status = "closed"
        raise
    return client


def _within(seconds: int | float, call: Callable[[], Any]) -> Any:
    """Return what the call returns; a call that takes longer is left behind, because Dask bounds no handshake.

    Raises:
        TimeoutError: It took longer.
    """
    found: concurrent.futures.Future = concurrent.futures.Future()

    def answer() -> None:
        try:
            found.set_result(call())
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=answer, daemon=True).start()
    return found.result(seconds)


def _signature(directory: Path) -> str:
    """What the writer of a directory wrote into its lock; empty if there is none."""
    try:
        return read(directory / LOCK, 10_000, directory).decode()
    except (OSError, ValueError):
        return ""


def _known(versions: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(versions["packages"].get(name)) for name in ("python", *PACKAGES)}


def _differences(there: Mapping[str, str], here: Mapping[str, str], whose: str) -> str:
    names = [name for name in here if there.get(name) != here[name]]
    return ", ".join(f"{name} {there.get(name)} ({whose}: {here[name]})" for name in names)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) if isinstance(error, ClusterError) else f"fails: {type(error).__name__}: {error}"

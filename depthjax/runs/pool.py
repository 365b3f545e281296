"""Cells in several processes of this machine.

Pebble's pool says of every cell what became of it: a process that dies takes no other cell along. The processes are spawned.
Each of them ends with this one, and ends itself if it stands still or holds more than its share of the memory.
"""

import contextlib
import itertools
import multiprocessing
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection, wait
from typing import Any

from pebble import ProcessExpired, ProcessPool

from depthjax.located import OWN
from depthjax.runs.children import end_with_parent, keep_limits, machine_memory, safe_path, why_gone, without_main
from depthjax.runs.executor import CellWork, Gone, Tell
from depthjax.runs.lock import Lock
from depthjax.runs.places import settle, settled

PATIENCE = 5.0  # minutes without work for the processor
SHARE = 0.9  # of the memory of the machine, for all processes together
LONGEST = 900  # characters of a text in an event: a whole event fits into one write to a pipe, which nothing can interrupt
LOST = "its process is gone: code that it ran ended it, as os._exit(0) does, or it died as it began"
UNBORN = "no process could be started"


class Pool:
    """Runs cells in processes of its own, as long as its block runs."""

    def __init__(
        self,
        width: int,
        *,
        patience: float = PATIENCE,
        memory: float | None = None,
        lock: Lock | None = None,
        prepare: Callable[[float, float], None] | None = None,
    ) -> None:
        """Prepare a pool; processes start with the first cell.

        Args:
            width: Number of processes.
            patience: Minutes after which a process that uses no processor time is ended.
            memory: Bytes that all processes together may hold, in equal shares; None for nine tenths of the machine's.
            lock: The lock of the directory that the cells write to. The processes hold it as well.
            prepare: Called in each process with its patience and its share of the memory, before it does anything else.
        """
        self.width, self.patience, self.lock, self.prepare = width, patience, lock, prepare
        self.memory = SHARE * machine_memory() if memory is None else memory
        self.open: dict[int, Future] = {}
        self.tells: dict[int, Tell] = {}  # of all cells, because an event may arrive after the result
        self.processes: dict[int, int] = {}  # of the cells that have begun
        self.numbers = itertools.count()

    def __enter__(self) -> "Pool":
        context = multiprocessing.get_context("spawn")
        self.around = contextlib.ExitStack()
        self.around.enter_context(safe_path())
        self.around.enter_context(without_main())
        self.reader, self.writer = context.Pipe(duplex=False)
        start = (self.writer, self.patience, self.memory / self.width, self.lock, settled(), self.prepare)
        self.pool = ProcessPool(self.width, initializer=_start, initargs=start, context=context)
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        return self

    def __exit__(self, *error: object) -> None:
        """End all processes, idle or not: whoever leaves the block early wants nothing from them any more."""
        self.pool.stop()
        self.pool.join()
        self.writer.close()
        self.listener.join()
        self.reader.close()
        self.around.close()

    def submit(self, cell: CellWork, tell: Tell) -> Future:
        """Run a cell in the next free process."""
        number, future = next(self.numbers), Future()
        self.open[number], self.tells[number] = future, tell
        try:
            self.pool.schedule(_work, (number, cell)).add_done_callback(lambda found: self._close(number, found))
        except RuntimeError:  # no process of this pool lives
            self._resolve(number, error=Gone(UNBORN, again=True))
        return future

    def alone(self) -> "Pool":
        """Return a pool of one process, which may hold as much memory as all of these together."""
        return Pool(1, patience=self.patience, memory=self.memory, lock=self.lock, prepare=self.prepare)

    def _close(self, number: int, found: Future) -> None:
        try:
            self._resolve(number, found.result())
        except ProcessExpired as expired:
            why = why_gone(expired.exitcode, self.patience, self.memory / self.width)
            self._resolve(number, error=Gone(why, again=True))
        except BrokenProcessPool:
            self._resolve(number, error=Gone(UNBORN, again=True))
        except BaseException as error:
            self._resolve(number, error=error)

    def _resolve(self, number: int, result: Any = None, error: BaseException | None = None) -> None:
        future = self.open.pop(number, None)
        if future is not None:
            with contextlib.suppress(InvalidStateError):
                future.set_result(result) if error is None else future.set_exception(error)

    def _listen(self) -> None:
        """Tell the events of all processes, and look after those that have ended."""
        missing: set[int] = set()
        with contextlib.suppress(EOFError, OSError):  # all processes are gone, and this one closes
            while True:
                if self.reader.poll(2.0):
                    number, *event = self.reader.recv()
                    if len(event) == 1 and isinstance(event[0], _Begun):
                        self.processes[number] = event[0].process
                    else:
                        with contextlib.suppress(Exception):  # a display that fails holds up no measurement
                            self.tells[number](*event)
                else:
                    missing = self._bury(missing)

    def _bury(self, missing: set[int]) -> set[int]:
        """Close the cells that were missing before, and return those whose process is gone.

        The pool misses a process that ends with code 0, and one that dies in the moment between taking a cell and saying so.
        """
        alive = {process.pid for process in multiprocessing.active_children()}
        gone = {number for number, process in list(self.processes.items()) if process not in alive and number in self.open}
        for number in gone & missing:
            self._resolve(number, error=Gone(LOST, again=True))
        return gone


class _Begun:
    """The first event of a cell: the process that runs it."""

    def __init__(self, process: int):
        self.process = process


_line: Connection  # of a worker process: where its events go
_working = False


def _start(
    line: Connection,
    patience: float,
    memory: float,
    lock: Lock | None,
    folders: Mapping[str, str],
    prepare: Callable[[float, float], None] | None,
) -> None:
    """Prepare a worker process. It holds the lock by having received it; an orphan must end before a resumed run may write."""
    global _line
    parent = multiprocessing.parent_process()
    assert parent is not None and parent.pid is not None  # this is a worker
    if prepare is not None:
        prepare(patience, memory)  # while this process has one thread
    end_with_parent(parent.pid, lambda: wait([parent.sentinel]))
    settle({**OWN, **folders})  # packages of the same names on the path give way: this process is depthjax's alone
    _line = line
    keep_limits(lambda: _working, patience, memory)


def _work(number: int, cell: CellWork) -> Any:
    global _working
    _working = True
    try:
        _line.send((number, _Begun(multiprocessing.current_process().pid or 0)))
        return cell(lambda *event: _line.send((number, *(e[:LONGEST] if isinstance(e, str) else e for e in event))))
    finally:
        _working = False

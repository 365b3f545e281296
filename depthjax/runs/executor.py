"""The seam between work and those who do it: ``executor.submit(cell) -> future``.

The unit of work is a cell, or a group of cells that share compiled programs. A cell knows nothing of the process that runs it,
and an executor knows nothing of cells: a run gives the same numbers in this process (`Here`), in several processes of this
machine (`depthjax.runs.pool`) and on a cluster (`depthjax.runs.cluster`).
"""

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Protocol, TypeVar, runtime_checkable

Tell = Callable[..., None]  # takes the parts of an event: numbers, texts, and tuples of them
AnyCell = TypeVar("AnyCell", bound="CellWork")


@runtime_checkable
class CellWork(Protocol):
    """Work for one process: plain data that can be pickled, and a call that does the work."""

    def __call__(self, tell: Tell) -> Any:
        """Do the work and return its result; call ``tell`` with every event on the way."""
        ...


class Gone(Exception):
    """The process of a cell ended before the cell did. The message is the reason.

    Attributes:
        again: Whether the cell may succeed in a process that has the machine to itself.
    """

    def __init__(self, reason: str, *, again: bool):
        super().__init__(reason)
        self.again = again

    def __reduce__(self) -> tuple:
        return partial(Gone, again=self.again), self.args


class Elsewhere(Exception):
    """An error that another process raised.

    Attributes:
        line: Its kind and message on one line.
        trace: Its traceback.
        kind: Its class.
    """

    def __init__(self, line: str, trace: str, kind: str):
        super().__init__(line, trace, kind)
        self.line, self.trace, self.kind = line, trace, kind

    def __str__(self) -> str:
        return self.line.partition(": ")[2]

    def place(self, file: str) -> tuple[str, int | None]:
        """Return the last file of a folder that the error came through, and its line; the given file of it if there is none."""
        inside = re.escape(os.path.dirname(file) + os.sep)
        found = re.findall(rf'File "({inside}[^"]*)", line (\d+)', self.trace)
        return (found[-1][0], int(found[-1][1])) if found else (file, None)


@runtime_checkable
class Executor(Protocol):
    """Whoever runs cells.

    Attributes:
        width: Number of cells that run at the same time.
    """

    @property
    def width(self) -> int: ...  # noqa: D102

    def submit(self, cell: CellWork, tell: Tell) -> Future:
        """Run a cell. The future holds its result, or its exception, or `Gone`; ``tell`` may be called from any thread."""
        ...

    def alone(self) -> "AbstractContextManager[Executor]":
        """Return an executor that runs one cell at a time, which may use the whole machine."""
        ...


class Here:
    """Runs each cell in this process, while it is submitted."""

    width = 1

    def submit(self, cell: CellWork, tell: Tell) -> Future:
        """Return a future that is done."""
        future: Future = Future()
        try:
            future.set_result(cell(tell))
        except Exception as error:
            future.set_exception(error)
        return future

    def alone(self) -> "AbstractContextManager[Here]":
        """Return this executor itself."""
        return nullcontext(self)


def as_done(executor: Executor, waiting: "list[AnyCell]", tell: Callable[[AnyCell], Tell]) -> Iterator[tuple[AnyCell, Future]]:
    """Yield each cell with its finished future, as they finish.

    No more cells than the executor is wide are submitted at a time, so that whoever takes a result may still change the list.

    Args:
        executor: Runs the cells.
        waiting: The cells, first come first served. The list is emptied.
        tell: Takes a cell, and returns what its events are told to.
    """
    under_way: dict[Future, AnyCell] = {}
    while waiting or under_way:
        while waiting and len(under_way) < max(executor.width, 1):
            cell = waiting.pop(0)
            under_way[executor.submit(cell, tell(cell))] = cell
        for future in wait(under_way, return_when=FIRST_COMPLETED).done:
            yield under_way.pop(future), future

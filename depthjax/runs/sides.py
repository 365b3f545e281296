"""The two processes behind a judge: one predicts, one measures, and neither sees the other.

They begin together, answer calls for as long as the process that judges lives, and end with it. A process that has one thread
and no JAX forks them, so that what all three need is imported once. Any other starts a new one, which forks the first and
becomes the second. They talk over sockets, in plain data (`depthjax.runs.wire`).
"""

import contextlib
import math
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from depthjax.runs import wire
from depthjax.runs.children import end_with_parent, keep_limits, safe_path, waiting_for_another, why_gone
from depthjax.runs.entry import one_line, traced
from depthjax.runs.executor import Elsewhere, Gone
from depthjax.runs.places import settled

SIDES = ("predict", "measure")
SPENT = "spent"  # asks a side for its processor time
FORKS = hasattr(os, "fork")
START = "import sys; sys.path[:] = {path!r}; from depthjax.runs.sides import begin; begin({descriptors!r}, {limits!r})"


class Sides:
    """The two processes. A process of them that ends takes the other along, and the next call starts both anew."""

    def __init__(self, patience: float = float("inf"), memory: float = float("inf")):
        """Prepare them; `start` or the first call begins them.

        Args:
            patience: Minutes after which one that works and uses no processor time is ended.
            memory: Bytes that they may hold together with this process.
        """
        self.limits = patience, memory
        self.lines: dict[str, Connection] = {}
        self.processes: dict[str, int] = {}
        self.lock = threading.RLock()
        self.owner = os.getpid()

    def predicting(self, method: str, *arguments: Any) -> Any:
        """Call a method of `depthjax.runs.predicting.Predicting` in the process that predicts; raises as `_call`."""
        return self._call("predict", method, arguments)

    def measuring(self, method: str, *arguments: Any) -> Any:
        """Call a method of `depthjax.runs.measuring.Measuring` in the process that measures; raises as `_call`."""
        return self._call("measure", method, arguments)

    def processor_time(self) -> float:
        """Return the seconds of processor time of this process and of both sides."""
        return time.process_time() + sum(self._call(side, SPENT, ()) for side in SIDES)

    def start(self, fork: bool | None = None) -> None:
        """Begin both processes, if they have not begun.

        Args:
            fork: Fork them, whatever this process has imported; None decides by what it has.
        """
        if self.lines and self.owner == os.getpid():
            return
        self.owner, self.lines = os.getpid(), {}
        ours, theirs = zip(*(socket.socketpair() for _ in SIDES), strict=True)
        if FORKS and (threading.active_count() == 1 and "jax" not in sys.modules if fork is None else fork):
            first = _fork(SIDES[0], theirs[0].fileno(), self.limits)
            self.processes = dict(zip(SIDES, (first, _fork(SIDES[1], theirs[1].fileno(), self.limits, first)), strict=True))
        else:
            descriptors = [one.fileno() for one in theirs]
            code = START.format(path=sys.path, descriptors=descriptors, limits=_finite(self.limits))
            with safe_path():
                process = subprocess.Popen([sys.executable, "-c", code], pass_fds=descriptors, stdin=subprocess.DEVNULL)
            process.returncode = 0  # it is waited for here
            self.processes = {"measure": process.pid}
        for one in theirs:
            one.close()
        self.lines = {side: Connection(one.detach()) for side, one in zip(SIDES, ours, strict=True)}

    def close(self) -> None:
        """End both processes."""
        for line in self.lines.values():
            line.close()
        if self.owner == os.getpid():
            for process in self.processes.values():
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, 0)
        self.lines, self.processes = {}, {}

    def _call(self, side: str, method: str, arguments: Sequence[Any]) -> Any:
        """Return what a method returns there.

        Raises:
            Elsewhere: it raised an error there.
            Gone: its process ended.
            NotPlain: what it was to say is no plain data.
        """
        with self.lock:
            self.start()
            try:
                self.lines[side].send_bytes(wire.dumps((method, tuple(arguments))))
                patience, _ = self.limits
                with waiting_for_another() if patience < math.inf else contextlib.nullcontext():
                    answer = self.lines[side].recv_bytes()
            except (EOFError, OSError):
                raise Gone(self._why(side), again=True) from None
            except BaseException:  # the user's Ctrl-C: nobody waits for the answer
                self.close()
                raise
        done, value = wire.loads(answer)
        if done:
            return value
        raise Elsewhere(*value)

    def _why(self, side: str) -> str:
        """Why a process is gone; both are ended."""
        code = None
        if side in self.processes:
            with contextlib.suppress(OSError):
                _, status = os.waitpid(self.processes.pop(side), 0)
                code = os.waitstatus_to_exitcode(status)
        self.close()
        return why_gone(code, *self.limits)


def begin(descriptors: Sequence[int], limits: tuple[float, float]) -> None:
    """Fork the process that predicts from this new one, and become the one that measures."""
    if FORKS:
        first = _fork(SIDES[0], descriptors[0], limits)
        _become(SIDES[1], descriptors[1], limits, first)
    raise OSError("this system cannot fork")


def _fork(side: str, descriptor: int, limits: tuple[float, float], *beside: int) -> int:
    process = os.fork()
    if process == 0:
        try:
            _become(side, descriptor, limits, *beside)
        finally:
            os._exit(1)
    return process


def _become(side: str, descriptor: int, limits: tuple[float, float], *beside: int) -> None:
    """Answer calls until the judge is gone, and end."""
    parent = os.getppid()
    line = os.dup(descriptor)
    for low, high in ((3, line), (line + 1, os.sysconf("SC_OPEN_MAX"))):
        os.closerange(low, high)
    os.dup2(2, 1)  # what claims print is no output
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the judge is asked, and ends this process
    end_with_parent(parent, lambda: _hung_up(line))
    connection, state = Connection(line), {"working": False}
    if min(limits) < 1e300:
        keep_limits(lambda: state["working"], *limits, (parent, *beside))
    if side == "predict":
        from depthjax.runs.predicting import Predicting as Answering
    else:
        from depthjax.runs.measuring import Measuring as Answering
    try:
        _answer(connection, Answering(), state)
    finally:
        os._exit(0)


def _hung_up(line: int) -> None:
    """Return when nobody holds the other end of a socket."""
    waiting = select.poll()
    waiting.register(line, 0)
    waiting.poll()


def _answer(connection: Connection, answering: Any, state: dict[str, bool]) -> None:
    while True:
        try:
            content = connection.recv_bytes()
        except (EOFError, OSError):
            return
        method, arguments = wire.loads(content)
        state["working"] = True
        try:
            value = time.process_time() if method == SPENT else getattr(answering, method)(*arguments)
            answer = wire.dumps((True, value))
        except BaseException as error:
            answer = wire.dumps((False, (one_line(error), traced(error), type(error).__name__)))
        state["working"] = False
        try:
            connection.send_bytes(answer)
        except OSError:
            return


def _finite(limits: tuple[float, float]) -> tuple[float, float]:
    return tuple(min(limit, 1e300) for limit in limits)  # type: ignore[return-value]


def place() -> dict[str, Any]:
    """Return how this process finds modules, and its environment: both sides take them over with every claim."""
    return {"path": list(sys.path), "folders": settled(), "variables": dict(os.environ)}


_sides: Sides | None = None


def sides() -> Sides:
    """Return the two processes of this one."""
    global _sides
    if _sides is None or _sides.owner != os.getpid():
        _sides = Sides()
    return _sides


def begin_sides(patience: float, memory: float, *, fork: bool | None = None) -> Sides:
    """Begin the two processes of this one, within limits; for a process that has just begun. The arguments are of `Sides`."""
    global _sides
    _sides = Sides(patience, memory)
    _sides.start(fork)
    return _sides

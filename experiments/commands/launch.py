"""Several processes of one sweep on this machine: started, watched, and ended with the process that started them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from depthjax.runs.children import end_with_parent
from depthjax.runs.lock import Lock
from experiments.watch import LAUNCHED

ENDED = (0, 1, 3)  # what a sweep that is finished returns
FAREWELL = 30.0  # seconds that a process with nothing left to do may take to end
CHILD = """
import sys
root = sys.argv.pop(1)  # where the parent found this package; nothing else is added to the path
if root not in sys.path:
    sys.path.append(root)
from depthjax.__main__ import main
sys.exit(main())
"""


class ProcessGone(Exception):
    """A process ended before its work did; ``code`` is its exit code, negative for a signal."""

    def __init__(self, number: int, processes: int, code: int):
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        super().__init__(f"process {number} of {processes} {how}")
        self.code = code


def launch(arguments: Sequence[str], processes: int, lock: Lock) -> int:
    """Start the command once for every process, and wait for all of them.

    A process reports when its work is done and with which code; how it ends after that does not matter, because all results are
    on disk. If a process ends without a report, the others are ended too. Nothing is imported from the current folder.

    Returns:
        What process 0 returned.

    Raises:
        ProcessGone: a process ended before its work did.
    """
    root = str(Path(__file__).resolve().parents[2])
    safe = "-I" if sys.flags.isolated else "-P"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    children, lines = [], []
    try:
        for number in range(processes):
            ours, theirs = socket.socketpair()
            lines.append(ours)
            ours.setblocking(False)
            place = ["--processes", str(processes), "--coordinator", address, "--process", str(number)]
            with theirs:
                passed = theirs.fileno(), lock.descriptor
                variables = os.environ | {LAUNCHED: " ".join(map(str, (os.getpid(), *passed)))}
                command = [sys.executable, safe, "-c", CHILD, root, *arguments, *place]
                children.append(subprocess.Popen(command, env=variables, pass_fds=passed))
        return _watched(children, lines)
    finally:
        with _undisturbed():
            for child in children:
                child.kill()
            for child in children:
                child.wait()
            for line in lines:
                line.close()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let no second Ctrl-C break off what ends the children; it is short, because a killed process runs nothing more."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if threading.current_thread() is threading.main_thread() else None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _watched(children: list[subprocess.Popen], lines: list[socket.socket]) -> int:
    said: dict[int, int] = {}
    deadline = float("inf")
    while True:
        codes = [child.poll() for child in children]  # before the lines are read: the last word comes before the end
        for number, line in enumerate(lines):
            with contextlib.suppress(OSError):
                if word := line.recv(1):
                    said[number] = word[0]
        for number, code in enumerate(codes):
            if code is not None and said.get(number, code if code not in ENDED else -1) not in ENDED:
                raise ProcessGone(number, len(children), code)
        if len(said) == len(children):
            deadline = min(deadline, time.monotonic() + FAREWELL)
            if None not in codes or time.monotonic() > deadline:
                return said[0]
        time.sleep(0.05)


class Launched:
    """What a process of a sweep knows of the one that started it: its id, a socket to it, its lock; empty if a person did."""

    def __init__(self) -> None:
        parent, line, lock = map(int, words.split()) if (words := os.environ.pop(LAUNCHED, "")) else (0, -1, -1)
        self.lock = lock if parent else None
        self.line = socket.socket(fileno=line) if parent else None
        if self.line is not None:
            end_with_parent(parent, lambda: self.line and self.line.recv(1))

    def done(self, code: int) -> None:
        """Tell the parent that the work is done, whatever happens from here on."""
        if self.line is not None:
            sys.stdout.flush()
            sys.stderr.flush()
            self.line.send(bytes([code]))

"""A command in a process of its own: whatever ends that process, this one lives on and tells how the command ended.

A command runs code of other people: a claim, a layer, a library. Such code can end its process in ways that Python never sees
(``os._exit``, an abort of compiled code, XLA at a flag that it does not know), with any exit code, and 0 and 1 are those of
verdicts. So the exit code of the command is what its process says when the work is done, and not what it ends with.

The process is forked before any library is loaded and any thread runs, which takes a millisecond. Only Linux forks safely; on
other systems the command runs in this process.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable

from depthjax.runs.children import be_killed_with
from experiments.terminal import FAILED, open_streams, warn

LAUNCHED = "DEPTHJAX_LAUNCHED"  # set where another process of depthjax has started this one, and watches it
FORKS = sys.platform == "linux"
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT) if FORKS else ()  # what ends a command from outside
SENT = 0  # the code of a signal that a process has sent is at most this; a terminal's own goes to both processes


def watched(run: Callable[[], int]) -> int:
    """Run a command in a child of this process, and return its exit code in both of them.

    Returns:
        What `run` returned; 4 if the child ended without saying so, and a line on standard error then says how it ended.
    """
    if not FORKS or LAUNCHED in os.environ:  # a process of a sweep is watched by the one that has launched it
        return run()
    open_streams()  # or the pipe would take the place of one
    ours, theirs = os.pipe()
    parent, known = os.getpid(), signal.pthread_sigmask(signal.SIG_BLOCK, {*STOPS, signal.SIGCHLD})
    child = os.fork()
    if not child:
        be_killed_with(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, known)
        os.close(ours)
        return _told(run, theirs)
    os.close(theirs)
    status = _followed(child)
    os.set_blocking(ours, False)
    with contextlib.suppress(BlockingIOError):  # a process that the child has left behind holds the other end
        if said := os.read(ours, 1):
            return said[0]
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if number in STOPS:  # as every program that is told to end
        signal.signal(number, signal.SIG_DFL)
        os.kill(parent, number)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    how = f"was killed by signal {number}" if number else f"ended with code {os.waitstatus_to_exitcode(status)}"
    warn(
        f"failed: the process of this command {how} before its work was done: a crash or want of memory, or code that it ran "
        "has ended it, as os._exit does, or XLA at a flag in XLA_FLAGS that it does not know"
    )
    return FAILED


def _told(run: Callable[[], int], line: int) -> int:
    """Run the command, and say its exit code once the work is done."""
    try:
        code = run()
    except SystemExit:  # the parser has answered
        os.write(line, b"\0")
        raise
    with contextlib.suppress(OSError):  # the other process is gone
        os.write(line, bytes([code]))
    return code


def _followed(child: int) -> int:
    """Wait for the end of a child, and pass on what this process alone is sent; returns the status of its end."""
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        told = signal.sigtimedwait({*STOPS, signal.SIGCHLD}, 1.0)
        if told is not None and told.si_signo in STOPS and told.si_code <= SENT:
            os.kill(child, told.si_signo)

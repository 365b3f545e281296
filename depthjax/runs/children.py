"""Child processes: they end with their parent, have limits, and import nothing from the current folder."""

import contextlib
import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
STILL, FULL = 97, 98  # exit codes of a child that stood still, and of one that held too much memory
DIED = "its process died (out of memory, or a crash in compiled code)"
EXITED = "its process was ended with code {}, by code that it ran, as os._exit does, or by a library, as XLA at an unknown flag"
WORK = 1.0  # seconds of processor time that count as work
CONTAINER = Path("/sys/fs/cgroup/memory.max")  # the bytes that Linux lets a container have, or "max"


def end_with_parent(parent: int, wait: Callable[[], object]) -> None:
    """End this process when its parent ends, on every system: a thread waits for the parent.

    Args:
        parent: process id.
        wait: returns when the parent is gone, by a pipe or a socket whose other end only the parent holds.
    """
    be_killed_with(parent)

    def follow() -> None:
        wait()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


_waits = 0  # how many threads of this process wait for one that keeps limits of its own


@contextlib.contextmanager
def waiting_for_another() -> Iterator[None]:
    """In this block a process does not stand still: it waits for one that works, and that would be ended if it stood still."""
    global _waits
    _waits += 1
    try:
        yield
    finally:
        _waits -= 1


def keep_limits(working: Callable[[], bool], patience: float, memory: float, beside: Sequence[int] = ()) -> None:
    """End this process when it stands still or holds too much memory; its exit code is then `STILL` or `FULL`.

    A thread looks once a second. The clock on the wall does not count, because a slow machine is no reason to end anything.

    Args:
        working: Whether the process has work. One that waits for work may stand still.
        patience: Minutes of work with hardly any processor time, after which the process prints its stacks and ends; those in
            `waiting_for_another` do not count.
        memory: Bytes that the process may hold. They are counted on Linux alone.
        beside: Processes that share these bytes.
    """

    def look() -> None:
        worked, since = time.process_time(), time.monotonic()
        while sum(map(resident, ("self", *beside))) <= memory:
            if not working() or _waits or time.process_time() - worked > WORK:
                worked, since = time.process_time(), time.monotonic()
            elif time.monotonic() - since > 60 * patience:
                faulthandler.dump_traceback()
                os._exit(STILL)
            time.sleep(1.0)
        os._exit(FULL)

    threading.Thread(target=look, daemon=True).start()


def why_gone(code: int | None, patience: float, memory: float) -> str:
    """Return why a child with these limits ended with this exit code, which is None where nobody knows it."""
    if code == STILL:
        return f"its process stood still for {patience:g} minutes and was ended (--patience)"
    if code == FULL:
        return f"its process held more than {memory / 2**30:.3g} GiB of memory, its share of this machine, and was ended"
    return DIED if code is None or code < 0 else EXITED.format(code)


def machine_memory() -> float:
    """Return the bytes of memory that this machine, or the container around this process, has; infinity if nobody says."""
    if not hasattr(os, "sysconf"):
        return float("inf")
    found = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):
        found = min(found, float(CONTAINER.read_text(encoding="utf-8")))
    return found


def resident(process: int | str) -> float:
    """Return the bytes of memory that a process holds alone; 0 where the system does not say."""
    try:
        return float(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):
        return 0.0


def be_killed_with(parent: int) -> None:
    """Ask Linux to kill this process when the thread that started it is gone; elsewhere nothing happens.

    This is stronger than a thread of this process, because compiled code may keep the interpreter busy.
    """
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it went before the call
            os._exit(1)


@contextlib.contextmanager
def safe_path() -> Iterator[None]:
    """Children that start in this block do not look for modules in the current folder, unless their parent does."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Children that start in this block do not import the script that is running, which may have no guard against that."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main

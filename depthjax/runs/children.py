"""Child processes that end with their parent, however the parent ends, and that import nothing from the current folder."""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator

PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


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

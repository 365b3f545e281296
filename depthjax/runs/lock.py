"""One writer per directory: a lock of the operating system, which ends with the last process that holds it.

The child processes of the writer hold the lock as well, so that no other process writes while one of them lives. The file
`.lock` names the writer. A file that was left behind locks nothing.
"""

import contextlib
import datetime
import errno
import json
import os
import socket
import time
from collections.abc import Iterator
from multiprocessing import reduction
from pathlib import Path

from depthjax.files import open_alone
from depthjax.runs.records import LOCK, RecordError

try:
    import fcntl
except ImportError:  # no such locks on this system: nothing is locked
    fcntl = None

FAREWELL = 20.0  # seconds that the children of a dead writer get; they end within one


class Lock:
    """A directory that this process, or its parent, writes alone."""

    def __init__(self, path: Path, descriptor: int):
        self.path, self.descriptor = path, descriptor

    def __reduce__(self):
        """A child that is spawned with the lock holds it as well."""
        return _inherited, (self.path, reduction.DupFd(self.descriptor))


@contextlib.contextmanager
def one_writer(path: Path, inherited: int | None = None) -> Iterator[Lock]:
    """Hold the directory, which is made if it is not there, while the block runs.

    Args:
        path: the directory.
        inherited: the descriptor of the lock that the parent process holds, if it does.

    Raises:
        RecordError: another process holds the directory (the message says which), or it cannot be written.
    """
    file = path / LOCK
    try:
        path.mkdir(parents=True, exist_ok=True)
        own = inherited is None or not _names(inherited, file)
        descriptor = _held(file) if own else inherited
        assert descriptor is not None
        if own:
            _sign(descriptor)
    except OSError as error:  # a link in the place of the lock is one, too: what it leads to is not touched
        raise RecordError(f"cannot write to {path}: {error.strerror or error}") from error
    try:
        yield Lock(path, descriptor)
    finally:
        if own:
            with contextlib.suppress(OSError):
                file.unlink()
            os.close(descriptor)


def _held(file: Path) -> int:
    """Return the locked file; wait for the children of a dead writer."""
    deadline = time.monotonic() + FAREWELL
    while True:
        descriptor = open_alone(file)
        try:
            if _lock(descriptor) and _names(descriptor, file):
                return descriptor
            holder = _holder(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        late = time.monotonic() > deadline
        if late or (holder is not None and _alive(holder)):
            who = "process {process} on {host} since {since}".format(**holder) if holder else "a process that does not say who"
            raise RecordError(f"{file.parent} is in use by {who}: wait until it ends, or end it, or choose another --out")
        time.sleep(0.05)


def _lock(descriptor: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP):
            raise  # a file system without locks locks nothing
    return True


def _names(descriptor: int, file: Path) -> bool:
    """Whether the file of this name is still the one that is open: its last writer may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(file))
    except OSError:
        return False


def _sign(descriptor: int) -> None:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps({"process": os.getpid(), "host": socket.gethostname(), "since": now}).encode(), 0)


def _holder(descriptor: int) -> dict | None:
    """Return the name in the lock file; None if a new writer holds the lock and has not written its name yet."""
    try:
        found = json.loads(os.pread(descriptor, 10_000, 0))
        return {"process": int(found["process"]), "host": str(found["host"]), "since": str(found["since"])}
    except (ValueError, TypeError, KeyError):
        return None


def _alive(holder: dict) -> bool:
    if holder["host"] != socket.gethostname():
        return True
    try:
        os.kill(holder["process"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _inherited(path: Path, copy) -> Lock:
    return Lock(path, copy.detach())

"""The programs that XLA compiled, kept between runs in the user's cache directory: how many bytes of them, and where."""

import contextlib
import ctypes
import gc
import multiprocessing
import os
import sys
import warnings
from pathlib import Path

MOST = 2 * 2**30  # bytes; a program of a sweep takes a quarter of a MiB
LEAST_SECONDS = 0.1  # of compiling, for a program that is worth a file


def folder() -> Path:
    """Where programs are kept: ``depthjax/xla`` in ``XDG_CACHE_HOME``, which is ``~/.cache`` if it is not set."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "depthjax" / "xla"


def keep_programs() -> None:
    """Have JAX keep compiled programs; those that were not used for the longest time are removed beyond two GiB.

    Programs are read from a directory that cannot be written, and none is written there. A limit that the user gives JAX
    (``JAX_COMPILATION_CACHE_MAX_SIZE``) wins, and JAX then keeps it.
    """
    import jax

    place = folder()
    writable = _writable(place)
    jax.config.update("jax_compilation_cache_dir", str(place) if place.is_dir() else None)
    # a program that another process writes just now is read in part, and JAX, which writes in place, compiles it itself
    warnings.filterwarnings("ignore", "Error reading persistent compilation cache entry")
    # JAX warns for every program that it cannot write
    jax.config.update("jax_persistent_cache_min_compile_time_secs", LEAST_SECONDS if writable else float("inf"))
    if writable and multiprocessing.parent_process() is None and jax.config.values["jax_compilation_cache_max_size"] < 0:
        prune(place, MOST)


def told() -> str:
    """Why compiled programs are not kept; empty if they are."""
    place = folder()
    return "" if _writable(place) else f"{place} cannot be written: compiled programs are not kept, and later runs start slower"


def forget_programs() -> None:
    """Forget the programs that this process has compiled, and give what they held back to the system.

    Thousands of them hold gigabytes, and have crashed the compiler. One that is asked for again is compiled again, or read from
    disk.
    """
    import jax

    jax.clear_caches()
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


def prune(place: Path, most: int) -> None:
    """Remove the files of a directory that were not used for the longest time, until three quarters of `most` bytes are left.

    Nothing happens as long as there are no more than `most` bytes, or the directory cannot be read.
    """
    found = []
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # another process removes, too
                if entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    found.append((max(status.st_atime, status.st_mtime), status.st_size, entry.path))
    left = sum(size for _, size, _ in found)
    if left <= most:
        return
    for _, size, path in sorted(found):
        if left <= most * 3 // 4:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)
        left -= size


def _writable(place: Path) -> bool:
    with contextlib.suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
    return os.access(place, os.W_OK | os.X_OK)

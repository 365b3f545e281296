"""What the code of a claim may not do in its two processes, and how it is told so.

Hooks of Python's own audit see every import, every file that is opened and every process that is started. They are in force
while the code of a claim runs. Compiled code is not seen, so XLA and LAPACK work as they always do.
"""

import contextlib
import importlib.machinery
import os
import site
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from depthjax.located import OWN, ROOT

FORBIDDEN = {"measure": ("theory",), "predict": ("jax", "jaxlib", "flax", "optax")}
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "pty.spawn")
REACHES = ("socket.connect", "socket.bind", "socket.sendto")
CHANGES = ("os.mkdir", "os.rename", "os.link", "os.symlink", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.setxattr")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
IMPORTS = ("<frozen importlib._bootstrap_external>", "<frozen importlib._bootstrap>")
SYSTEM = ("/usr", "/lib", "/lib64", "/etc", "/opt", "/sys", "/System", "/Library", "/nix")
CODE = (".py", ".pyc", ".pyi", ".so", ".pyd")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/nvidia", "/dev/dri", "/dev/kfd")


class BorderError(Exception):
    """A claim that does not keep its sides apart; names the file and what to do."""


class Guard:
    """The rules of one process; `watching` puts them in force."""

    def __init__(self, side: str):
        """Prepare the rules of the side "predict" or "measure", and put their hooks in place."""
        self.side, self.room, self.allowed = side, Path(), ()
        self.code: tuple[str, ...] = ()  # folders of which modules may be imported, and nothing else read
        self.on, self.files, self.judging = False, True, threading.local()
        self.own: set[str] = set()  # files that this process has written
        self.threads: set[int | None] | None = None  # that began before the code of any claim, as the one that keeps limits
        self.roots = _installed() if side == "measure" else (*_installed(), os.path.realpath(OWN["theory"]))
        sys.meta_path.insert(0, _Forbidding(self))  # type: ignore[arg-type]
        sys.addaudithook(self._hear)

    @contextlib.contextmanager
    def watching(self, room: Path, reads: Sequence[str] = (), files: bool = True) -> Iterator[None]:
        """Keep the rules while the block runs.

        Args:
            room: Folder of the claim.
            reads: Files that the claim names, from its room on.
            files: Judge files and processes, and not imports alone: what draws reads fonts, and keeps what it found of them.
        """
        named = [os.path.realpath(room / name) for name in reads if (room / name).exists()]
        self.room, self.allowed, self.code = room, (os.path.realpath(room), *named), _package(room)
        if self.threads is None:
            self.threads = {thread.ident for thread in threading.enumerate()} - {threading.get_ident()}
        self.on, self.files = True, files
        try:
            yield
        finally:
            self.on = False

    def refuse(self, what: str, instead: str) -> BorderError:
        """The error of a claim that does what it may not."""
        return BorderError(f"{self._where()} {what}: {instead}")

    def _where(self) -> str:
        """The line of the room that runs, or the file that this side belongs to."""
        frame: Any = sys._getframe()
        inside = f"{self.room}{os.sep}"
        while frame is not None:
            if frame.f_code.co_filename.startswith(inside):
                return f"{frame.f_code.co_filename}, line {frame.f_lineno},"
            frame = frame.f_back
        return str(self.room / ("measure.py" if self.side == "measure" else "claim.py"))

    def _hear(self, event: str, arguments: tuple) -> None:
        if not (self.on and self.files) or threading.get_ident() in (self.threads or ()) or getattr(self.judging, "now", False):
            return
        self.judging.now = True  # what is done to judge a call is not judged
        try:
            self._heard(event, arguments)
        finally:
            self.judging.now = False

    def _heard(self, event: str, arguments: tuple) -> None:
        if event == "open":
            self._opened(*arguments[:3])
        elif event in STARTS or event in REACHES:
            raise self.refuse(f"starts another process or connects to one ({event})", "a claim computes in its own process")
        elif event in CHANGES and self.side == "predict" and not _importing():
            raise self.refuse(f"changes files ({event})", "a prediction leaves nothing behind; return what is predicted")

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        try:
            place = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):
            return
        writing = isinstance(flags, int) and bool(flags & WRITES)
        if place.startswith(DEVICES):
            return
        if self.side == "predict" and writing:
            if not _importing():
                raise self.refuse(f"writes {place}", "a prediction leaves nothing behind; return what is predicted")
            return
        if self.side == "measure" and _of_theory(place):
            raise self.refuse(
                f"opens {place}", "a prediction must not reach a measurement; hand definitions over in objects(cell)"
            )
        if writing and _inside(place, os.path.realpath(tempfile.gettempdir()), *_caches()):
            self.own.add(place)
        elif writing and not _importing():
            raise self.refuse(f"writes {place}", "return what was measured")
        elif not writing and not self._readable(place):
            raise self.refuse(f"reads {place}", "name the file in READS of claim.py, or put it into the room of the claim")

    def _readable(self, place: str) -> bool:
        if place in self.own or _inside(place, *self.roots, *_caches(), *self.allowed):
            return True
        if _inside(place, *self.code) and place.endswith(CODE):
            return True
        if _inside(place, "/proc"):
            part = place.split(os.sep)[2:3]
            return not (part and part[0].isdigit() and part[0] != str(os.getpid()))
        return os.path.isdir(place)


class _Forbidding:
    """Finds nothing that this side may not import."""

    def __init__(self, guard: Guard):
        self.guard = guard

    def find_spec(self, name: str, path: Any = None, target: object = None) -> ModuleSpec | None:
        """Refuse a module of the other side."""
        guard = self.guard
        if not guard.on:
            return None
        if name.partition(".")[0] in FORBIDDEN[guard.side]:
            other = "measurement" if guard.side == "measure" else "prediction" if guard.files else "picture"
            how = "a prediction must not reach a measurement" if guard.side == "measure" else "what needs arrays is measured"
            raise guard.refuse(f"imports {name} for a {other}", f"{how}; what both sides need is made by objects(cell)")
        part = "claim" if guard.side == "measure" else "measure"
        if name.rpartition(".")[2] == part and _is_room_file(name, path, part):
            raise guard.refuse(f"imports {name}", "claim.py and measure.py know nothing of each other; plain data crosses")
        return None


def _is_room_file(name: str, path: Any, part: str) -> bool:
    spec = importlib.machinery.PathFinder.find_spec(name, path)
    folder = Path(spec.origin).parent if spec is not None and spec.origin else None
    return folder is not None and (folder / "claim.py").is_file() and (folder / "measure.py").is_file()


def _of_theory(place: str) -> bool:
    """Whether a file belongs to theory, or is a claim's prediction."""
    if _inside(place, os.path.realpath(OWN["theory"])):
        return True
    folder, name = os.path.split(place)
    folder = os.path.dirname(folder) if os.path.basename(folder) == "__pycache__" else folder
    return name.partition(".")[0] == "claim" and os.path.isfile(os.path.join(folder, "measure.py"))


def _importing() -> bool:
    """Whether the call that is heard comes from Python's own import, which reads and writes compiled files."""
    frame: Any = sys._getframe()
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename in IMPORTS


def _inside(place: str, *folders: str) -> bool:
    return any(place == folder or place.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders if folder)


def _installed() -> tuple[str, ...]:
    """The folders of Python, of installed packages and of the system."""
    paths = [*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, *site.getsitepackages(), site.getusersitepackages()]
    paths += [str(ROOT / "depthjax"), *SYSTEM]
    return tuple(dict.fromkeys(path for one in paths for path in (one, os.path.realpath(one))))


def _caches() -> tuple[str, ...]:
    """Where libraries keep what they computed before: programs of XLA, fonts, and files that last as long as the process."""
    from depthjax.runs.programs import folder

    return tuple(os.path.realpath(one) for one in (folder(), folder().parent.parent / "matplotlib"))


def _package(room: Path) -> tuple[str, ...]:
    """The packages of which a measurement may import modules: this project's claims, and the one that holds the room."""
    folder = room.parent
    while (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    return os.path.realpath(OWN["experiments"]), os.path.realpath(folder)

"""Files of a directory that somebody else may have made: a link in it leads to nothing, and no file is read that is too large.

Everything that writes, removes or reads the files of a run, a sweep or a checkpoint does it through this file. A name below the
directory is looked at step by step: a link is refused, wherever it leads, and so is what is neither a file nor a folder. The
directory itself may be a link, because its user named it. What is looked at may change before it is used, so a directory that
another user can change while a run writes to it is not safe.
"""

import io
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

PARTIAL = ".partial"  # end of the name of a file that is being written
_ALONE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Unsafe(OSError):
    """A file that is not touched: a link, no ordinary file, or one that is too large; the message is one line.

    >>> raise Unsafe("x is a link")
    Traceback (most recent call last):
    depthjax.files.Unsafe: x is a link
    """


def inside(root: Path, file: Path) -> Path:
    """Return a file or folder below a directory, which need not exist.

    Raises:
        Unsafe: a step of the way is a link or no folder, or the last one is neither a file nor a folder, or the name leads out.
        OSError: it cannot be looked at.

    >>> inside(Path("run"), Path("run/cells/x.nc")).name
    'x.nc'
    """
    try:
        steps = file.relative_to(root).parts
    except ValueError:
        steps = ("..",)
    if ".." in steps:
        raise Unsafe(f"{file} leads out of {root}: a run holds its own files only")
    place = root
    for number, step in enumerate(steps, 1):
        place = place / step
        try:
            kind = os.lstat(place).st_mode
        except FileNotFoundError:
            return file
        if stat.S_ISLNK(kind):
            raise Unsafe(f"{place} leads out of {root}, to {os.readlink(place)}: a run holds its own files only, and no links")
        if not (stat.S_ISDIR(kind) or (stat.S_ISREG(kind) and number == len(steps))):
            raise Unsafe(f"{place} is no ordinary {'file' if number == len(steps) else 'folder'}")
    return file


def look(root: Path, folder: Path) -> None:
    """Look at everything in a folder below a directory, so that others may write and remove there.

    Raises:
        Unsafe: the folder is a link or none, or a link or something that is neither a file nor a folder is in it.
        OSError: it cannot be looked at.
    """
    if os.path.lexists(inside(root, folder)) and not folder.is_dir():
        raise Unsafe(f"{folder} is no folder")
    for place in every(folder):
        inside(place.parent, place)


def every(folder: Path) -> Iterator[Path]:
    """Yield everything in a folder, and in the folders in it; links are yielded and not followed."""
    for place, folders, names in os.walk(folder, followlinks=False):
        for name in (*folders, *names):
            yield Path(place, name)


def read(file: Path, most: int, root: Path | None = None) -> bytes:
    """Return the content of a file, whose size is looked at first.

    Args:
        file: The file.
        most: Bytes that it may have.
        root: The directory that it must be in; None where the user named the file, which may then be a link.

    Raises:
        Unsafe: it is no ordinary file, or has more bytes, or leads out of the directory.
        OSError: it cannot be read.
    """
    if root is not None:
        inside(root, file)
    flags = os.O_RDONLY | _ALONE & ~(getattr(os, "O_NOFOLLOW", 0) if root is None else 0)
    with os.fdopen(_ordinary(os.open(file, flags), file), "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        content = stream.read(most + 1) if size <= most else b""
    if size > most or len(content) > most:
        raise Unsafe(f"{file} has {max(size, len(content))} bytes, expected at most {most}")
    return content


def write(file: Path, content: bytes, root: Path | None = None) -> None:
    """Write a file whole or not at all: beside, then renamed. What the old name was a second name of stays as it is.

    Args:
        file: The file; the folders around it are made.
        content: What is written.
        root: The directory that it must be in; None for the folder around it.

    Raises:
        Unsafe: the name leads out of the directory, or is one of something that is no ordinary file.
        OSError: it cannot be written.
    """
    inside(file.parent if root is None else root, file)
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name[:40]}.{secrets.token_hex(4)}{PARTIAL}")
    # made by the system call, not by `tempfile`, so that permissions are those that the user's umask leaves
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _ALONE, 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise


def open_alone(file: Path) -> int:
    """Return a descriptor to read and change a file in place, which is made if it is not there.

    Raises:
        Unsafe: it is a link, a second name of another file, or no ordinary file. It was not changed.
        OSError: it cannot be opened.
    """
    inside(file.parent, file)  # before it is opened: opening a device or a pipe may do something
    descriptor = _ordinary(os.open(file, os.O_RDWR | os.O_CREAT | _ALONE, 0o666), file)
    if os.fstat(descriptor).st_nlink > 1:
        os.close(descriptor)
        raise Unsafe(f"{file} is a second name of another file: a run holds its own files only, and no links")
    return descriptor


def append(file: Path, line: bytes, root: Path) -> None:
    """Add a line to a file; it is on disk when this returns. A line that a killed writer has begun is ended before.

    Raises:
        Unsafe: as `open_alone`, or the name leads out of the directory.
        OSError: it cannot be written.
    """
    inside(root, file)
    with os.fdopen(open_alone(file), "rb+") as stream:
        if stream.seek(0, os.SEEK_END):
            stream.seek(-1, os.SEEK_END)
            line = line if stream.read(1) == b"\n" else b"\n" + line
        stream.write(line)
        stream.flush()
        os.fsync(stream.fileno())


def remove(place: Path, root: Path) -> None:
    """Remove a file, or a folder with what is in it, below a directory; links in the folder go, what they lead to stays.

    Raises:
        Unsafe: as `inside`.
        OSError: it cannot be removed.
    """
    inside(root, place)
    shutil.rmtree(place) if place.is_dir() else place.unlink()


class Once(io.BytesIO):
    """Content of which no more bytes are read than it has, twice: a reader that is told to read a part again and again stops.

    >>> stream = Once(b"ab")
    >>> [stream.read(2), stream.seek(0), stream.read(2), stream.seek(0)]
    [b'ab', 0, b'ab', 0]
    >>> stream.read(1)
    Traceback (most recent call last):
    depthjax.files.Unsafe: its parts overlap: more is to be read than there is
    """

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.left = 2 * len(content)

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes.

        Raises:
            Unsafe: more is read than there is.
        """
        found = super().read(size)
        self.left -= len(found)
        if self.left < 0:
            raise Unsafe("its parts overlap: more is to be read than there is")
        return found


def _ordinary(descriptor: int, file: Path) -> int:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unsafe(f"{file} is no ordinary file")
    return descriptor


def open_ordinary(file: Path) -> io.BufferedReader:
    """Return an ordinary file that is open for reading; a pipe or a device is refused, and nobody waits for one.

    Raises:
        Unsafe: it is no ordinary file.
        OSError: it cannot be read.
    """
    flags = os.O_RDONLY | _ALONE & ~getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(_ordinary(os.open(file, flags), file), "rb")

"""Files that somebody else wrote: their text, JSON whose keys stand once, and one array that numpy saved."""

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["once", "saved_array", "text_of"]


def text_of(path: Path, most: int) -> str:
    """Return the text of a file in UTF-8, without its byte order mark.

    Args:
        path: The file.
        most: Bytes that it may have.

    Raises:
        ValueError: There is no such file; it is a folder, a device or a pipe, which may never end; it has more bytes; or it is
            no text.

    >>> text_of(Path("nowhere.json"), 100)
    Traceback (most recent call last):
    ValueError: nowhere.json cannot be read (there is no such file)
    """
    try:
        if not path.is_file():
            raise OSError("it is no file" if path.exists() else "there is no such file")
        with path.open("rb") as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise OSError(f"it has more than {most} bytes")
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})") from error


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON whose keys stand once, because the last of two equal keys would win in silence.

    Raises:
        ValueError: A key stands twice.

    >>> once([("a", 1), ("a", 2)])
    Traceback (most recent call last):
    ValueError: the key 'a' stands twice in one object
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice in one object")
    return found


def saved_array(path: Path) -> np.ndarray:
    """Return the array of a file .npy; objects in it are never unpickled.

    Raises:
        ValueError: The file cannot be read, or does not hold one array as np.save writes it.

    >>> saved_array(Path("nowhere.npy"))
    Traceback (most recent call last):
    ValueError: nowhere.npy cannot be read (No such file or directory)
    """
    try:
        found = np.load(path, allow_pickle=False)
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror or error})") from error
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} cannot be read: expected one array, as np.save writes it") from error
    if not isinstance(found, np.ndarray):
        raise ValueError(f"{path} holds arrays by name: expected one array, as np.save writes it")
    return found

"""A room that a process imports: the files of one claim, loaded anew where they have changed."""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from depthjax.card import room_of
from depthjax.located import OWN, check_own
from depthjax.runs.places import settle

_loaded: dict[str, tuple] = {}  # room -> the state of its files when it was first imported here


def enter(room: str, path: Sequence[str], folders: Mapping[str, str], variables: Mapping[str, str]) -> Path:
    """Have this process import modules as the judge's does, and return the folder of a room.

    Args:
        room: Its module.
        path: Where modules are looked for.
        folders: Places of packages that are not installed.
        variables: Of the environment.

    Raises:
        CardError: there is no such room.
        ImportError: something else has the name of this project's own package.
    """
    sys.path[:] = path
    settle(folders)
    for name in os.environ.keys() - variables.keys():
        del os.environ[name]
    os.environ.update({name: value for name, value in variables.items() if os.environ.get(name) != value})
    check_own(room)
    folder = room_of(room)
    now = tuple(sorted((one.name, one.stat().st_mtime_ns, one.stat().st_size) for one in os.scandir(folder) if one.is_file()))
    if _loaded.get(room, (folder, now)) != (folder, now):
        top = room.partition(".")[0]
        for name in [name for name in sys.modules if name == top or name.startswith(f"{top}.")]:
            if top not in OWN or name.startswith(room):
                del sys.modules[name]
        importlib.invalidate_caches()
    _loaded[room] = (folder, now)
    return folder

"""Checkpoints of an ensemble on disk: written whole or not at all, and never under another configuration.

A directory holds ``configuration.json`` and, for every group of runs, the two latest states with their curves: files such as
``depth-1/200.safetensors`` after 200 records, whose arrays have names, such as ``state.params.embedding`` and ``curves.loss``.
Every reader of safetensors reads them. States are stored without padding and without keys, so a run may be resumed on any
number of devices or processes.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from depthjax import files
from depthjax.safetensors import NAMES, StoredArray, parts_of, safetensors

MAX_CONFIGURATION = 2**24  # bytes
SUFFIX = ".safetensors"
KEPT = 2  # states of a group: should the newest be damaged, the one before it is there


class CheckpointError(Exception):
    """A checkpoint cannot be used; the message is one line and names the remedy.

    >>> raise CheckpointError("the directory belongs to another configuration")
    Traceback (most recent call last):
    depthjax.training.checkpoints.CheckpointError: the directory belongs to another configuration
    """


def configuration_hash(configuration: Mapping[str, Any]) -> str:
    """Return ten hexadecimal digits that identify a configuration, independent of the order of its keys.

    >>> configuration_hash({"depth": 2, "width": 8}) == configuration_hash({"width": 8, "depth": 2})
    True
    """
    return hashlib.sha256(_text(configuration).encode()).hexdigest()[:10]


class Checkpoints:
    """The checkpoints of one configuration in one directory.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(Checkpoints(Path(folder) / "run", {"width": 8}).directory.name)
    run
    """

    def __init__(self, directory: Path, configuration: Mapping[str, Any]):
        """Open the directory, or create it.

        Args:
            directory: A directory for this configuration alone; `configuration_hash` gives it a name.
            configuration: Everything that decides the numbers of the runs, as JSON values.

        Raises:
            CheckpointError: The directory belongs to another configuration (nothing is changed), or cannot be read or written.
        """
        self.directory, file = Path(directory).resolve(), Path(directory).resolve() / "configuration.json"
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(file):
                stored = json.loads(files.read(file, MAX_CONFIGURATION, self.directory))
                if not isinstance(stored, dict):
                    raise ValueError(
                        f"{file.name} holds {type(stored).__name__} instead of a configuration; delete the directory"
                    )
                differences = _differences(stored, json.loads(_text(configuration)))
                if differences:
                    raise CheckpointError(
                        f"{directory} holds checkpoints of another configuration: {'; '.join(differences)}; nothing was "
                        "changed: choose another directory, or go on with the old configuration"
                    )
            elif jax.process_index() == 0:  # the other processes may read while this one writes
                if any(not item.name.startswith(".") for item in self.directory.iterdir()):
                    raise CheckpointError(f"{directory} is not empty and holds no configuration.json: choose another directory")
                files.write(file, _text(configuration).encode(), self.directory)
        except json.JSONDecodeError as error:
            raise CheckpointError(f"{file} is damaged ({error}): put its copy back, or choose another directory") from error
        except (OSError, ValueError, RecursionError) as error:
            raise CheckpointError(f"cannot use {directory}: {error}") from error

    def within(self, name: str) -> "Checkpoints":
        """Return the checkpoints in ``states/<name>``, under the same configuration."""
        part = object.__new__(Checkpoints)
        part.directory = self.directory / "states" / name
        return part

    def save(self, group: str, records: int, tree: Mapping[str, np.ndarray]) -> None:
        """Store the state of a group after `records` records, and remove all but the two latest; return once it is on disk.

        The state is arrays by name, equal in all processes, of which the first one writes.

        Raises:
            CheckpointError: A link is among the checkpoints of the group.
            OSError: It cannot be written.
        """
        self._look(group)
        if jax.process_index() == 0:
            folder, plain = self.directory / group, {name: _plain(array) for name, array in tree.items()}
            others = {name: str(array.dtype) for name, array in tree.items() if array.dtype != plain[name].dtype}
            files.write(folder / f"{records}{SUFFIX}", safetensors(plain, others), self.directory)
            for old in stored(folder)[:-KEPT]:
                files.remove(old, self.directory)
            for broken in filter(Path.is_file, folder.glob(f".*{files.PARTIAL}")):  # by a process that was killed
                with contextlib.suppress(FileNotFoundError):
                    files.remove(broken, self.directory)

    def latest(self, group: str, like: Mapping[str, Any]) -> tuple[int, dict[str, np.ndarray]] | None:
        """Return the number of records and the state that were stored last, or None if there are none.

        Raises:
            CheckpointError: The file is damaged, or does not have the names, shapes and types of `like`.
        """
        self._look(group)
        folder, remedy = self.directory / group, "delete it to go on from the one before, or from the start"
        if not (steps := stored(folder)):
            if folder.is_dir() and (earlier := next(filter(Path.is_dir, folder.iterdir()), None)):
                raise CheckpointError(
                    f"{earlier} is a state of an earlier release, which wrote folders; delete it to start again"
                )
            return None
        try:
            parts, others = parts_of(steps[-1])
        except (OSError, ValueError) as error:
            raise CheckpointError(f"cannot read the checkpoint {steps[-1]}: {error}; {remedy}") from error
        if other := _unlike(parts, others, like):  # before arrays are read: a stranger's may be of any size
            raise CheckpointError(f"the checkpoint {steps[-1]} holds {other}; {remedy}")
        found = {name: part.array().view(like[name].dtype).reshape(like[name].shape) for name, part in parts.items()}
        return int(steps[-1].stem), found

    def _look(self, group: str) -> None:
        """Raise if a link is among the checkpoints of a group: what is written and removed stays here."""
        try:
            files.look(self.directory, self.directory / group)
        except OSError as error:
            raise CheckpointError(f"cannot use {self.directory / group}: {error.strerror or error}") from error


def stored(folder: Path) -> list[Path]:
    """Return the files of the states of a group, the oldest first."""
    found = [file for file in folder.iterdir() if file.suffix == SUFFIX and file.stem.isdecimal()] if folder.is_dir() else []
    return sorted(found, key=lambda file: int(file.stem))


def _plain(array: np.ndarray) -> np.ndarray:
    """The array in a type of the format: itself, or, of another type such as complex128, its bytes along a last axis."""
    array = np.ascontiguousarray(array).reshape(np.shape(array))  # the first of these makes a number an array of one axis
    return array if array.dtype in NAMES else array.reshape(*array.shape, 1).view(np.uint8)


def _unlike(parts: Mapping[str, StoredArray], others: Mapping[str, str], like: Mapping[str, Any]) -> str:
    """What a stored state has and `like` has otherwise, in words: a name, or a shape or a type of it; empty if nothing."""
    for name in sorted({*parts, *like}):
        if name not in parts or name not in like:
            return f"{'no ' * (name not in parts)}{name}, and {'one' if name in like else 'none'} is expected"
        part, shape, kind = parts[name], tuple(like[name].shape), np.dtype(like[name].dtype)
        wanted = (shape, kind, None) if kind in NAMES else ((*shape, kind.itemsize), np.dtype(np.uint8), str(kind))
        if (part.shape, part.dtype, others.get(name)) != wanted:
            said = others.get(name, part.dtype)
            return f"{name} of shape {part.shape} and type {said}, and {shape}, {kind} are expected"
    return ""


def _text(configuration: Mapping[str, Any]) -> str:
    return json.dumps(configuration, sort_keys=True, indent=1, default=list) + "\n"


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], path: str = "") -> list[str]:
    found = []
    for name in sorted({*old, *new}):
        before, now = old.get(name, "absent"), new.get(name, "absent")
        if isinstance(before, dict) and isinstance(now, dict):
            found += _differences(before, now, f"{path}{name}.")
        elif before != now:
            found.append(f"{path}{name} was {before!r}, now {now!r}")
    return found

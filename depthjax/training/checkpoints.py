"""Checkpoints of an ensemble on disk: written whole or not at all, and never under another configuration.

A directory holds ``configuration.json`` and, for every group of runs, the latest states with their curves: orbax trees whose
leaves have names, such as ``state.params.embedding`` and ``curves.loss``. States are stored without padding and without keys,
so a run may be resumed on any number of devices or processes.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax

from depthjax import files

MAX_CONFIGURATION = 2**24  # bytes


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
        except (OSError, ValueError, RecursionError) as error:
            raise CheckpointError(f"cannot use {directory}: {error}") from error

    def within(self, name: str) -> "Checkpoints":
        """Return the checkpoints in ``states/<name>``, under the same configuration."""
        part = object.__new__(Checkpoints)
        part.directory = self.directory / "states" / name
        return part

    def save(self, group: str, records: int, tree: Any) -> None:
        """Store the state of a group after `records` records; block until it is on disk.

        The state is a tree of numpy arrays, equal in all processes.

        Raises:
            CheckpointError: A link is among the checkpoints of the group.
        """
        from orbax import checkpoint

        self._look(group)
        with self._manager(group) as manager:
            manager.save(records, args=checkpoint.args.StandardSave(tree))
            manager.wait_until_finished()

    def latest(self, group: str, like: Any) -> tuple[int, Any] | None:
        """Return the number of records and the state that were stored last, or None if there are none.

        Raises:
            CheckpointError: The files are damaged, or do not have the shape of `like`.
        """
        from orbax import checkpoint

        self._look(group)
        if not (self.directory / group).exists():
            return None
        with self._manager(group) as manager:
            records = manager.latest_step()
            if records is None:
                return None
            file = self.directory / group / str(records)
            remedy = "delete it to go on from the one before, or from the start"
            try:
                stored = manager.item_metadata(records)
                # arrays are compared before they are read: a stranger's may be of any size
                if other := _unlike(getattr(stored, "tree", stored), like):
                    raise CheckpointError(f"the checkpoint {file} holds {other}; {remedy}")
                return records, manager.restore(records, args=checkpoint.args.StandardRestore(like))
            except CheckpointError:
                raise
            except Exception as error:  # orbax raises many kinds
                raise CheckpointError(f"cannot read the checkpoint {file}: {str(error).splitlines()[0]}; {remedy}") from error

    def _manager(self, group: str):
        from orbax import checkpoint

        options = checkpoint.CheckpointManagerOptions(max_to_keep=2, enable_async_checkpointing=False)
        handler = checkpoint.StandardCheckpointHandler()  # the manager needs it to read what is stored before it is restored
        return checkpoint.CheckpointManager(self.directory / group, options=options, item_handlers=handler)

    def _look(self, group: str) -> None:
        """Raise if a link is among the checkpoints of a group: orbax would write and remove through it."""
        try:
            files.look(self.directory, self.directory / group)
        except OSError as error:
            raise CheckpointError(f"cannot use {self.directory / group}: {error.strerror or error}") from error


def _unlike(stored: Any, like: Any) -> str:
    """What a stored tree has and `like` has otherwise, in words: a leaf, or a shape or a type of it; empty if nothing."""
    trees = [
        {
            jax.tree_util.keystr(path, simple=True, separator="."): leaf
            for path, leaf in jax.tree_util.tree_leaves_with_path(tree)
        }
        for tree in (stored, like)
    ]
    for name in sorted({*trees[0], *trees[1]}):
        if any(name not in tree for tree in trees):
            return f"{'no ' * (name not in trees[0])}{name}, and {'one' if name in trees[1] else 'none'} is expected"
        before, now = ((tuple(getattr(tree[name], "shape", ())), str(getattr(tree[name], "dtype", ""))) for tree in trees)
        if before[0] != now[0] or (before[1] and now[1] and before[1] != now[1]):
            return f"{name} of shape {before[0]} and type {before[1]}, and {now[0]}, {now[1]} are expected"
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

"""What a sweep keeps on disk: finished cells, and the states that a broken cell goes on from.

Both carry their origin (configuration, code, versions, device) and checksums. What has another origin or is damaged is named,
and trained again.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import numerics
from depthjax.runs.records import RecordError, load, remove_partial, save_text
from depthjax.runs.stored import Origin, differences, keep, kept
from depthjax.training import Checkpoints, configuration_hash

CODE = ("experiments.studies.study",)
SEALS = "seals.json"
Warn = Callable[[str], None]


class Cells:
    """The cells of one sweep in one directory. With several processes the first one decides, writes and warns."""

    def __init__(
        self,
        out: Path,
        configuration: Mapping[str, Any],
        names: list[str],
        warn: Warn,
        layers: Collection[str] = (),
        place: Mapping[str, str] | None = None,
    ):
        """Look at what is there, and remove what no cell may go on from.

        Args:
            out: The directory.
            configuration: What the sweep asks for.
            names: Of the cells.
            warn: Told of everything that is not used.
            layers: Modules of the layers that are trained, which may be a user's.
            place: What the numbers depend on where cells are trained, as `numerics` says it; None for this process.

        Raises:
            CheckpointError: the directory belongs to another configuration.
            RecordError: it cannot be written.
        """
        self.out, self.first = out, jax.process_index() == 0
        self.checkpoints = Checkpoints(out, configuration)
        shared = {"configuration": configuration_hash(configuration), "source": source_digest(*CODE, *layers)}
        shared |= numerics() if place is None else place
        self.origins = {name: shared | {"cell": name} for name in names}
        self.found: dict[str, xr.Dataset] = {}
        if self.first:
            remove_partial(out)
            for name in names:
                dataset, why = kept(self.file(name), self.origins[name])
                if dataset is not None:
                    self.found[name] = dataset
                else:
                    if why:
                        warn(f"{self.file(name)} {why}: trained again")
                    for useless in _useless(self.folder(name), self.origins[name]):
                        warn(f"{useless}: removed")
        if jax.process_count() > 1:
            self._agree(names)

    def file(self, name: str) -> Path:
        """Where a finished cell is kept."""
        return self.out / "cells" / f"{name}.nc"

    def folder(self, name: str) -> Path:
        """Where the states of a cell are kept."""
        return self.checkpoints.within(name).directory

    def states(self, name: str) -> "States":
        """The checkpoints of a cell, which say what they come from before there is one.

        Raises:
            RecordError: that cannot be written.
        """
        states = States(self.folder(name), self.origins[name])
        if self.first and _seals(states.directory) is None:
            states.seal({})
        return states

    def keep(self, name: str, dataset: xr.Dataset) -> None:
        """Store a finished cell.

        Raises:
            RecordError: it cannot be written.
        """
        if self.first:
            keep(self.file(name), dataset, self.origins[name])

    def _agree(self, names: list[str]) -> None:
        """Every process takes as found what the first one has found, and nobody writes before everybody has looked."""
        from jax.experimental import multihost_utils

        flags = multihost_utils.broadcast_one_to_all(np.array([name in self.found for name in names]))
        if not self.first:
            self.found = {name: load(self.file(name)) for name, flag in zip(names, flags, strict=True) if flag}
        multihost_utils.sync_global_devices("looked")


class States(Checkpoints):
    """Checkpoints of one cell, each sealed once it is whole."""

    def __init__(self, folder: Path, origin: Origin, check: Callable[[], None] = lambda: None):
        self.directory, self.origin, self.check = folder, origin, check

    def save(self, group: str, records: int, tree: Any) -> None:
        """Store the state of a group, and seal it.

        Storing a state deletes all older ones but the newest. Their seals are taken away before, so that a process that is
        killed while it deletes leaves no sealed state that is damaged. What `check` raises keeps everything as it is.

        Raises:
            RecordError: it cannot be written.
        """
        self.check()
        try:
            first, groups = jax.process_index() == 0, (_seals(self.directory) or {"groups": {}})["groups"]
            if first and (sealed := groups.get(group)):
                newest = max(sealed, key=int)
                self.seal(groups | {group: {newest: sealed[newest]}})
            super().save(group, records, tree)
            if first:
                self.seal(groups | {group: {step.name: _checksum(step) for step in _steps(self.directory / group)}})
        except OSError as error:
            raise RecordError(f"cannot write {self.directory / group}: {error.strerror or error}") from error

    def seal(self, groups: Mapping[str, Mapping[str, str]]) -> None:
        """Write the checksums of all states, by group and step."""
        save_text(self.directory / SEALS, json.dumps({"origin": dict(self.origin), "groups": groups}, indent=1))


def _useless(folder: Path, origin: Origin) -> Iterator[str]:
    """Remove what a cell cannot go on from, and say what it was; a state that was never finished is not worth a word."""
    if not os.path.lexists(folder):
        return
    seals = _seals(folder)
    if seals is None or (told := differences(seals["origin"], origin)):
        if seals is None or any(folder.glob("*/[0-9]*")):
            yield f"{folder} holds states {'without a seal' if seals is None else f'of {told}'}"
        _remove(folder)
        return
    for group in folder.iterdir():
        known = seals["groups"].get(group.name, {})
        for step in _steps(group):
            if step.name not in known:
                _remove(step)
            elif not step.is_dir() or _checksum(step) != known[step.name]:
                yield f"{step} is a damaged state"
                _remove(step)
        if group.name != SEALS and not (group.is_dir() and any(_steps(group))):
            if known and not group.is_dir():
                yield f"{group} is a damaged state"
            _remove(group)


def _seals(folder: Path) -> dict | None:
    try:
        found = json.loads((folder / SEALS).read_bytes())
        parts = [found, found["origin"], found["groups"], *found["groups"].values()]
        return found if all(isinstance(part, dict) for part in parts) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _steps(group: Path) -> list[Path]:
    return [step for step in group.iterdir() if step.name.isdigit()] if group.is_dir() else []


def _checksum(folder: Path) -> str:
    whole = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        content = file.read_bytes()
        whole.update(f"{file.relative_to(folder)} {len(content)}\n".encode() + content)
    return whole.hexdigest()[:32]


def _remove(path: Path) -> None:
    try:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    except OSError as error:
        raise RecordError(f"cannot remove {path}: {error.strerror or error}") from error

"""The directory of a sweep: finished cells, stored as those of claims are, and the states that a broken cell goes on from.

A sweep trains by `depthjax.training.trials`, keeps its cells in the store of claims and deals them out by their executor. What
it has beside these is the states: a cell of a claim takes seconds to minutes and is measured again where it broke off, one of
a sweep takes hours, and goes on inside a run.

Both carry their origin (configuration, code, versions, devices, layout) and checksums. What has another origin or is damaged is
named, and trained again. A link in the directory, or anything else that no sweep leaves, is refused before a file changes.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax import files
from depthjax.runs.children import machine_memory
from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import numerics
from depthjax.runs.records import RecordError, load, remove_partial, save_text
from depthjax.runs.stored import Origin, differences, found, keep
from depthjax.training import Checkpoints, configuration_hash
from depthjax.training.checkpoints import stored

CODE = ("experiments.studies.study", "experiments.studies.tasks")
SEALS = "seals.json"
GROUP = re.compile(r"depth-[\d-]+")  # of runs, as `depthjax.training.ensemble` names it
STATE = re.compile(r"\d+\.safetensors|\.\d+\.safetensors\.[\da-f]+\.partial")  # a state, also while it is written
MAX_SEALS = 2**24  # bytes; those of a cell with twenty depths have some thousands
Warn = Callable[[str], None]


class Folder:
    """The directory of one sweep. With several processes the first one decides, writes and warns."""

    def __init__(
        self,
        out: Path,
        configuration: Mapping[str, Any],
        names: list[str],
        warn: Warn,
        layers: Collection[str] = (),
        place: Mapping[str, str] | None = None,
        layout: str = "auto",
    ):
        """Look at what is there, and remove what no cell may go on from.

        Args:
            out: The directory.
            configuration: What the sweep asks for.
            names: Of the cells.
            warn: Told of everything that is not used.
            layers: Modules of the layers that are trained, which may be a user's.
            place: What the numbers depend on where cells are trained, as `placed` says it; None for this process.
            layout: As `depthjax.training.ensemble` takes it; another layout rounds otherwise.

        Raises:
            CheckpointError: the directory belongs to another configuration.
            RecordError: it cannot be written, or holds a link or what no sweep leaves there.
        """
        self.out, self.first = out, jax.process_index() == 0
        _look(out, names)
        self.checkpoints = Checkpoints(out, configuration)
        shared = {"configuration": configuration_hash(configuration), "source": source_digest(*CODE, *layers)}
        shared |= {**(placed() if place is None else place), "layout": layout}
        self.origins = {name: shared | {"cell": name} for name in names}
        self.found: dict[str, xr.Dataset] = {}
        if self.first:
            remove_partial(out)
            self.found = found({name: self.file(name) for name in names}, self.origins, out, warn, again="trained again")
            for name in (name for name in names if name not in self.found):
                for useless in _useless(self.folder(name), self.origins[name], self.checkpoints.directory):
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
        states = States(self.folder(name), self.origins[name], self.checkpoints.directory)
        if self.first and _seals(states.directory) is None:
            states.seal({})
        return states

    def keep(self, name: str, dataset: xr.Dataset) -> None:
        """Store a finished cell.

        Raises:
            RecordError: it cannot be written.
        """
        if self.first:
            keep(self.file(name), dataset, self.origins[name], self.out)

    def _agree(self, names: list[str]) -> None:
        """Every process takes as found what the first one has found, and nobody writes before everybody has looked."""
        from jax.experimental import multihost_utils

        flags = multihost_utils.broadcast_one_to_all(np.array([name in self.found for name in names]))
        if not self.first:
            self.found = {name: load(self.file(name), self.out) for name, flag in zip(names, flags, strict=True) if flag}
        multihost_utils.sync_global_devices("looked")


class States(Checkpoints):
    """Checkpoints of one cell, each sealed once it is whole."""

    def __init__(self, folder: Path, origin: Origin, root: Path, check: Callable[[], None] = lambda: None):
        self.directory, self.origin, self.root, self.check = folder, origin, root, check

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
            sealed = groups.get(group, {})
            if first and (there := [step.name for step in stored(self.directory / group) if step.name in sealed]):
                self.seal(groups | {group: {there[-1]: sealed[there[-1]]}})
            super().save(group, records, tree)
            if first:
                self.seal(groups | {group: {step.name: _checksum(step) for step in stored(self.directory / group)}})
        except OSError as error:
            raise RecordError(f"cannot write {self.directory / group}: {error.strerror or error}") from error

    def seal(self, groups: Mapping[str, Mapping[str, str]]) -> None:
        """Write the checksums of all states, by group and step."""
        save_text(self.directory / SEALS, json.dumps({"origin": dict(self.origin), "groups": groups}, indent=1), self.root)


def placed() -> dict[str, str]:
    """Return what the numbers of a sweep in this process depend on: the runs of a cell are dealt out to all devices."""
    return numerics() | {"devices": str(jax.device_count())}


def _look(out: Path, names: list[str]) -> None:
    """Refuse a directory in which a link leads elsewhere, or states stand beside other files, before anything is changed."""
    try:
        for name in ("cells", "states"):
            files.look(out, out / name)
        for folder in (out / "states" / name for name in names):
            if foreign := next(_foreign(folder), None):
                raise files.Unsafe(f"{foreign} is nothing that a sweep writes: move it away, or choose another --out")
    except OSError as error:
        raise RecordError(f"cannot go on in {out}, and nothing was changed: {error.strerror or error}") from error


def _useless(folder: Path, origin: Origin, root: Path) -> Iterator[str]:
    """Remove what a cell cannot go on from, and say what it was; a state that was never finished is not worth a word.

    Raises:
        RecordError: it cannot be removed.
    """
    if not os.path.lexists(folder):
        return
    seals = _seals(folder)
    if seals is None or (told := differences(seals["origin"], origin)):
        if seals is None or any(folder.glob("*/[0-9]*")):
            yield f"{folder} holds states {'without a seal' if seals is None else f'of {told}'}"
        _remove(folder, root)
        return
    for group in folder.iterdir():
        known = seals["groups"].get(group.name, {})
        for step in stored(group):
            if step.name not in known:
                _remove(step, root)
            elif not step.is_file() or _checksum(step) != known[step.name]:
                yield f"{step} is a damaged state"
                _remove(step, root)
        if group.name != SEALS and not stored(group):
            if known and not group.is_dir():
                yield f"{group} is a damaged state"
            _remove(group, root)


def _foreign(folder: Path) -> Iterator[Path]:
    """Yield what stands in the folder of a cell's states under a name that neither a sweep nor its training gives."""
    for place in files.every(folder):
        group, *inside = place.relative_to(folder).parts
        seals = group == SEALS or (group.startswith(f".{SEALS}.") and group.endswith(files.PARTIAL))
        state = GROUP.fullmatch(group) and (not inside or (len(inside) == 1 and STATE.fullmatch(inside[0])))
        if not ((seals and not inside) or state):
            yield place


def _seals(folder: Path) -> dict | None:
    try:
        found = json.loads(files.read(folder / SEALS, MAX_SEALS, folder))
        parts = [found, found["origin"], found["groups"], *found["groups"].values()]
        return found if all(isinstance(part, dict) for part in parts) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _checksum(state: Path) -> str:
    """A digest of a state; empty for one that no memory of this machine holds."""
    if state.lstat().st_size > machine_memory():
        return ""
    with files.open_ordinary(state) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]


def _remove(path: Path, root: Path) -> None:
    try:
        files.remove(path, root)
    except OSError as error:
        raise RecordError(f"cannot remove {path}: {error.strerror or error}") from error

"""The run directory: what a run leaves on disk, so that it can be killed at any moment, resumed, replayed and reported.

======================  ============================================================================
``run.json``            settings of the run, written first
``cells/<slug>/*.nc``   every finished cell, written whole or not at all
``verdicts.jsonl``      one line per finished claim, appended
``<slug>.nc``           the claim's cells, concatenated; ``<slug>.svg`` its figure
``errors/<slug>.txt``   the traceback of a claim that failed
``report.html``         everything, to read
``.lock``               who writes, while somebody does
======================  ============================================================================
"""

import dataclasses
import datetime
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.runs.schema import SchemaError, check_settings, read_settings, read_verdicts

NARROW = {"float16": "float32", "bfloat16": "float32"}  # netCDF 3 has no such types; float32 holds them exactly
LOCK, PARTIAL = ".lock", ".partial"  # names that say nothing of a run
OTHER_INTEGERS = ("int64", "uint64", "uint32", "uint16", "uint8")


class RecordError(Exception):
    """A run directory that cannot be used; the message is one line for the user."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings that decide the numbers of a run; a resumed run must have the same."""

    size: str
    seed: int
    precision: str
    slugs: tuple[str, ...]
    catalogue: str = "experiments"


class RunDirectory:
    """A run on disk. One process appends verdicts; cells may be written by many."""

    def __init__(self, path: Path, settings: Settings):
        self.path, self.settings = path, settings

    @classmethod
    def create(cls, path: Path, settings: Settings, provenance: Mapping[str, Any] | None = None) -> "RunDirectory":
        """Start a run in a directory that is empty or not there.

        Raises:
            RecordError: if the directory holds something already, or cannot be written, or a setting is none that a run has.
        """
        content = dataclasses.asdict(settings) | {"provenance": dict(provenance or {})}
        content = json.loads(json.dumps(content))
        try:
            check_settings(content)
        except SchemaError as error:
            raise RecordError(f"a run cannot be started: {error}") from error
        try:
            path.mkdir(parents=True, exist_ok=True)
            if occupied(path):
                raise RecordError(f"{path} is not empty: choose another --out, or --resume the run in it")
        except OSError as error:
            raise RecordError(f"cannot write to {path}: {error.strerror or error}") from error
        _write(path / "run.json", (json.dumps(content, indent=2) + "\n").encode())
        return cls(path, settings)

    @classmethod
    def open(cls, path: Path) -> "RunDirectory":
        """An existing run.

        Raises:
            RecordError: if there is none, or its ``run.json`` cannot be read.
        """
        try:
            content = read_settings(_within(path, "run.json"))
        except FileNotFoundError:
            raise RecordError(f"{path} is not a run: it has no run.json") from None
        except OSError as error:
            raise RecordError(f"cannot read {path / 'run.json'}: {error.strerror or error}") from error
        except SchemaError as error:
            raise RecordError(f"{path / 'run.json'} is damaged ({error}): start another run") from error
        known: dict[str, Any] = {field.name: content[field.name] for field in dataclasses.fields(Settings)}
        known["slugs"] = tuple(known["slugs"])
        return cls(path, Settings(**known))

    @classmethod
    def resume(cls, path: Path, settings: Settings) -> "RunDirectory":
        """An existing run that was started with the same settings.

        Raises:
            RecordError: as :meth:`open`, and where a setting differs.
        """
        run = cls.open(path)
        remove_partial(path)
        old, new = dataclasses.asdict(run.settings), dataclasses.asdict(settings)
        differences = [f"{name} {_short(old[name])} (now {_short(new[name])})" for name in old if old[name] != new[name]]
        if differences:
            raise RecordError(f"{path} was started with {', '.join(differences)}: resume it with the same settings")
        return run

    def provenance(self) -> dict:
        """What was known of the machine when the run started."""
        return read_settings(self.file("run.json")).get("provenance", {})

    def named_files(self) -> dict[str, str]:
        """The files of the claims that the user named by path or module, by slug; whoever made the run chose them."""
        return self.provenance().get("files", {})

    def verdicts(self, warn: Callable[[str], None] = lambda message: None) -> dict[str, dict]:
        """Finished claims by slug, the last line of each.

        A line that is no verdict (see `depthjax.runs.schema`), or one of a claim that this run does not have, is reported
        through ``warn``, skipped and left where it is.

        Raises:
            RecordError: if ``verdicts.jsonl`` cannot be read, or is a link that leaves the run.
        """
        file, found = self.file("verdicts.jsonl"), {}
        try:
            for record in read_verdicts(file, warn) if file.exists() else ():
                if record["slug"] in self.settings.slugs:
                    found[record["slug"]] = record
                else:
                    warn(f"{file} holds a verdict of {record['slug']!r}, which this run does not have: skipped and kept")
        except OSError as error:
            raise RecordError(f"cannot read {file}: {error.strerror or error}") from error
        return found

    def file(self, name: str) -> Path:
        """A file of the run, which need not exist.

        Raises:
            RecordError: if the name or a link leads out of the run, or to something that is no ordinary file.
        """
        return _within(self.path, name)

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a finished claim, on disk when this returns."""
        file = self.file("verdicts.jsonl")
        line = json.dumps(plain(record), allow_nan=False, ensure_ascii=False).encode() + b"\n"
        try:
            with open(file, "ab+") as stream:
                if stream.tell():
                    stream.seek(-1, os.SEEK_END)
                    # a killed writer may have left half a line
                    line = line if stream.read(1) == b"\n" else b"\n" + line
                stream.write(line)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise RecordError(f"cannot write {file}: {error.strerror or error}") from error

    def cell_file(self, slug: str, index: int, name: str) -> Path:
        """Where a cell is kept; the name is shortened to what every file system takes."""
        return self.path / "cells" / slug / f"{index:03d}-{re.sub(r'[^A-Za-z0-9=,._-]+', '_', name)[:80]}.nc"

    def save(self, file: Path, dataset: xr.Dataset) -> None:
        """Write a dataset whole or not at all."""
        save(self.file(str(file.relative_to(self.path))), dataset)

    def save_text(self, name: str, text: str) -> None:
        """Write a text file of the run whole or not at all."""
        _write(self.file(name), text.encode())


def fresh(parent: Path) -> Path:
    """A directory for a run, named by the time; it does not exist yet."""
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    path, number = parent / stamp, 2
    while path.exists():
        path, number = parent / f"{stamp}-{number}", number + 1
    return path


def occupied(path: Path) -> bool:
    """Whether a directory holds anything besides a lock and unfinished files of a killed writer."""
    return any(item.name != LOCK and not item.name.endswith(PARTIAL) for item in path.iterdir())


def remove_partial(path: Path) -> None:
    """Remove the unfinished files of a killed writer; only the writer of a directory may call this."""
    for file in path.rglob(f".*{PARTIAL}"):
        file.unlink(missing_ok=True)


def save_text(file: Path, text: str) -> None:
    """Write a text file whole or not at all.

    Raises:
        RecordError: if the file cannot be written.
    """
    _write(file, text.encode())


def save(file: Path, dataset: xr.Dataset) -> None:
    """Write a dataset whole or not at all.

    Raises:
        RecordError: if the file cannot be written.
    """
    _write(file, bytes(_packed(dataset).to_netcdf(engine="scipy", format="NETCDF3_64BIT")))


def load(file: Path) -> xr.Dataset:
    """Read a dataset into memory, with the types that it was saved with."""
    with xr.open_dataset(file, engine="scipy") as dataset:
        return _unpacked(dataset.load())


def plain(value: Any) -> Any:
    """Return the value in the types of JSON: NaN and infinities become null, arrays become lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _packed(dataset: xr.Dataset) -> xr.Dataset:
    """Convert a dataset to the types of netCDF 3; an attribute keeps the original type."""
    dataset = dataset.as_numpy()
    for name, variable in dataset.variables.items():
        kind = str(variable.dtype)
        if dtypes.is_complex(variable.dtype):
            raise ValueError(f"{name} is complex, which netCDF 3 cannot hold: measure its real and imaginary parts")
        if kind in NARROW:
            stored = variable.astype(NARROW[kind])
        elif kind in OTHER_INTEGERS:
            largest = max((abs(int(value)) for value in variable.to_numpy().flat), default=0)
            # each of these types holds the integers exactly, and other readers of netCDF see numbers where they can
            stored = variable.astype("int32" if largest < 2**31 else "float64" if largest <= 2**53 else str)
        else:
            continue
        stored.attrs = {**variable.attrs, "stored_from": kind}
        dataset = dataset.assign({str(name): stored})
    return dataset


def _unpacked(dataset: xr.Dataset) -> xr.Dataset:
    for name, variable in dataset.variables.items():
        kind = variable.attrs.get("stored_from") or ("U" if variable.dtype == object else None)
        if kind not in (None, "U", *NARROW, *OTHER_INTEGERS):
            raise ValueError(f"{name} was stored from {kind!r}, which is no type that a run stores")
        if kind:
            original = variable.astype(np.dtype(kind))
            original.attrs = {key: value for key, value in variable.attrs.items() if key != "stored_from"}
            dataset = dataset.assign({str(name): original})
        dataset[name].encoding = {}
    return dataset


def _within(directory: Path, name: str) -> Path:
    """Return a file or folder of a directory that somebody else may have made; refuse what leads out of it."""
    file = directory / name
    if not file.resolve().is_relative_to(directory.resolve()):
        raise RecordError(f"{file} leads out of {directory}, to {file.resolve()}: a run holds its own files only")
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise RecordError(f"{file} is no ordinary file")
    return file


def _write(file: Path, content: bytes) -> None:
    """Write beside, then rename: a reader sees the old file or the new one."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:40]}.", suffix=PARTIAL)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, file)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise RecordError(f"cannot write {file}: {error.strerror or error}") from error


def _short(value: Any) -> str:
    text = " ".join(value) if isinstance(value, tuple) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."

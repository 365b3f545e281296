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
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import xarray as xr
from scipy.io import netcdf_file

from depthjax import dtypes, files
from depthjax.files import PARTIAL
from depthjax.runs.lines import FORMAT
from depthjax.runs.schema import SchemaError, check_settings, read_settings, read_verdicts

LOCK = ".lock"  # a name that says nothing of a run
MAX_CELL = 2**30  # bytes of stored measurements; those of this project's claims have a thousandth of it
_EXTENSIONS = tuple(name for name in dir(ml_dtypes) if isinstance(getattr(ml_dtypes, name), type))
NARROW = ("float16", *filter(dtypes.is_floating, _EXTENSIONS))  # netCDF 3 has no such types; float32 holds them exactly
OTHER_INTEGERS = ("int64", "uint64", "uint32", "uint16", "uint8", *filter(dtypes.is_integer, _EXTENSIONS))
EMPTY = "empty_dimensions"  # an attribute of a dataset: in netCDF 3 a dimension of length 0 is one that grows


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
            RecordError: if the directory holds something already, or cannot be written, or a setting is invalid.
        """
        content = {"format": FORMAT} | dataclasses.asdict(settings) | {"provenance": dict(provenance or {})}
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
        _write(path / "run.json", (json.dumps(content, indent=2) + "\n").encode(), path)
        return cls(path, settings)

    @classmethod
    def open(cls, path: Path) -> "RunDirectory":
        """An existing run.

        Raises:
            RecordError: if there is none, or its ``run.json`` cannot be read.
        """
        try:
            content = read_settings(path / "run.json", path)
        except FileNotFoundError:
            sweep = (path / "configuration.json").is_file()
            hint = f"; it is the directory of a sweep, which `depthjax compare {path}` shows" if sweep else ""
            raise RecordError(f"{path} is not a run: it has no run.json{hint}") from None
        except OSError as error:
            raise RecordError(f"cannot read {path / 'run.json'}: {error.strerror or error}") from error
        except SchemaError as error:
            if error.field == "format":
                raise RecordError(f"{path / 'run.json'}: {error}: install the version that wrote it") from error
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
        return read_settings(self.path / "run.json", self.path).get("provenance", {})

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
            RecordError: if the name leads out of the run, or a step of it is a link or no ordinary file.
        """
        try:
            return files.inside(self.path, self.path / name)
        except OSError as error:
            raise RecordError(_told(error)) from error

    def read(self, name: str, most: int) -> bytes:
        """The content of a file of the run, which may have at most this many bytes.

        Raises:
            RecordError: as :meth:`file`, or if it has more bytes, or cannot be read.
        """
        try:
            return files.read(self.path / name, most, self.path)
        except OSError as error:
            raise RecordError(f"cannot read {self.path / name}: {_told(error)}") from error

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a finished claim, on disk when this returns."""
        file = self.path / "verdicts.jsonl"
        line = json.dumps(plain(record), allow_nan=False, ensure_ascii=False).encode() + b"\n"
        try:
            files.append(file, line, self.path)
        except OSError as error:
            raise RecordError(f"cannot write {file}: {_told(error)}") from error

    def cell_file(self, slug: str, index: int, name: str, *control: str) -> Path:
        """Where a cell, or what a control measured of it, is kept; other names give another file on every file system.

        Characters that some file system does not take, or does not tell apart, are left out, and the name then ends with digits
        of its own.
        """
        parts = name, *control
        plain = re.sub(r"[^A-Za-z0-9=,._-]+", "_", "-".join(parts))[:72]
        if control or plain != name:
            plain = f"{plain}.{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]}"
        return self.path / "cells" / slug / f"{index:03d}-{plain}.nc"

    def stored_cell(self, slug: str, name: str) -> Path | None:
        """Where a cell of this name was kept, whichever its number; None where there is none."""
        ending = self.cell_file(slug, 0, name).name.removeprefix("000-")
        found = sorted(file for file in (self.path / "cells" / slug).glob("*.nc") if file.name.partition("-")[2] == ending)
        return self.file(str(found[0].relative_to(self.path))) if found else None

    def save(self, file: Path, dataset: xr.Dataset) -> None:
        """Write a dataset whole or not at all."""
        save(file, dataset, self.path)

    def save_text(self, name: str, text: str) -> None:
        """Write a text file of the run whole or not at all."""
        _write(self.path / name, text.encode(), self.path)


def fresh(parent: Path) -> Path:
    """A directory for a run, named by the time; it does not exist yet."""
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    path, number = parent / stamp, 2
    while path.exists():
        path, number = parent / f"{stamp}-{number}", number + 1
    return path


def occupied(path: Path) -> bool:
    """Whether a directory holds anything besides a lock and unfinished files of a killed writer."""
    return any(item.name != LOCK and not _unfinished(item) for item in path.iterdir())


def remove_partial(path: Path) -> None:
    """Remove the unfinished files of a killed writer; only the writer of a directory may call this."""
    for file in filter(_unfinished, files.every(path)):
        file.unlink(missing_ok=True)


def save_text(file: Path, text: str, root: Path | None = None) -> None:
    """Write a text file whole or not at all, below the directory `root` or in the folder around it.

    Raises:
        RecordError: if the file cannot be written, or a link leads to it.
    """
    _write(file, text.encode(), root)


def save(file: Path, dataset: xr.Dataset, root: Path | None = None) -> None:
    """Write a dataset whole or not at all, below the directory `root` or in the folder around it.

    Raises:
        RecordError: if the file cannot be written, or a link leads to it.
        ValueError: if the dataset holds what no run stores.
    """
    _write(file, packed(dataset), root)


def packed(dataset: xr.Dataset) -> bytes:
    """Return the content of a netCDF file that holds a dataset.

    Raises:
        ValueError: if the dataset holds complex numbers, or more than a reader takes.
    """
    content = bytes(_packed(dataset).to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    if len(content) > MAX_CELL:
        raise ValueError(f"a measurement has {len(content)} bytes, and a run stores at most {MAX_CELL}: keep fewer numbers")
    return content


def load(file: Path, root: Path | None = None) -> xr.Dataset:
    """Read a dataset into memory, with the types that it was saved with; below the directory `root` links are refused.

    Raises:
        Unsafe: the file is larger than what a run stores, or no ordinary file.
        Exception: of many kinds, for a file that this project did not write.
    """
    return unpacked(files.read(file, MAX_CELL, root))


def is_whole(file: Path, root: Path) -> bool:
    """Return whether a file has the header of a dataset and is as long as this header says; the numbers are not read."""
    try:
        files.inside(root, file)
        with files.open_ordinary(file) as stream:
            netcdf_file(stream, mmap=True).close()
    except Exception:  # a file can be damaged in more ways than its readers have names for
        return False
    return True


def unpacked(content: bytes) -> xr.Dataset:
    """Return the dataset that the content of a netCDF file holds; it costs no more memory than twice the content.

    Raises:
        Exception: of many kinds, for content that this project did not write.
    """
    with xr.open_dataset(files.Once(content), engine="scipy") as dataset:
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
    """Convert a dataset to the types and shapes of netCDF 3; attributes keep the original ones."""
    dataset = dataset.as_numpy()
    for name, variable in dataset.variables.items():
        if dtypes.is_complex(variable.dtype):
            raise ValueError(f"{name} is complex, which netCDF 3 cannot hold: measure its real and imaginary parts")
        if variable.dtype.name in NARROW:
            with np.errstate(invalid="ignore"):  # numpy warns of a signalling NaN, which becomes a quiet one
                stored = variable.astype("float32")
        elif variable.dtype.name in OTHER_INTEGERS:
            largest = max((abs(int(value)) for value in variable.to_numpy().flat), default=0)
            # each of these types holds the integers exactly, and other readers of netCDF see numbers where they can
            stored = variable.astype("int32" if largest < 2**31 else "float64" if largest <= 2**53 else str)
        elif dtypes.is_floating(variable.dtype) and variable.dtype.itemsize > 8:
            raise ValueError(f"{name} is {variable.dtype}, and a run stores at most float64: round it to float64, or scale it")
        else:
            continue
        stored.attrs = {**variable.attrs, "stored_from": variable.dtype.name}
        dataset = dataset.assign({str(name): stored})
    empty = [str(name) for name, length in dataset.sizes.items() if not length]
    return _lengthened(dataset, empty) if empty else dataset


def _unpacked(dataset: xr.Dataset) -> xr.Dataset:
    if EMPTY in dataset.attrs:
        dataset = dataset.isel({name: slice(0) for name in json.loads(dataset.attrs[EMPTY])})
        dataset.attrs = {key: value for key, value in dataset.attrs.items() if key != EMPTY}
    for name, variable in dataset.variables.items():
        kind = variable.attrs.get("stored_from") or ("U" if variable.dtype == object else None)
        if kind not in (None, "U", *NARROW, *OTHER_INTEGERS):
            raise ValueError(f"{name} was stored from {kind!r}, which is no type that a run stores")
        if kind:
            with np.errstate(invalid="ignore"):
                original = variable.astype(np.dtype(kind))
            original.attrs = {key: value for key, value in variable.attrs.items() if key != "stored_from"}
            dataset = dataset.assign({str(name): original})
        dataset[name].encoding = {}
    return dataset


def _lengthened(dataset: xr.Dataset, empty: list[str]) -> xr.Dataset:
    """The dataset with one entry in each of its empty dimensions, whose names an attribute keeps."""
    longer = {}
    for name, variable in dataset.variables.items():
        if set(empty) & set(variable.dims):
            shape = [length or 1 for length in variable.shape]
            kind = "U1" if variable.dtype == object else variable.dtype
            longer[name] = xr.Variable(variable.dims, np.zeros(shape, kind), variable.attrs)
    kept = dataset.drop_vars(list(longer))
    coordinates = {name: value for name, value in longer.items() if name in dataset.coords}
    kept = kept.assign({name: value for name, value in longer.items() if name not in dataset.coords})
    return kept.assign_coords(coordinates).assign_attrs({EMPTY: json.dumps(empty)})


def _write(file: Path, content: bytes, root: Path | None) -> None:
    try:
        files.write(file, content, root)
    except OSError as error:
        raise RecordError(f"cannot write {file}: {_told(error)}") from error


def _unfinished(file: Path) -> bool:
    """Whether this is what a killed writer of a run left; a folder or a link of such a name is somebody else's."""
    ours = file.name.startswith(".") and file.name.endswith(PARTIAL)
    return ours and file.is_file() and not file.is_symlink()


def _told(error: OSError) -> str:
    return error.strerror or str(error)


def _short(value: Any) -> str:
    text = " ".join(value) if isinstance(value, tuple) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."

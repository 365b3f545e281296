"""Sealed measurements on disk: a seal names the cell, the origin of its numbers and the checksum of the whole file.

A resumed run keeps a stored measurement only if this run would write the same seal. Every other measurement is repeated, and
the reason is printed, so numbers of two origins are never mixed.
"""

import hashlib
import json
import os
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import xarray as xr

from depthjax import files
from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import SURROUNDINGS, listed, versions
from depthjax.runs.records import MAX_CELL, RecordError, Settings, packed, unpacked

SEAL, SUM = "origin", "checksum"
BLANK = "0" * 32  # in the place of the checksum, where it is taken
Origin = Mapping[str, str]
Name = TypeVar("Name", bound=Hashable)


def sealed(dataset: xr.Dataset, origin: Origin) -> bytes:
    """Return the content of a file that holds a measurement with its seal.

    Raises:
        ValueError: if the measurement is what no run stores.
    """
    seals = {SUM: BLANK, SEAL: json.dumps(dict(origin), sort_keys=True)}
    first = dataset.copy()
    first.attrs = seals | dataset.attrs | seals
    content = packed(first)
    return content.replace(BLANK.encode(), checksum(content, BLANK).encode(), 1)


def keep(file: Path, dataset: xr.Dataset, origin: Origin, root: Path | None = None) -> None:
    """Write a measurement with its seal, as `put` writes it.

    Args:
        file: Where.
        dataset: What was measured.
        origin: What it comes from.
        root: The directory of the run; None for the folder around the file.

    Raises:
        RecordError: if the file cannot be written, or a link leads to it.
        ValueError: if the measurement is what no run stores.
    """
    put(file, sealed(dataset, origin), root)


def put(file: Path, content: bytes, root: Path | None = None) -> None:
    """Write a sealed measurement whole or not at all; a directory in the place of the file is moved aside.

    Args:
        file: Where.
        content: As `sealed` returns it.
        root: The directory of the run; None for the folder around the file.

    Raises:
        RecordError: if the file cannot be written, or a link leads to it.
    """
    try:
        if files.inside(file.parent if root is None else root, file).is_dir():
            os.replace(file, _free(file))
        files.write(file, content, root)
    except OSError as error:
        raise RecordError(f"cannot write {file}: {error.strerror or error}") from error


def kept(file: Path, origin: Origin, root: Path | None = None) -> tuple[xr.Dataset | None, str]:
    """The measurement in a file, if it is sealed with this origin.

    Args:
        file: Where.
        origin: What this run would seal it with.
        root: The directory of the run, if links are refused.

    Returns:
        The dataset without its seal and "", or None and the reason ("" if there is no file), worded as a predicate.
    """
    if not os.path.lexists(file):
        return None, ""
    try:
        content = files.read(file, MAX_CELL, root)
        dataset = unpacked(content)
    except Exception as error:  # readers of damaged files raise many kinds
        return None, f"cannot be read ({type(error).__name__}: {' '.join(str(error).split())[:120]})"
    try:
        stored = json.loads(dataset.attrs.pop(SEAL))
        total = dataset.attrs.pop(SUM)
        differing = differences(stored, origin)
    except (KeyError, ValueError, TypeError, AttributeError):
        return None, "does not say what it came from"
    if differing:
        return None, f"is of {differing}"
    if not isinstance(total, str) or len(total) != len(BLANK) or total != checksum(content, total):
        return None, "is damaged: it is not what was written"
    return dataset, ""


def found(
    files: Mapping[Name, Path],
    origins: Mapping[Name, Origin],
    root: Path,
    warn: Callable[[str], None],
    again: str,
    of: str = "",
) -> dict[Name, xr.Dataset]:
    """Return the measurements that an earlier, broken run has left.

    Args:
        files: Where each of them is kept.
        origins: What this run would seal them with.
        root: The directory of the run.
        warn: Told one line for each reason not to use what is there.
        again: What becomes of those, such as "measured again".
        of: Whose measurements they are, for this line.
    """
    whole: dict[Name, xr.Dataset] = {}
    useless: dict[str, list[Path]] = {}
    for name, file in files.items():
        dataset, why = kept(file, origins[name], root)
        if dataset is not None:
            whole[name] = dataset
        elif why:
            useless.setdefault(why, []).append(file)
    for why, those in useless.items():
        more = f" (and {len(those) - 1} more{of and f' of {of}'})" if len(those) > 1 else ""
        warn(f"{those[0]} {why}{more}: {again}")
    return whole


def verdict_differs(entry: Mapping[str, Any], module: str, settings: Settings, place: Mapping[str, str] | None = None) -> str:
    """Return why a finished verdict does not hold for a run with these settings; empty if it does.

    Args:
        entry: as `depthjax.runs.entry` makes it.
        module: of the claim.
        settings: of the run.
        place: what the numbers depend on where claims are measured, as `numerics` or `surroundings` says it; what it does not
            say is not known.
    """
    provenance = entry["provenance"]
    if not provenance:
        return "no measurement"
    stored = {name: str(provenance.get(name, "")) for name in ("size", "seed", "precision", "source")}
    now = {"size": settings.size, "seed": str(settings.seed), "precision": settings.precision, "source": source_digest(module)}
    stored["versions"], now["versions"] = listed(provenance["versions"]), listed(versions())
    there = {"device": provenance["device"], **provenance.get("surroundings", {})}
    for name in (place or {}).keys() & {"device", *SURROUNDINGS}:
        stored[name], now[name] = str(there.get(name, "unknown")), (place or {})[name]
    return differences(stored, now)


def differences(stored: Mapping[str, object], origin: Origin) -> str:
    """Return what differs, for people to read; empty if nothing does. An unknown source differs from every source."""
    names = [name for name in sorted({*stored, *origin}) if stored.get(name) != origin.get(name)]
    if not origin.get("source") and "source" not in names:
        names.append("source")
    told = []
    for name in names:
        if name == "source":
            told.append("other source code")
        else:
            told.append(f"{name} {stored.get(name, 'unknown')} (now {origin.get(name, 'unknown')})")
    return ", ".join(told)


def checksum(content: bytes, written: str) -> str:
    """A digest of all bytes of a file but those of the checksum that is written in it, which stands before all else."""
    return hashlib.sha256(content.replace(written.encode(), BLANK.encode(), 1)).hexdigest()[: len(BLANK)]


def _free(file: Path) -> Path:
    """A name beside that is not taken."""
    number = 1
    while os.path.lexists(free := file.with_name(f"{file.name}.aside{number}")):
        number += 1
    return free

"""Sealed measurements on disk: a seal names the cell, the origin of its numbers and their checksum.

A resumed run keeps a stored measurement only if this run would write the same seal. Every other measurement is repeated, and
the reason is printed, so numbers of two origins are never mixed.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import listed, versions
from depthjax.runs.records import Settings, load, save

SEAL, SUM = "origin", "checksum"
Origin = Mapping[str, str]


def keep(file: Path, dataset: xr.Dataset, origin: Origin) -> None:
    """Write a measurement with its seal, whole or not at all; a directory in the place of the file is moved aside.

    Raises:
        RecordError: if the file cannot be written.
    """
    if file.is_dir():
        os.replace(file, _free(file))
    sealed = {SEAL: json.dumps(dict(origin), sort_keys=True), SUM: checksum(dataset)}
    save(file, dataset.assign_attrs(sealed))


def kept(file: Path, origin: Origin) -> tuple[xr.Dataset | None, str]:
    """The measurement in a file, if it is sealed with this origin.

    Returns:
        The dataset without its seal and "", or None and the reason ("" if there is no file), worded as a predicate.
    """
    if not os.path.lexists(file):
        return None, ""
    try:
        dataset = load(file)
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
    if total != checksum(dataset):
        return None, "is damaged: its numbers are not those that were written"
    return dataset, ""


def verdict_differs(entry: Mapping[str, Any], module: str, settings: Settings, device: str = "") -> str:
    """Return why a finished verdict does not hold for a run with these settings in this process; empty if it does.

    Args:
        entry: as `depthjax.runs.entry` makes it.
        module: of the claim.
        settings: of the run.
        device: the kind that this process would measure on, empty where that is not known.
    """
    provenance = entry["provenance"]
    if not provenance:
        return "no measurement"
    stored = {name: str(provenance.get(name, "")) for name in ("size", "seed", "precision", "source")}
    now = {"size": settings.size, "seed": str(settings.seed), "precision": settings.precision, "source": source_digest(module)}
    stored["versions"], now["versions"] = listed(provenance["versions"]), listed(versions())
    if device:
        stored["device"], now["device"] = provenance["device"], device
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


def checksum(dataset: xr.Dataset) -> str:
    """A digest of all variables: names, dimensions, types, values."""
    whole = hashlib.sha256()
    for name in sorted(map(str, dataset.variables)):
        variable = dataset.variables[name]
        values = variable.to_numpy()
        if dtypes.number(values.dtype) is None:
            kind, content = "text", json.dumps([str(value) for value in values.ravel()]).encode()
        else:
            values = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("=")))
            kind, content = str(values.dtype), values.tobytes()
        whole.update(f"{name} {variable.dims} {variable.shape} {kind} {len(content)}\n".encode() + content)
    return whole.hexdigest()[:32]


def _free(file: Path) -> Path:
    """A name beside that is not taken."""
    number = 1
    while os.path.lexists(free := file.with_name(f"{file.name}.aside{number}")):
        number += 1
    return free

"""Registrations: what a claim states, on which cells, with which program, written down before anybody saw an outcome.

They stand in ``registered.json`` of the claim's room, newest last. A registration names the seal of the program, so what is
changed afterwards is registered no more, and a verdict says whether its program was. The outcomes of a registered program are
kept with it, and stay in the list when the claim changes.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from depthjax import files
from depthjax.runs import catalogue
from depthjax.runs.origin import source_digest

FILE = "registered.json"
FIELDS = {
    "seal": str,
    "date": str,
    "statement": str,
    "refuted_by": str,
    "size": str,
    "domain": list,
    "cells": list,
    "judged": dict,
}


class RegistrationError(ValueError):
    """A file of registrations that is broken; the message names it and says what to do."""


def registrations(module: str) -> list[dict[str, Any]]:
    """The registrations of a claim, oldest first; none where its room has no such file.

    Raises:
        RegistrationError: the file is broken.
    """
    file = _file(module)
    if not file.exists():
        return []
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        wrong = [name for one in found for name, kind in FIELDS.items() if not isinstance(one[name], kind)]
        if wrong:
            raise ValueError(f"{wrong[0]} is not a {FIELDS[wrong[0]].__name__}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        told = f"{type(error).__name__}: {error}"
        raise RegistrationError(
            f"{file} holds no registrations ({told}): restore it from the repository, or remove it"
        ) from None
    return found


def registered(module: str, seal: str | None = None) -> str:
    """The day on which the present program of a claim was registered; empty if it was not, or the file is broken.

    Args:
        module: The claim.
        seal: That of its present program, if it is known.
    """
    try:
        known = registrations(module)
    except RegistrationError:
        return ""
    present = source_digest(module) if known and seal is None else seal
    return next((one["date"] for one in known if one["seal"] == present), "")


def register(module: str, entry: Mapping[str, Any]) -> Path:
    """Append a registration, and return the file. A program that is registered already keeps its first registration."""
    known = registrations(module)
    if entry["seal"] not in [one["seal"] for one in known]:
        _write(module, [*known, dict(entry)])
    return _file(module)


def judged(module: str, seal: str, outcomes: Mapping[str, Any]) -> bool:
    """Keep the outcomes of a program with its registration; say whether there is one."""
    known = registrations(module)
    for one in known:
        if one["seal"] == seal:
            one["judged"] = dict(outcomes)
            _write(module, known)
            return True
    return False


def _file(module: str) -> Path:
    return Path(catalogue.file_of(module)).parent / FILE


def _write(module: str, entries: list[dict[str, Any]]) -> None:
    files.write(_file(module), (json.dumps(entries, indent=1, ensure_ascii=False) + "\n").encode())

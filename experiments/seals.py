"""Seals of what is committed: with which program a verdict was judged, a picture drawn, and a claim run at other root seeds.

The seal is that of cells, `depthjax.runs.origin.source_digest`: one digest over every definition that a claim's predictions and
measurements reach. Verdicts and root seeds carry the seal of their run. A picture adds the definitions that draw it.
"""

import contextlib
import functools
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from depthjax.runs import catalogue, programs
from depthjax.runs.definitions import OWN, file_of
from depthjax.runs.origin import digest, reached, source_digest

MARK, EARLIER = "†", "judged with an earlier program"


def module(slug: str) -> str:
    """The module of a claim of the catalogue, which is listed once; empty where there is no such claim."""
    return _modules(os.environ.get(catalogue.VARIABLE)).get(slug, "")


@functools.cache
def _modules(packages: str | None) -> dict[str, str]:
    return catalogue.modules()


def program(slug: str) -> str:
    """The seal of a claim's present program; empty where there is no such claim."""
    return source_digest(module(slug)) if module(slug) else ""


def remembered(module: str) -> str:
    """`source_digest` of a module of this project, which this user's cache keeps until a file of the project changes.

    It takes a hundredth of a second where the digest takes three tenths. The cache is a help alone: where it cannot be read or
    written, the digest is made again.
    """
    if module.partition(".")[0] not in OWN:
        return source_digest(module)
    file, state = programs.folder().parent / "seals.json", _state()
    try:
        kept = json.loads(file.read_text("utf-8"))
        seals = kept["seals"] if kept["state"] == state else {}
        if isinstance(found := seals.get(module), str):
            return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        seals = {}
    found = source_digest(module)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        own = file.with_suffix(f".{os.getpid()}")
        own.write_text(json.dumps({"state": state, "seals": seals | {module: found}}), "utf-8")
        own.replace(file)
    return found


def _state() -> str:
    """What the files of this project are, by name, size and time: a digest follows from them and from where they are found."""
    told = [*sys.path, sys.version]
    waiting = [str(Path(__file__).resolve().parents[1] / package) for package in OWN]
    for folder in waiting:  # grows while it is walked
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting += [] if entry.name == "__pycache__" else [entry.path]
                else:
                    of = entry.stat()
                    told.append(f"{entry.path} {of.st_size} {of.st_mtime_ns}")
    return hashlib.sha256("\0".join(sorted(told)).encode("utf-8", "surrogatepass")).hexdigest()


def picture(slug: str) -> str:
    """The seal of a claim's picture as it would be drawn now; empty where there is no such claim."""
    if not module(slug):
        return ""
    drawing = f"{module(slug)}.picture"
    return digest(reached(module(slug)) | (reached(drawing) if file_of(drawing) else {}))


def headline(slugs: tuple[str, ...]) -> str:
    """The seal of the picture of several claims, which `experiments.headline` draws."""
    return digest(reached("experiments.headline"), *map(program, slugs))


def of(entry: Mapping[str, Any]) -> str:
    """The seal of the program that made an entry, a committed one or one of a run; empty where it does not say."""
    return str(entry.get("seal") or (entry.get("provenance") or {}).get("source", ""))


def present(slug: str, entry: Mapping[str, Any]) -> bool:
    """Whether what is committed of a claim comes from its present program."""
    return bool(of(entry)) and of(entry) == program(slug)


def mark(slug: str, entry: Mapping[str, Any]) -> str:
    """What stands behind a thing of an earlier program; empty for one of the present program."""
    return "" if present(slug, entry) else f" {MARK}"

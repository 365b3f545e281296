"""Seals of what is committed: with which program a verdict was judged, a picture drawn, and a claim run at other root seeds.

The seal is that of cells, `depthjax.runs.origin.source_digest`: one digest over every definition that a claim's predictions and
measurements reach. Verdicts and root seeds carry the seal of their run. A picture adds the definitions that draw it.
"""

import functools
import os
from collections.abc import Mapping
from typing import Any

from depthjax.runs import catalogue
from depthjax.runs.definitions import file_of
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

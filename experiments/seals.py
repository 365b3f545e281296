"""Seals of what is committed: with which program a verdict was judged, a picture drawn, and a claim run at other root seeds.

The seal is that of cells, `depthjax.runs.origin.source_digest`: one digest over every definition that a claim's predictions and
measurements reach. Verdicts and root seeds carry the seal of their run. A picture adds the definitions that draw it.
"""

from collections.abc import Mapping
from typing import Any

from depthjax.runs import catalogue
from depthjax.runs.definitions import file_of
from depthjax.runs.origin import digest, reached, source_digest

MARK, EARLIER = "†", "judged with an earlier program"


def program(slug: str) -> str:
    """The seal of a claim's present program; empty where there is no such claim."""
    module = catalogue.modules().get(slug)
    return source_digest(module) if module else ""


def picture(slug: str) -> str:
    """The seal of a claim's picture as it would be drawn now; empty where there is no such claim."""
    module = catalogue.modules().get(slug)
    if module is None:
        return ""
    drawing = f"{module}.picture"
    return digest(reached(module) | (reached(drawing) if file_of(drawing) else {}))


def headline(slugs: tuple[str, ...]) -> str:
    """The seal of the picture of several claims, which `experiments.headline` draws."""
    return digest(reached("experiments.headline"), *map(program, slugs))


def present(slug: str, entry: Mapping[str, Any]) -> bool:
    """Whether what is committed of a claim comes from its present program."""
    return bool(entry.get("seal")) and entry["seal"] == program(slug)


def mark(slug: str, entry: Mapping[str, Any]) -> str:
    """What stands behind a thing of an earlier program; empty for one of the present program."""
    return "" if present(slug, entry) else f" {MARK}"

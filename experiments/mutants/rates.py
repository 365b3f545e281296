"""How many mutants each claim noticed, read from the committed results; the libraries that measure are not needed for that."""

import itertools
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from depthjax.runs import catalogue
from experiments.mutants.mutant import MutantError
from experiments.mutants.results import Results, committed

Counts = Mapping[str, tuple[int, int]]  # origin -> mutants that the claim noticed, mutants about it


def rates(file: Path | None = None) -> dict[str, Counts]:
    """How many mutants each claim noticed, of how many about it, by slug and origin.

    A mutant that is proved equivalent is not counted. A file that is missing or broken gives nothing.

    Args:
        file: of results; the committed ones of all packages where none is given.
    """
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for entry in _entries(file) if file else itertools.chain(*map(_committed, catalogue.packages())):
        for slug in () if entry.get("equivalent") else entry["claims"]:
            counts = found.setdefault(slug, {})
            noticed, tried = counts.get(entry["origin"], (0, 0))
            counts[entry["origin"]] = noticed + (slug in entry["by"]), tried + 1
    return dict(found)


def _committed(package: str) -> Collection[dict[str, Any]]:
    try:
        return _entries(committed(package))
    except catalogue.UnknownClaim:  # the catalogue has said why
        return ()


def _entries(file: Path) -> Collection[dict[str, Any]]:
    try:
        return Results.read(file).mutants.values()
    except MutantError:
        return ()


def notice_rate(counts: Counts | None) -> float | None:
    """The share of the written mutants about a claim that it noticed; None where no campaign ran."""
    noticed, tried = (counts or {}).get("written", (0, 0))
    return noticed / tried if tried else None


def words(counts: Counts | None) -> str:
    """The counts for people, such as "11/12, generated 40/50"; empty where no campaign ran."""
    parts = {origin: f"{noticed}/{tried}" for origin, (noticed, tried) in (counts or {}).items()}
    return ", ".join(
        text if origin == "written" else f"{origin} {text}" for origin, text in sorted(parts.items(), reverse=True)
    )


def every() -> dict[str, str]:
    """The `words` of every claim with mutants, by slug."""
    return {slug: words(counts) for slug, counts in rates().items()}

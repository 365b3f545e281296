"""How many mutants each claim noticed, read from the committed results; the libraries that measure are not needed for that.

The rates are kept apart, because they say different things (`shares`). Mutants that were not noticed have led to better
claims, so the rate of the written ones is that of questions which the claims were taught to answer. What a new error meets is
the rate of a first try: mutants that were written before anybody ran them, counted as they came. First tries are never edited;
the file `FIRST_TRY` lists them, the newest first, with the commit of the program and the counts by kind.
"""

import itertools
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from depthjax.runs import catalogue
from experiments.mutants.mutant import MutantError
from experiments.mutants.results import Results, committed

Counts = Mapping[str, tuple[int, int]]  # origin -> mutants that the claim noticed, mutants about it
FIRST_TRY = Path(__file__).parent / "first_try.json"
ORIGINS = {"written": "those that are kept with the claims", "generated": "generated ones"}


class NoticedShare(NamedTuple):
    """How many mutants of one origin some claim noticed, and what these mutants are."""

    name: str
    noticed: int
    tried: int
    definition: str

    def __str__(self):
        return f"{self.name} {self.noticed} of {self.tried} ({100 * self.noticed / self.tried:.3g} %)"


def shares() -> tuple[NoticedShare, ...]:
    """The rates of this project's mutants, the one that says most first; an origin that was never tried is left out.

    Nothing where this project's claims are no part of the catalogue.

    Raises:
        MutantError: the committed results are broken.
    """
    if catalogue.OWN not in catalogue.packages():
        return ()
    first = json.loads(FIRST_TRY.read_text(encoding="utf-8"))["first_tries"]
    entries = [one for one in Results.read(committed(catalogue.OWN)).mutants.values() if not one.get("equivalent")]
    tried = {origin: [one["noticed"] for one in entries if one["origin"] == origin] for origin in ("written", "generated")}
    definitions = {
        "written": "kept with the claims, those of the first try among them; most claims were mended until they noticed theirs",
        "generated": "drawn from the arithmetic operators of the same lines",
    }
    every = (
        *(NoticedShare(one["name"], one["noticed"], one["tried"], one["definition"]) for one in first),
        *(NoticedShare(origin, sum(tried[origin]), len(tried[origin]), words) for origin, words in definitions.items()),
    )
    return tuple(share for share in every if share.tried)


def sentence() -> str:
    """The rates in one sentence, with what they count; empty where there are none."""
    told = "; ".join(f"{share}, {share.definition}" for share in shares())
    return f"Programs with one wrong line of mathematics that a claim about this line noticed: {told}." if told else ""


def brief() -> str:
    """The rates in one sentence that leaves out what they count, first tries from the latest on; empty where there are none."""
    told = shares()
    kept = {origin: [str(one).removeprefix(f"{origin} ") for one in told if one.name == origin] for origin in ORIGINS}
    first = [str(one).removeprefix(f"{one.name} ") for one in told if one.name not in ORIGINS]
    parts = [f"in first tries, from the latest on, {', '.join(first)}"] * bool(first)
    parts += [f"of {words} {kept[origin][0]}" for origin, words in ORIGINS.items() if kept[origin]]
    opening = "Of the programs with one wrong line of mathematics, a claim about this line noticed"
    return f"{opening} {'; '.join(parts)}." if parts else ""


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

"""The page of a claim, as MyST Markdown."""

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from depthjax.card import Card
from depthjax.report.words import bibtex
from experiments import seals

FOLDER = Path(__file__).parents[1] / "generated" / "claims"  # of these pages
ROOT = "../../.."  # the repository, seen from there
BADGES = {"SUPPORTED": "success", "REFUTED": "danger", "INCONCLUSIVE": "warning"}
CODE = re.compile(r"(`[^`]+`)")
SPECIAL = re.compile(r"[\\*_\[\]<>#|$~{}]")


@dataclasses.dataclass(frozen=True)
class Picture:
    """The picture of a claim.

    Attributes:
        file: Where it lies.
        caption: What it shows, a paragraph an entry.
    """

    file: Path
    caption: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Shown:
    """What is known of a claim.

    Attributes:
        card: What its module says at its top.
        topic: Its topic.
        file: Its module, from the root of the repository.
        verdict: The committed verdict, None where there is none.
        grade: Letter and reason, None where it was not graded.
        mutants: How many mutants it noticed, in words; empty where none were tried.
        picture: Its picture; None where there is none.
        earlier: Whether the verdict was judged with an earlier program.
    """

    card: Card
    topic: str
    file: Path
    verdict: Mapping[str, Any] | None
    grade: tuple[str, str] | None
    mutants: str
    picture: Picture | None
    earlier: bool = False


def page(one: Shown) -> str:
    """The whole page: the statement first, then the verdict, what it rests on, how to run it, the code and the source."""
    return "\n\n".join(part for part in _parts(one) if part) + "\n"


def outcome(one: Shown) -> str:
    """The outcome of a claim as a badge."""
    if one.verdict is None:
        return "not run"
    badge = f"{{bdg-{BADGES[one.verdict['outcome']]}}}`{one.verdict['outcome']}`"
    return badge + " (loose)" * bool(one.verdict["loose"]) + f" {seals.MARK}" * one.earlier


def plain(text: str) -> str:
    r"""Plain text as Markdown: only its `code` is marked up.

    >>> plain("x_1 of `a_b`")
    'x\\_1 of `a_b`'
    """
    parts = CODE.split(text)
    return "".join(part if index % 2 else SPECIAL.sub(r"\\\g<0>", part) for index, part in enumerate(parts))


def _parts(one: Shown) -> Iterator[str]:
    card = one.card
    yield f"# {plain(card.title)}"
    yield f"`{card.slug}` ({one.topic}) {outcome(one)}"
    yield plain(card.statement)
    yield f"```{{math}}\n{card.latex}\n```"
    if one.picture:
        caption = "\n".join(map(plain, one.picture.caption))
        file = os.path.relpath(one.picture.file, FOLDER)
        yield f":::{{figure}} {file}\n:alt: {card.title}\n:class: picture\n\n{caption}\n:::"
    yield from _found(one)
    if card.assumes:
        yield "## Hypotheses"
        yield _list(map(plain, card.assumes))
    yield f"## What would refute it\n\nThe claim is refuted by {plain(card.refuted_by)}."
    if one.grade:
        letter, why = one.grade
        yield f"## What the verdict is worth\n\n**{letter}**: {plain(why)}. [The letters](../../review.md) are explained there."
    yield from _run(one)
    yield f"## Source\n\n{plain(card.source.cite())}."
    if entry := bibtex(card.source.cite(), card.slug):
        yield f"```bibtex\n{entry}\n```"


def _found(one: Shown) -> Iterator[str]:
    yield "## Verdict"
    entry = one.verdict
    if entry is None:
        yield "No verdict is committed yet."
        return
    yield f"**Found:** {plain(entry['found'])}."
    earlier = f", {seals.EARLIER} ({seals.MARK})" * one.earlier
    yield f"Size {entry['size']}, {entry['dtype']}, {entry['device']}, {entry['date']}{earlier}.{_seeds(one)}{_mutants(one)}"
    for name, what in (("controls", "the theorem must fail there"), ("rivals", "other predictions of the same data")):
        if entry[name]:
            yield f"**{name.capitalize()}**: {what}."
            yield _trials(entry[name])


def _seeds(one: Shown) -> str:
    seeds = (one.verdict or {}).get("seeds") or {}
    earlier = "" if seals.present(one.card.slug, seeds) else f" ({seals.EARLIER})"
    return f" {seeds['agree']} of {seeds['tried']} root seeds agree{earlier}." if seeds.get("tried") else ""


def _mutants(one: Shown) -> str:
    return f" Mutants noticed: {one.mutants}." if one.mutants else ""


def _trials(trials: Sequence[Mapping[str, Any]]) -> str:
    rows = [f"| {plain(one['name'])} | {plain(one['statement']) or '–'} | {one['outcome']} |" for one in trials]
    return "\n".join(["| name | says | verdict |", "|---|---|---|", *rows])


def _run(one: Shown) -> Iterator[str]:
    slug, file = one.card.slug, one.file.as_posix()
    yield "## Run it"
    yield f"```\ndepthjax show {slug}\ndepthjax verify {slug} --out runs/{slug}\ndepthjax open runs/{slug}\n```"
    yield f"Cost: {plain(one.card.cost)}. The code is `{file}`:"
    yield f":::{{dropdown}} {file}\n```{{literalinclude}} {ROOT}/{file}\n:language: python\n```\n:::"


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)

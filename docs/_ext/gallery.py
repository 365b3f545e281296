"""The gallery of claims: a page for each claim from its card and its committed verdict, and the table of all of them."""

import os
import re
from pathlib import Path

import claim_page
import pages
from sphinx.application import Sphinx

from depthjax.card import read_card
from depthjax.report import inert
from depthjax.runs import catalogue
from experiments import pictures, seals, verdicts
from experiments.standalone import made_from

GRADE = re.compile(r"^\| `(?P<slug>\w+)` \| (?P<grade>[A-C]) \| (?P<why>.*) \|$", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before the sources are read."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write(app: Sphinx) -> None:
    source = Path(app.srcdir)
    every = shown(source)
    made = {f"{one.card.slug}.md": claim_page.page(one) for one in every}
    pages.write(source, "claims", made | {"index.md": index(every)})


def shown(source: Path) -> list[claim_page.Shown]:
    """What is known of this project's claims, in the order of the catalogue."""
    found, mutants, root = verdicts.shown(), verdicts.noticed(seals.MARK), source.parent
    grades = {row["slug"]: (row["grade"], row["why"]) for row in GRADE.finditer((source / "review.md").read_text("utf-8"))}
    own = {slug: module for slug, module in catalogue.modules().items() if catalogue.origin(module).package == catalogue.OWN}
    return [
        claim_page.Shown(
            card=read_card(module),
            topic=catalogue.topic_of(module),
            file=Path(catalogue.file_of(module)).relative_to(root),
            verdict=found.get(slug),
            grade=grades.get(slug),
            mutants=mutants.get(slug, ""),
            picture=_picture(slug),
            earlier=slug in found and not seals.present(slug, found[slug]),
        )
        for slug, module in own.items()
    ]


def _picture(slug: str) -> claim_page.Picture | None:
    """The committed picture of a claim, with its caption and the run that it was drawn from."""
    file = pictures.FOLDER / f"{slug}.svg"
    if not file.exists():
        return None
    caption, origin = inert.figure(file.read_bytes(), "p", {}).caption, made_from(file.read_text("utf-8"))
    drawn = f"Size {origin['size']}, root seed {origin['seed']}" + ", by an earlier program" * pictures.stale(slug)
    return claim_page.Picture(file, (*caption.splitlines(), f"{drawn}."))


def index(every: list[claim_page.Shown]) -> str:
    """The table of all claims, by topic."""
    topics = list(dict.fromkeys(one.topic for one in every))
    parts = [
        "# Gallery of claims",
        f"{len(every)} claims. Each has a page with its statement, its last verdict, what was tried against it, its code and "
        "its source. *Grade* says [what a verdict is worth](../../review.md), *mutants* how many programs with one wrong line "
        "of mathematics the claim noticed, of those about it."
        + f" {seals.MARK}: {seals.EARLIER}."
        * any(one.earlier for one in every),
    ]
    for topic in topics:
        of_topic = [one for one in every if one.topic == topic]
        rows = ["| | claim | verdict | grade | mutants |", "|---|---|---|---|---|"]
        rows += [f"| {' | '.join(_row(one))} |" for one in of_topic]
        parts += [f"## {topic}", "\n".join(rows)]
        names = [f"{one.card.slug} <{one.card.slug}>" for one in of_topic]
        parts.append("\n".join(["```{toctree}", ":hidden:", *names, "```"]))
    return "\n\n".join(parts) + "\n"


def _thumbnail(one: claim_page.Shown) -> str:
    """The picture of a claim, which the style of the site cuts to one size, as a link to its page."""
    if one.picture is None:
        return ""
    return f"[![picture of {one.card.slug}]({os.path.relpath(one.picture.file, claim_page.FOLDER)})]({one.card.slug}.md)"


def _row(one: claim_page.Shown) -> tuple[str, ...]:
    link = f"[{claim_page.plain(one.card.title)}]({one.card.slug}.md) `{one.card.slug}`"
    return _thumbnail(one), link, claim_page.outcome(one), one.grade[0] if one.grade else "–", one.mutants or "–"

"""``depthjax list`` and ``depthjax show``: which claims there are, and what one of them says."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import tyro

from depthjax.verify.card import CardError, read_card
from experiments import catalogue, verdicts
from experiments.mutants import rates
from experiments.terminal import UsageError, console, outcome, print_json, usage, warn


@dataclasses.dataclass(frozen=True)
class List:
    """Every claim with its topic, its source and its last verdict."""

    json: bool = False
    """Print one JSON array."""

    def run(self) -> int:
        """Print the catalogue."""
        with usage(catalogue.UnknownClaim):
            modules = catalogue.modules()
        last = last_verdicts()
        rows = [_row(slug, module, last.get(slug, {})) for slug, module in modules.items()]
        if self.json:
            print_json(rows)
            return 0
        from rich.markup import escape
        from rich.table import Table

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for name, options in {"topic": {}, "claim": {"no_wrap": True}, "source": {"ratio": 1}, "last verdict": {}}.items():
            table.add_column(name, **options)
        for row in rows:
            table.add_row(row["topic"], row["slug"], escape(row["source"]), outcome(row["outcome"] or "never run"))
        console().print(table)
        return 0


@dataclasses.dataclass(frozen=True)
class Show:
    """What a claim says: statement, hypotheses, source, what would refute it, its cost and its last verdict.

    Example: depthjax show tower_error_order
    """

    slug: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SLUG")]
    """The claim's name, as in `depthjax list`."""
    grids: bool = False
    """Load the claim as well, and show the cells of every size, its controls and its rivals."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> int:
        """Print the claim."""
        with usage(catalogue.UnknownClaim, CardError):
            module = catalogue.module(self.slug)
            card = read_card(module)
        last, counts = last_verdicts().get(self.slug, {}), rates.rates().get(self.slug)
        facts: dict[str, Any] = {
            "slug": card.slug,
            "topic": module.split(".")[-2],
            "title": card.title,
            "statement": card.statement,
            "latex": card.latex,
            "relation": _words(card.relation),
            "assumes": list(card.assumes),
            "source": card.source.cite(),
            "refuted_by": card.refuted_by,
            "cost": card.cost,
            "needs_float64": bool(card.options.get("needs_float64")),
            "trains": bool(card.options.get("trains")),
            "outcome": last.get("outcome"),
            "mutants": rates.words(counts),
            "notice_rate": rates.notice_rate(counts),
        }
        if self.grids:
            facts |= _loaded(self.slug)
        if self.json:
            print_json(facts)
        else:
            _print_claim(facts)
        return 0


def _loaded(slug: str) -> dict[str, Any]:
    """What only the claim's module knows."""
    with usage(TypeError):
        experiment = catalogue.experiment(slug)
    return {
        "controls": [{"name": control.name, "statement": control.statement} for control in experiment.controls],
        "rivals": [{"name": rival.name, "statement": rival.statement} for rival in experiment.rivals],
        "grids": {size: [cell.name for cell in grid.cells()] for size, grid in experiment.grids.items()},
    }


def last_verdicts() -> dict[str, dict]:
    """The last verdict of every claim: of the runs of this catalogue under ``runs/``, else the committed one.

    Folders that are no runs, and lines that are no verdicts, are named on standard error and skipped.
    """
    found = dict(verdicts.committed()) if catalogue.catalogue_name() == catalogue.OWN else {}
    files = [file for file in Path("runs").glob("*/verdicts.jsonl") if not (file.parent / "configuration.json").exists()]
    if not files:  # what reads a run takes a second to load
        return found
    from depthjax.runs.records import RecordError, RunDirectory

    for file in sorted(files, key=lambda file: file.lstat().st_mtime):  # a sweep has a configuration and verdicts of its own
        try:
            run = RunDirectory.open(file.parent)
            if run.settings.catalogue == catalogue.catalogue_name():
                found |= run.verdicts(warn)
        except RecordError as error:
            warn(f"{file.parent} is skipped: {error}")
    return found


def _row(slug: str, module: str, verdict: dict) -> dict[str, Any]:
    try:
        found = read_card(module)
    except (CardError, ImportError) as error:
        raise UsageError(str(error)) from error
    return {
        "slug": slug,
        "topic": module.split(".")[-2],
        "title": found.title,
        "relation": _words(found.relation),
        "source": found.source.cite(),
        "outcome": verdict.get("outcome"),
    }


def _print_claim(facts: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 1, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_row("claim", f"[bold]{facts['slug']}[/]  ({facts['topic']}, {facts['relation']})\n{escape(facts['title'])}")
    table.add_row("statement", escape(facts["statement"]))
    table.add_row("formula", escape(facts["latex"]))
    table.add_row("assumes", "\n".join(f"• {escape(text)}" for text in facts["assumes"]) or "nothing")
    table.add_row("source", escape(facts["source"]))
    table.add_row("refuted by", escape(facts["refuted_by"]))
    for kind in ("controls", "rivals"):
        if kind in facts:
            lines = (f"{one['name']}: {one['statement']}".rstrip(": ") for one in facts[kind])
            table.add_row(kind, "\n".join(f"• {escape(line)}" for line in lines) or "none")
    if "grids" in facts:
        grids = (f"{size}: {len(cells)} cells, {_few(cells)}" for size, cells in facts["grids"].items())
        table.add_row("grids", escape("\n".join(grids)))
    table.add_row("cost", escape(facts["cost"] or "–") + ("; float64 only" if facts["needs_float64"] else ""))
    table.add_row("last verdict", outcome(facts["outcome"] or "never run"))
    table.add_row("mutants", f"{facts['mutants']} noticed" if facts["mutants"] else "none tried")
    console().print(table)


def _few(cells: list[str]) -> str:
    return "; ".join(cells) if len(cells) <= 4 else "; ".join([*cells[:2], "...", cells[-1]])


def _words(relation: str) -> str:
    """The relation as people say it: "at most" for AT_MOST."""
    return relation.lower().replace("_", " ")

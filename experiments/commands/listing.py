"""``depthjax list`` and ``depthjax show``: which claims there are, and what one of them says."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import tyro

from depthjax.verify.card import CardError, read_card
from experiments import catalogue, verdicts
from experiments.commands.usage import UsageError, console, outcome, print_json, usage, warn


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
    """What a claim says: statement, hypotheses, source, what would refute it, its grids and their cost.

    Example: depthjax show tower_error_order
    """

    slug: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SLUG")]
    """The claim's name, as in `depthjax list`."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> int:
        """Print the claim."""
        with usage(catalogue.UnknownClaim, TypeError):
            experiment = catalogue.experiment(self.slug)
        claim, last = experiment.claim, last_verdicts().get(self.slug, {})
        facts: dict[str, Any] = {
            "slug": claim.slug,
            "topic": experiment.topic,
            "title": claim.title,
            "statement": claim.statement,
            "latex": claim.latex,
            "relation": claim.relation.value,
            "assumes": list(claim.assumes),
            "source": claim.source.cite(),
            "refuted_by": claim.refuted_by,
            "controls": [{"name": control.name, "statement": control.statement} for control in experiment.controls],
            "rivals": [{"name": rival.name, "statement": rival.statement} for rival in experiment.rivals],
            "grids": {size: [cell.name for cell in grid.cells()] for size, grid in experiment.grids.items()},
            "cost": claim.cost,
            "needs_float64": claim.needs_float64,
            "outcome": last.get("outcome"),
        }
        if self.json:
            print_json(facts)
        else:
            _print_claim(facts)
        return 0


def last_verdicts() -> dict[str, dict]:
    """The last verdict of every claim: of the runs of this catalogue under ``runs/``, else the committed one.

    What is no run, and lines that are no verdicts, are named on standard error and skipped.
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
        "relation": found.relation.lower().replace("_", " "),
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
        lines = (f"{one['name']}: {one['statement']}".rstrip(": ") for one in facts[kind])
        table.add_row(kind, "\n".join(f"• {escape(line)}" for line in lines) or "none")
    grids = (f"{size}: {len(cells)} cells, {_few(cells)}" for size, cells in facts["grids"].items())
    table.add_row("grids", escape("\n".join(grids)))
    table.add_row("cost", escape(facts["cost"] or "–") + ("; float64 only" if facts["needs_float64"] else ""))
    table.add_row("last verdict", outcome(facts["outcome"] or "never run"))
    console().print(table)


def _few(cells: list[str]) -> str:
    return "; ".join(cells) if len(cells) <= 4 else "; ".join([*cells[:2], "...", cells[-1]])

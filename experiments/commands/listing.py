"""``depthjax list`` and ``depthjax show``: which claims there are, and what one of them says."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import tyro

from depthjax.card import Card, CardError, read_card
from depthjax.runs import catalogue
from depthjax.runs.registered import registered
from experiments import seals, verdicts
from experiments.mutants import rates
from experiments.terminal import MARKS, STYLES, UsageError, console, failing, outcome, print_json, usage, warn

NEVER = "–"  # stands where a claim was never run
LEAN = "statement.lean"  # beside the files of a claim that is stated for a proof assistant


@dataclasses.dataclass(frozen=True)
class List:
    """Claims by topic, each with its title and its last verdict.

    Examples:
      depthjax list                          every claim of the catalogue
      depthjax list lie                      one topic
      depthjax list path/to/my_claim         a claim that is not installed
    """

    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[TOPIC|SLUG|PATH|MODULE ...]")] = ()
    """Topics, claims, folders of claims, or modules; all claims of the catalogue where none is given."""
    json: bool = False
    """Print one JSON object with `claims`."""

    def run(self) -> int:
        """Print the catalogue."""
        with usage(catalogue.UnknownClaim):
            modules = catalogue.select(self.names)
        last = last_verdicts(modules.values())
        rows = list(_rows(modules, last))
        if modules and not rows:
            raise UsageError("none of these claims can be read")
        if self.json:
            print_json({"claims": rows})
        else:
            _print_list(rows)
        return 0


@dataclasses.dataclass(frozen=True)
class Show:
    """What a claim says: statement, hypotheses, source, what would refute it, its cost and its last verdict.

    Examples:
      depthjax show tower_error_order
      depthjax show path/to/my_claim --grids
      depthjax show one_layer_bottleneck --lean
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SLUG|PATH|MODULE")]
    """The claim's name, as in `depthjax list`, or the file or module of a claim that is not installed."""
    grids: bool = False
    """Load the claim as well, and show the cells of every size, its controls and its rivals."""
    lean: bool = False
    """Print the statement as Lean 4 text with mathlib's names, where the claim has one. It is stated there, not proved."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> int:
        """Print the claim."""
        with usage(catalogue.UnknownClaim, CardError):
            module = catalogue.one(self.name)
            card = read_card(module)
        if self.lean:
            text = _lean(module, card)
            print_json({"slug": card.slug, "lean": text}) if self.json else print(text, end="")
            return 0
        last, counts = last_verdicts([module]).get(card.slug, {}), rates.rates().get(card.slug)
        seal = seals.remembered(module)
        facts: dict[str, Any] = {
            "slug": card.slug,
            "topic": catalogue.topic_of(module),
            "origin": dataclasses.asdict(catalogue.origin(module)),
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
            "domain": last.get("domain") or (last.get("claim") or {}).get("domain") or [],
            "drawn": last.get("drawn") or [],
            "outcome": last.get("outcome"),
            "earlier": bool(last) and seals.of(last) != seal,
            "registered": registered(module, seal),
            "mutants": {kind: {"noticed": noticed, "tried": tried} for kind, (noticed, tried) in (counts or {}).items()},
            "notice_rate": rates.notice_rate(counts),
        }
        if self.grids:
            facts |= _loaded(module)
        if self.json:
            print_json(facts)
        else:
            _print_claim(facts | {"mutants": rates.words(counts)})
        return 0


def _lean(module: str, card: Card) -> str:
    """The statement in Lean 4 that lies beside a claim, with its title and source in front.

    Raises:
        UsageError: the claim has none.
    """
    file = Path(catalogue.file_of(module)).parent / LEAN
    if not file.is_file():
        every = catalogue.modules()
        stated = [slug for slug, other in every.items() if (Path(catalogue.file_of(other)).parent / LEAN).is_file()]
        others = f"; those that have one: {', '.join(stated)}" if stated else ""
        raise UsageError(f"{card.slug} has no statement in Lean ({LEAN} beside its claim.py){others}")
    lines = [
        f"{card.slug}: {card.title}",
        f"Source: {card.source.cite()}",
        "Stated with mathlib's names. Not proved here, and not compiled.",
    ]
    return "\n".join(f"-- {' '.join(line.split())}" for line in lines) + "\n\n" + file.read_text(encoding="utf-8")


def _loaded(module: str) -> dict[str, Any]:
    """What only the claim's module knows."""
    from depthjax.runs.guest import guest

    with failing(f"the claim {catalogue.slug_of(module)}", catalogue.file_of(module)), guest():
        experiment = catalogue.experiment(module)
        return {
            "domain": [] if experiment.domain is None else experiment.domain.sentences(),
            "controls": [{"name": control.name, "statement": control.statement} for control in experiment.controls],
            "rivals": [{"name": rival.name, "statement": rival.statement} for rival in experiment.rivals],
            "grids": {size: [cell.name for cell in grid.cells()] for size, grid in experiment.grids.items()},
        }


def last_verdicts(modules: Iterable[str]) -> dict[str, dict]:
    """The last verdicts of claims: of the runs of their packages under ``runs/``, else the committed ones.

    Folders that are no runs, and lines that are no verdicts, are named on standard error and skipped.
    """
    packages = {*catalogue.packages(), *catalogue.packages_of(modules).split(",")}
    found = verdicts.shown() if catalogue.OWN in packages else {}
    files = [file for file in Path("runs").glob("*/verdicts.jsonl") if not (file.parent / "configuration.json").exists()]
    if not files:  # what reads a run takes a second to load
        return found
    try:
        from depthjax.runs.records import RecordError, RunDirectory
    except ModuleNotFoundError as error:
        warn(f"runs/ is not read, because {error.name} is not installed: these are the committed verdicts")
        return found

    for file in sorted(files, key=lambda file: file.lstat().st_mtime):  # a sweep has a configuration and verdicts of its own
        try:
            run = RunDirectory.open(file.parent)
            if packages.issuperset(run.settings.catalogue.split(",")):
                found |= run.verdicts(warn)
        except RecordError as error:
            warn(f"{file.parent} is skipped: {error}")
    return found


def _rows(modules: Mapping[str, str], last: Mapping[str, dict]) -> Iterator[dict[str, Any]]:
    """The rows of all claims that can be read; the others are named, and none of them hides the rest."""
    origins = catalogue.origins(modules.values())
    for slug, module in modules.items():
        try:
            yield _row(slug, module, origins[module], read_card(module), last.get(slug, {}))
        except CardError as error:
            warn(f"{slug} is left out: {error}")


def _row(slug: str, module: str, origin: catalogue.Origin, found: Card, verdict: dict) -> dict[str, Any]:
    return {
        "slug": slug,
        "topic": catalogue.topic_of(module),
        "origin": dataclasses.asdict(origin),
        "title": found.title,
        "relation": _words(found.relation),
        "source": found.source.cite(),
        "outcome": verdict.get("outcome"),
    }


def _print_list(rows: list[dict[str, Any]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    screen = console()
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, options in {"verdict": {"no_wrap": True}, "claim": {"no_wrap": True}, "title": {}}.items():
        table.add_column(name, **options)
    for (topic, origin), group in itertools.groupby(rows, key=lambda row: (row["topic"], _origin(row["origin"]))):
        table.add_row("", f"[bold]{escape(topic)}[/]", "" if origin == "this project" else f"[dim]{escape(origin)}[/]")
        for row in group:
            mark = f"[{STYLES[row['outcome']]}]{MARKS[row['outcome']]}[/]" if row["outcome"] else f"[dim]{NEVER}[/]"
            table.add_row(mark, escape(row["slug"]), escape(row["title"]))
    screen.print(table)
    marks = ", ".join(f"[{STYLES[name]}]{mark}[/] {name}" for name, mark in MARKS.items())
    screen.print(f"[dim]last verdict:[/] {marks}, [dim]{NEVER} never run; `depthjax show CLAIM` says more[/]")


def _origin(origin: dict[str, str]) -> str:
    """Where a claim comes from, for people: a claim that was named has a place of its own."""
    return str(catalogue.Origin(**origin))


def _print_claim(facts: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 1, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("claim", f"[bold]{facts['slug']}[/]  ({facts['topic']}, {facts['relation']})\n{escape(facts['title'])}")
    table.add_row("statement", escape(facts["statement"]))
    table.add_row("formula", escape(facts["latex"]))
    table.add_row("assumes", "\n".join(f"• {escape(text)}" for text in facts["assumes"]) or "nothing")
    table.add_row("domain", "\n".join(f"• {escape(text)}" for text in facts["domain"]) or "the chosen cells")
    table.add_row("source", escape(facts["source"]))
    table.add_row("refuted by", escape(facts["refuted_by"]))
    for kind in ("controls", "rivals"):
        if kind in facts:
            lines = (f"{one['name']}: {one['statement']}".rstrip(": ") for one in facts[kind])
            table.add_row(kind, "\n".join(f"• {escape(line)}" for line in lines) or "none")
    if "grids" in facts:
        grids = (f"{size}: {len(cells)} cells, {_few(cells)}" for size, cells in facts["grids"].items())
        table.add_row("grids", escape("\n".join(grids)))
    table.add_row("origin", escape("\n".join(dict.fromkeys((_origin(facts["origin"]), facts["origin"]["file"])))))
    table.add_row("cost", escape(facts["cost"] or "–") + ("; float64 only" if facts["needs_float64"] else ""))
    earlier = f" ({seals.EARLIER})" * facts["earlier"]
    if facts["drawn"]:
        table.add_row("drawn cells", escape(_few(facts["drawn"])))
    table.add_row("last verdict", outcome(facts["outcome"] or "never run") + earlier)
    if facts["trains"]:
        table.add_row("registered", f"on {facts['registered']}" if facts["registered"] else "the present program is not")
    table.add_row("mutants", f"{facts['mutants']} noticed" if facts["mutants"] else "none tried")
    console().print(table)


def _few(cells: list[str]) -> str:
    return "; ".join(cells) if len(cells) <= 4 else "; ".join([*cells[:2], "...", cells[-1]])


def _words(relation: str) -> str:
    """The relation as people say it: "at most" for AT_MOST."""
    return relation.lower().replace("_", " ")

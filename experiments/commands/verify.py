"""``depthjax verify``: runs claims and says SUPPORTED, REFUTED or INCONCLUSIVE."""

import dataclasses
import datetime
import re
from pathlib import Path
from typing import Annotated, Literal

import tyro

from experiments import catalogue
from experiments.commands.usage import MARKS, STYLES, SYMBOLS, UsageError, console, number, outcome, print_json, usage, warn


@dataclasses.dataclass(frozen=True)
class Verify:
    """Run claims: predictions, measurements, controls, verdicts.

    Results land in a directory: verdicts.jsonl, and per claim a netCDF file and an SVG figure, and report.html to read.
    Exit codes: 0 all supported, 1 something refuted, 3 nothing refuted but something open, 2 usage.

    Examples:
      depthjax verify
      depthjax verify tower_error_order --size full --seed 1
      depthjax verify lie --out runs/mine --resume
    """

    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[SLUG|TOPIC ...]")] = ()
    """Claims or topics; all claims where none is given."""
    size: Literal["quick", "full", "paper"] = "quick"
    """quick: minutes on two cores; full: an hour on a CPU or minutes on a GPU; paper: the sizes of the source."""
    seed: int = 0
    """Root of all randomness, 0 to 4294967295."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None
    """Where results go (default: runs/<timestamp>); must be empty or not exist, unless resuming."""
    jobs: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Processes (default: one per core, a single one with a GPU or TPU)."""
    patience: Annotated[float, tyro.conf.arg(metavar="MINUTES")] = 5.0
    """How long one of several processes may do nothing before it is ended and its claim tried once more."""
    json: bool = False
    """Print one JSON array and nothing else."""
    resume: bool = False
    """Go on with the broken run in --out; finished claims and cells are not run again."""
    precision: Literal["float64", "float32"] = "float64"
    """Width of floats; claims that judge an order refuse float32."""

    def run(self) -> int:
        """Run, print, and return the exit code."""
        if not 0 <= self.seed < 2**32:
            raise UsageError(f"--seed {self.seed}: expected 0 to 4294967295, as JAX's keys take")
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"--jobs {self.jobs}: expected 1 or more")
        if not self.patience > 0:
            raise UsageError(f"--patience {self.patience:g}: expected more than 0 minutes")
        if self.resume and self.out is None:
            raise UsageError("--resume needs --out: the directory of the run to go on with")
        with usage(catalogue.UnknownClaim):
            selected = catalogue.select(self.names)
        if not selected:
            raise UsageError(f"the catalogue {catalogue.catalogue_name()!r} has no claims")

        from depthjax.verify.records import RecordError
        from depthjax.verify.report import write_report

        with usage(RecordError, catalogue.UnknownClaim):
            directory, selected = self._directory(selected)
            entries = self._entries(directory, selected)
            write_report(directory)
        if self.json:
            from depthjax.verify.records import plain

            print_json(plain(entries))
        else:
            _print_table(entries)
            console().print(f"[dim]report: {directory.path / 'report.html'}[/]", soft_wrap=True)
        outcomes = {entry["outcome"] for entry in entries}
        return 1 if "REFUTED" in outcomes else 3 if "INCONCLUSIVE" in outcomes else 0

    def _directory(self, selected: dict[str, str]):
        from depthjax.verify.provenance import commit, versions
        from depthjax.verify.records import RunDirectory, Settings

        place = {"commit": commit(), "versions": versions()}
        out = self.out or _fresh(Path("runs"))
        if self.resume and out.exists() and any(out.iterdir()):
            if not self.names:  # the run knows what it was about
                selected = catalogue.select(RunDirectory.open(out).settings.slugs)
            directory = RunDirectory.resume(out, self._settings(Settings, selected))
            before = directory.provenance()
            for name in ("commit", "versions"):
                if before.get(name) != place[name]:
                    warn(f"{out} was started with other {name}: numbers may differ from an unbroken run")
            return directory, selected
        return RunDirectory.create(out, self._settings(Settings, selected), place), selected

    def _settings(self, kind, selected: dict[str, str]):
        return kind(self.size, self.seed, self.precision, tuple(selected), catalogue.catalogue_name())

    def _entries(self, directory, selected: dict[str, str]) -> list[dict]:
        from depthjax.verify.pool import default_jobs, run_claims
        from experiments.commands.progress import Display

        finished = directory.verdicts(warn)
        left = {slug: module for slug, module in selected.items() if slug not in finished}
        with Display(list(left), len(selected) - len(left)) as display:
            jobs = self.jobs or default_jobs(len(left))
            show = {"progress": display.progress, "finished": display.finished}
            run_claims(list(left.values()), directory, jobs, patience=self.patience, **show)
        found = directory.verdicts()
        return [found[slug] for slug in selected]


def _fresh(parent: Path) -> Path:
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    path, number_ = parent / stamp, 2
    while path.exists():
        path, number_ = parent / f"{stamp}-{number_}", number_ + 1
    return path


def _print_table(entries: list[dict]) -> None:
    from rich.markup import escape
    from rich.table import Table

    screen = console()
    narrow = screen.width < 110
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0) if narrow else (0, 2, 0, 0), header_style="bold")
    table.add_column("claim", no_wrap=True)
    if not narrow:
        table.add_column("relation")
    for name in ("predicted", "measured", "margin", "tight" if narrow else "tightness", "ctrl" if narrow else "controls"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("s" if narrow else "seconds", justify="right", no_wrap=True)
    for entry in entries:
        controls = entry["controls"]
        refuted = sum(control["outcome"] == "REFUTED" for control in controls)
        predicted = number(entry["predicted"], 3 if narrow else 4)
        symbol = "C =" if "constant" in entry["where"] else SYMBOLS.get(entry["relation"], "") if narrow else ""
        table.add_row(
            escape(_folded(entry["slug"], 22) if narrow else entry["slug"]),
            *(() if narrow else (entry["relation"],)),
            f"{symbol} {predicted}" if symbol else predicted,
            number(entry["measured"], 3 if narrow else 4),
            number(entry["margin"], 2),
            number(entry["tightness"], 2),
            f"{refuted}/{len(controls)}",
            f"[{STYLES[entry['outcome']]}]{MARKS[entry['outcome']]} {entry['outcome']}[/]" if not narrow else _short(entry),
            f"{entry['seconds']['compile'] + entry['seconds']['run']:.1f}",
        )
    screen.print(table)
    for entry in entries:
        if entry["outcome"] != "SUPPORTED":
            witness = f" [dim](witness {escape(entry['witness'])})[/]" if entry["witness"] else ""
            screen.print(f"{outcome(entry['outcome'])} {escape(entry['slug'])}: {escape(entry['reason'])}{witness}")


def _folded(slug: str, width: int) -> str:
    """The slug on several lines, broken after underscores."""
    lines = [""]
    for part in re.findall("[^_]+_?", slug):
        lines[-1:] = [lines[-1] + part] if len(lines[-1] + part) <= width else [lines[-1], part]
    return "\n".join(lines)


def _short(entry: dict) -> str:
    return f"[{STYLES[entry['outcome']]}]{entry['outcome']}[/]"

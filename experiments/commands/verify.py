"""``depthjax verify``: runs claims and says SUPPORTED, REFUTED or INCONCLUSIVE."""

import contextlib
import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import tyro

from depthjax.runs import catalogue
from experiments import verdicts
from experiments.mutants import rates
from experiments.studies.accelerators import UTILISATION, check_accelerator
from experiments.terminal import FAILED, MARKS, STYLES, SYMBOLS, UsageError, console, number, outcome, print_json, usage, warn


@dataclasses.dataclass(frozen=True)
class Verify:
    """Run claims and judge them.

    Results land in a directory: verdicts.jsonl, a netCDF file and a figure per claim, and report.html to read.
    Exit codes: 0 all supported, 1 something refuted, 3 nothing refuted but something open, 2 usage, 4 the program failed, or
    the code of a claim did: it raised an error or ended its process, and is named.

    Examples:
      depthjax verify
      depthjax verify tower_error_order --size full --seed 1
      depthjax verify lie --out runs/mine --resume
      depthjax verify training --size full --dry-run --accelerator H100
      depthjax verify path/to/my_claim            a claim that is not installed; a folder of claims; mypackage.claims
      depthjax verify training --size full --out /shared/mine --cluster tcp://host0:8786      on the workers of a Dask scheduler
    """

    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[SLUG|TOPIC|PATH|MODULE ...]")] = ()
    """Claims or topics, folders of claims, or modules; all claims of the catalogue where none is given."""
    size: Literal["test", "quick", "full", "paper"] = "quick"
    """test: a second or two a claim, to see that it runs;
    quick: all claims in minutes on two cores; full: at most ten minutes a claim, thirty where it trains; paper: the sizes of
    the source."""
    seed: int = 0
    """Root of all randomness, 0 to 4294967295."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None
    """Where results go (default: runs/<timestamp>); must be empty or not exist, unless resuming."""
    jobs: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Number of processes (default: one per core; one with a GPU or TPU)."""
    cluster: Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")] = None
    """Measure on the workers of the Dask scheduler that listens there. They need --out, a folder that all of them see, the same
    versions, and --nthreads 1; workers with --resources "GPU=1" get all the work. Cells of lost workers are run again."""
    patience: Annotated[float, tyro.conf.arg(metavar="MINUTES")] = 5.0
    """A process of this machine that uses no processor time for so long is ended, and its claim is retried once."""
    json: bool = False
    """Print one JSON object with `verdicts` and nothing else."""
    resume: bool = False
    """Go on with the unfinished run in --out; finished claims and cells are kept unless the code or versions differ."""
    trust_paths: bool = False
    """With --resume: import the claims from the paths that the run in --out names. Importing a file runs it."""
    dry_run: bool = False
    """Run nothing: count cells, network-steps and tokens, and estimate memory and hours of training from seconds of it."""
    accelerator: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """With --dry-run: also hours and memory on this device, from its published peak, such as H100."""
    utilisation: float = UTILISATION
    """Share of that peak which the estimate assumes."""
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
        if self.cluster is not None and (self.jobs is not None or self.dry_run or self.out is None):
            raise UsageError(
                "--cluster needs --out, a folder that all workers see, and takes neither --jobs nor --dry-run: the number of "
                "processes is that of the workers, and a dry run runs nothing"
            )
        if self.resume and self.out is None:
            raise UsageError("--resume needs --out: the directory of the run to go on with")
        with usage(catalogue.UnknownClaim):
            selected = catalogue.select(self.names)
        if self.trust_paths and not self.resume:
            raise UsageError("--trust-paths needs --resume: the paths are those that a run on disk names")
        if not selected:
            raise UsageError(f"no claims in {', '.join(catalogue.packages())}")
        if self.accelerator is not None:
            if not self.dry_run:
                raise UsageError("--accelerator needs --dry-run: it estimates, and claims run on this machine")
            with usage(ValueError):
                check_accelerator(self.accelerator, self.utilisation)
        if self.dry_run:
            from experiments.commands.dry_run import verify_cost

            return verify_cost(selected, self.size, self.accelerator, self.utilisation, as_json=self.json)

        from depthjax.report.page import write_report
        from depthjax.runs.cluster import ClusterError, connected
        from depthjax.runs.lock import one_writer
        from depthjax.runs.records import RecordError, fresh

        out = self.out or fresh(Path("runs"))
        out = out if self.cluster is None else out.resolve()  # workers stand in folders of their own
        caught = usage(RecordError, catalogue.UnknownClaim, ClusterError)
        with caught, connected(self.cluster) as cluster, one_writer(out) as lock:
            directory, selected = self._directory(out, selected)
            entries = self._entries(directory, selected, lock, cluster)
            write_report(directory, **verdicts.beside(directory))
        if self.json:
            from depthjax.runs.records import plain

            counts = rates.rates()
            rated = [plain(entry) | {"notice_rate": rates.notice_rate(counts.get(entry["slug"]))} for entry in entries]
            print_json({"verdicts": rated})
        else:
            _print_table(entries)
            console().print(f"report: {directory.path / 'report.html'}", style="dim", markup=False, soft_wrap=True)
        outcomes = {entry["outcome"] for entry in entries}
        if failed := [entry["slug"] for entry in entries if entry.get("failed")]:
            warn(f"failed, so that nobody could judge {'it' if len(failed) == 1 else 'them'}: {', '.join(failed)}")
        return 1 if "REFUTED" in outcomes else FAILED if failed else 0 if outcomes == {"SUPPORTED"} else 3

    def _directory(self, out: Path, selected: dict[str, str]):
        from depthjax.runs.provenance import commit, versions
        from depthjax.runs.records import RunDirectory, Settings, occupied

        if self.resume and occupied(out):
            if not self.names:  # the run knows what it was about
                selected = self._of_run(RunDirectory.open(out))
            return RunDirectory.resume(out, self._settings(Settings, selected)), selected
        place = {"commit": commit(), "versions": versions(), "files": catalogue.named_files(selected.values())}
        return RunDirectory.create(out, self._settings(Settings, selected), place), selected

    def _of_run(self, run) -> dict[str, str]:
        slugs = run.settings.slugs
        found = catalogue.of_run(run.settings.catalogue, run.named_files(), trust=self.trust_paths)
        if gone := [slug for slug in slugs if slug not in found]:
            raise UsageError(f"the claim {gone[0]} of {run.path} is not in the catalogue: name its path or its module")
        return {slug: found[slug] for slug in slugs}

    def _settings(self, kind, selected: dict[str, str]):
        return kind(self.size, self.seed, self.precision, tuple(selected), catalogue.packages_of(selected.values()))

    def _entries(self, directory, selected: dict[str, str], lock, cluster) -> list[dict]:
        from depthjax.runs.claims import asked, default_jobs, local, options, place, run_claims
        from depthjax.runs.executor import Here
        from depthjax.runs.programs import told
        from experiments.commands.progress import ClaimsDisplay

        if why := told() if cluster is None else "":
            warn(why)
        if cluster is not None:
            where = cluster.agree(
                directory.path, tuple(selected.values()), options(directory.settings), asked(directory.settings)
            )
        elif self.resume:
            where = place(self.jobs or default_jobs(len(selected)), directory.settings)
        else:
            where = {}  # nothing is finished, and this process need not know
        finished = self._standing(directory, selected, where)
        left = {slug: module for slug, module in selected.items() if slug not in finished}
        with ClaimsDisplay(list(left), len(selected) - len(left)) as display:
            jobs = self.jobs or default_jobs(len(left))
            show = {"progress": display.progress, "finished": display.finished, "warn": warn}
            apart = jobs > 1 or not ours(left.values())
            here = local(jobs, patience=self.patience, lock=lock) if apart else contextlib.nullcontext(Here())
            with here if cluster is None else contextlib.nullcontext(cluster) as executor:
                run_claims(list(left.values()), directory, executor, **show)
        found = directory.verdicts()
        return [found[slug] for slug in selected]

    def _standing(self, directory, selected: dict[str, str], place: dict[str, str]) -> set[str]:
        """Return the claims whose verdicts hold for this code, these versions, settings and place; print why others do not."""
        from depthjax.runs.stored import verdict_differs

        finished = {slug: entry for slug, entry in directory.verdicts(warn).items() if slug in selected}
        again: dict[str, list[str]] = {}
        for slug, entry in finished.items():
            if why := verdict_differs(entry, selected[slug], directory.settings, place) or _lost(directory, slug, entry):
                again.setdefault(why, []).append(slug)
        for why, slugs in again.items():
            warn(f"{', '.join(slugs)}: finished, but of {why}: run again")
        return set(finished) - {slug for slugs in again.values() for slug in slugs}


def _lost(directory, slug: str, entry: dict) -> str:
    """What became of the numbers of a finished claim, where they cannot be read; empty if they can, or there were none."""
    from depthjax.runs.records import is_whole

    file = directory.file(f"{slug}.nc")
    if not file.exists():
        return "numbers that are gone" if entry["findings"] else ""
    return "" if is_whole(file, directory.path) else f"numbers that cannot be read any more ({file.name})"


def ours(modules: Iterable[str]) -> bool:
    """Whether all claims are this project's own. Others run in processes of their own, whose end is seen whatever ends them."""
    return all(catalogue.origin(module).kind == "project" for module in modules)


def _print_table(entries: list[dict]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from depthjax.verify.rates import family_rate
    from depthjax.verify.verdict import checks, tally

    screen = console()
    narrow = screen.width < 110
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0) if narrow else (0, 2, 0, 0), header_style="bold")
    table.add_column("claim", no_wrap=True)
    if not narrow:
        table.add_column("relation")
    short = ("tight", "con", "riv") if narrow else ("tightness", "controls", "rivals", "checks")
    for name in ("predicted", "measured", "margin", *short):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("s" if narrow else "seconds", justify="right", no_wrap=True)
    for entry in entries:
        predicted = number(entry["predicted"], 3 if narrow else 4)
        symbol = "C =" if "constant" in entry["where"] else SYMBOLS.get(entry["relation"], "") if narrow else ""
        table.add_row(
            escape(_folded(entry["slug"], 22) if narrow else entry["slug"]),
            *(() if narrow else (entry["relation"],)),
            f"{symbol} {predicted}" if symbol else predicted,
            number(entry["measured"], 3 if narrow else 4),
            number(entry["margin"], 2),
            number(entry["tightness"], 2),
            *(tally(entry.get(kind, ())) for kind in ("controls", "rivals")),
            *(() if narrow else (checks(entry),)),
            f"[{STYLES[entry['outcome']]}]{MARKS[entry['outcome']]} {entry['outcome']}[/]" if not narrow else _short(entry),
            f"{entry['seconds']['compile'] + entry['seconds']['run']:.1f}",
        )
    screen.print(table)
    if statistical := [entry for entry in entries if entry.get("rate")]:
        count = f"{len(statistical)} claim{'s' if len(statistical) > 1 else ''}"
        screen.print(
            f"[dim]{count} judged by statistics: one or more false verdicts with a chance of at most "
            f"{family_rate(entries):.2g}[/]",
            soft_wrap=True,
        )
    if loose := [entry["slug"] for entry in entries if entry.get("loose")]:
        screen.print(f"[dim]bounds that hold and that no data come near: {escape(', '.join(loose))}[/]", soft_wrap=True)
    if drawn := sum(len(entry.get("drawn", ())) for entry in entries):
        cells = "1 cell was" if drawn == 1 else f"{drawn} cells were"
        screen.print(
            f"[dim]{cells} drawn by the root seed from the domains of the claims; the report names them[/]", soft_wrap=True
        )
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

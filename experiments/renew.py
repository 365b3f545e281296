"""What was made with an earlier program, made again: ``python -m experiments.renew [SLUG ...] [--dry-run]``.

Verdicts, pictures, root seeds and mutants are committed, each with the seal of the program that made it. When a definition
changes that a claim reaches, what was made with the old one is stale, and every table says so. This command lists what is
stale, with the reason and the minutes that it took last time, and makes it again, the cheapest first.

  python -m experiments.renew --dry-run                        what is stale, and how long it takes
  python -m experiments.renew                                  make all of it again
  python -m experiments.renew tower_error_order lie            of these claims and topics
  python -m experiments.renew --only verdict picture           no root seeds, no mutants, no full size

Each thing is written as soon as it is there. A command that was stopped, started again, goes on from what is written and from
the cells that are stored in --out. It runs the commands that make each kind, which also work alone:

  verdict, full    depthjax verify, and python -m experiments.verdicts update RUN
  picture          python -m experiments.verdicts pictures RUN [SLUG ...]
  seeds            python -m benchmarks.root_seeds [SLUG ...] --out DIR
  mutants          python -m experiments.mutants run [SLUG ...]

Exit codes: 0 nothing is stale; 1 a claim is refuted, or a mutant was not noticed; 2 usage; 3 a claim is open, or something is
stale still; 4 the program failed, or the code of a claim did.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from depthjax.runs import catalogue
from experiments import collected, pictures, seals, verdicts
from experiments.headline import CLAIMS
from experiments.mutants.results import Results, committed
from experiments.shell import guarded
from experiments.terminal import FAILED, Failure, UsageError, console, printable, usage, warn

KINDS = ("verdict", "picture", "seeds", "mutants", "full")
SEEDS = 10  # root seeds of a claim
FIRST = 100  # of them; those below are for tuning
BATCH = 2.0  # minutes of work that share their processes: to start them takes seconds
STARTED = 8.0  # seconds that the process of a mutant takes to start


@dataclass(frozen=True)
class Item:
    """Something that is stale.

    Attributes:
        kind: One of `KINDS`.
        slug: The claim, or the name of a picture.
        reason: Why it is stale.
        minutes: That it took last time; None where nobody knows.
    """

    kind: str
    slug: str
    reason: str
    minutes: float | None

    @property
    def cost(self) -> float:
        """Minutes to sort by: what nobody knows comes last."""
        return float("inf") if self.minutes is None else self.minutes


def stale(slugs: Sequence[str]) -> list[Item]:
    """What is stale of these claims of this project, the cheapest first."""
    quick, full, seeds = verdicts.committed(), verdicts.committed("full"), verdicts.root_seeds()
    mutants, sound = verdicts.untried(slugs), Results.read(committed(catalogue.OWN)).sound
    found: list[Item] = []
    for slug in slugs:
        seconds = quick.get(slug, {}).get("seconds") or seeds.get(slug, {}).get("seconds")
        kinds = {"verdict": (quick, seconds, 1), "seeds": (seeds, seconds, SEEDS), "full": (full, None, 1)}
        for kind, (entries, took, times) in kinds.items():
            entry = entries.get(slug, {})
            if not seals.present(slug, entry):
                found.append(
                    Item(kind, slug, seals.EARLIER if entry else "never run", _minutes(took or entry.get("seconds"), times))
                )
        for name in (slug, *([pictures.HEADLINE] if slug == CLAIMS[-1] else [])):
            if pictures.stale(name):
                there = (pictures.FOLDER / f"{name}.svg").exists()
                found.append(
                    Item("picture", name, "drawn with an earlier program" if there else "never drawn", _minutes(seconds))
                )
        if slug in mutants:
            count, test = len(mutants[slug]), sound.get((slug, "test"), {}).get("seconds", 0.0)
            found.append(Item("mutants", slug, f"{count} not tried with this program", _minutes(STARTED + test, count)))
    return sorted(found, key=lambda item: (item.cost, KINDS.index(item.kind)))


def _minutes(seconds: float | None, times: int = 1) -> float | None:
    return None if not seconds else times * seconds / 60


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Items in their order, as many together as take `BATCH` minutes."""
    batch: list[Item] = []
    for item in items:
        batch.append(item)
        if sum(one.cost for one in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class Renewal:
    """Makes stale things again, in runs below one folder.

    Attributes:
        codes: The exit codes of what was made.
    """

    def __init__(self, folder: Path, jobs: int | None = None):
        self.folder, self.jobs = folder.resolve(), jobs
        self.codes: set[int] = set()
        self.makers: dict[str, Callable[[list[str]], None]] = {
            "verdict": lambda slugs: self._judge(slugs, "quick"),
            "picture": self._draw,
            "seeds": self._seeds,
            "mutants": lambda slugs: self._ask("experiments.mutants", "run", *slugs),
            "full": lambda slugs: self._judge(slugs, "full"),
        }

    def make(self, batch: list[Item]) -> None:
        """Make these things again. One that fails is told and leaves the others as they are."""
        for kind, maker in self.makers.items():
            if slugs := [item.slug for item in batch if item.kind == kind]:
                try:
                    maker(slugs)
                except Failure as error:
                    warn(f"{kind}: {error}")
                    self.codes.add(FAILED)
        verdicts.tables()

    def _judge(self, slugs: list[str], size: str) -> None:
        before = verdicts.committed(size)
        for slug, (_, entry) in self._runs(slugs, size).items():
            verdicts.keep([entry])
            was = before.get(slug, {}).get("outcome", "never run")
            now = entry["outcome"] + (f", {was} before" if was != entry["outcome"] else "")
            print(printable(f"{slug} at {size} size: {now}"), flush=True)
            self.codes.add({"SUPPORTED": 0, "REFUTED": 1}.get(entry["outcome"], 3))

    def _draw(self, names: list[str]) -> None:
        slugs = [name for name in names if name != pictures.HEADLINE]
        runs = self._runs([*slugs, *(slug for slug in CLAIMS if len(slugs) < len(names) and slug not in slugs)], "quick")
        for name in names:
            if name in runs:
                (file,) = pictures.write(runs[name][0], [name])
            elif name == pictures.HEADLINE and {*CLAIMS} <= runs.keys():
                file = pictures.write_headline({slug: runs[slug][0] for slug in CLAIMS})
            else:
                continue
            print(printable(f"{file.name}: {file.stat().st_size:,} bytes"), flush=True)

    def _seeds(self, slugs: list[str]) -> None:
        jobs = [] if self.jobs is None else ["--jobs", str(self.jobs)]
        self._ask("benchmarks.root_seeds", *slugs, "--seeds", f"{FIRST}:{FIRST + SEEDS - 1}", "--out", str(self.folder), *jobs)
        verdicts.keep()

    def _runs(self, slugs: list[str], size: str) -> dict[str, tuple[Path, dict]]:
        """The runs and verdicts of claims with their present programs; those that failed are told and left out."""
        collected.complete(self.folder, slugs, 0, size, jobs=self.jobs)
        found = {slug: one for slug, one in collected.verdicts(self.folder, 0, size).items() if slug in slugs}
        for slug, (directory, entry) in list(found.items()):
            if entry["failed"] or seals.of(entry) != seals.program(slug):
                why = entry["reason"] if entry["failed"] else "its program changed meanwhile: start again"
                warn(f"{slug}, in {directory}: {why}")
                self.codes.add(FAILED if entry["failed"] else 3)
                del found[slug]
        return found

    def _ask(self, module: str, *arguments: str) -> None:
        code = subprocess.run([sys.executable, "-m", module, *arguments], cwd=verdicts.ROOT, check=False).returncode
        if code not in (0, 1, 3):
            raise Failure(f"python -m {module} ended with code {code}")
        self.codes.add(code)


def show(items: Sequence[Item]) -> None:
    """Print what is stale, and how long it takes."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("stale", "claim", "why"):
        table.add_column(name)
    table.add_column("minutes", justify="right")
    for item in items:
        table.add_row(item.kind, item.slug, item.reason, "?" if item.minutes is None else f"{item.minutes:.1f}")
    console().print(table)
    known = sum(item.minutes for item in items if item.minutes is not None)
    unknown = sum(item.minutes is None for item in items)
    print(f"{len(items)} stale, about {known:.0f} minutes" + f" and {unknown} of unknown length" * (unknown > 0))


def main(arguments: list[str]) -> int:
    """Command line of this module; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.renew", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="SLUG", help="claims or topics of this project; all where none is given")
    parser.add_argument("--dry-run", action="store_true", help="list what is stale, and make nothing")
    parser.add_argument("--only", nargs="+", choices=KINDS, metavar="KIND", help=f"only these kinds: {', '.join(KINDS)}")
    parser.add_argument("--out", type=Path, default=Path("runs/renew"), help="where the runs go (default runs/renew)")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes of each run; as verify chooses where not given")
    options = parser.parse_args(arguments)
    return guarded(lambda: run(options.names, options.only or KINDS, options.out, options.jobs, dry_run=options.dry_run))


def run(names: Sequence[str], kinds: Sequence[str], out: Path, jobs: int | None, *, dry_run: bool = False) -> int:
    """List what is stale, make it again, and return the exit code.

    Raises:
        UsageError: a name is no claim of this project, or there are fewer than one process.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: expected 1 or more")
    with usage(catalogue.UnknownClaim):
        modules = catalogue.select(names)
    slugs = [slug for slug, module in modules.items() if catalogue.origin(module).package == catalogue.OWN]
    if foreign := ", ".join(slug for slug in modules if slug not in slugs and names):
        raise UsageError(f"{foreign}: committed are the verdicts of this project's claims alone")
    items = [item for item in stale(slugs) if item.kind in kinds]
    show(items)
    if dry_run:
        return 3 if items else 0
    renewal, left = Renewal(out, jobs), len(items)
    for batch in batches(items):
        renewal.make(batch)
        left -= len(batch)
        warn(f"{len(items) - left} of {len(items)} done")
    if not items:
        verdicts.tables()
    renewal.codes |= {3} if any(item.kind in kinds for item in stale(slugs)) else set()
    return next((code for code in (FAILED, 1, 3) if code in renewal.codes), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

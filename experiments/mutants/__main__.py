"""The campaign's command line: ``python -m experiments.mutants``."""

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import tyro

from depthjax.located import OWN
from depthjax.runs.catalogue import UnknownClaim, packages
from depthjax.runs.origin import read_again
from depthjax.runs.places import settle
from experiments.mutants.application import mutated
from experiments.mutants.choice import content, sample, select
from experiments.mutants.generated import generated
from experiments.mutants.mutant import Mutant, MutantError, folder, written
from experiments.mutants.results import Results, committed
from experiments.shell import guarded, parsed
from experiments.terminal import UsageError, printable, usage

DESCRIPTION = """Make the program wrong, one line of mathematics at a time, and see whether the claims notice.

examples:
  python -m experiments.mutants run                      every written mutant
  python -m experiments.mutants run lie --jobs 1         the mutants of experiments/mutants/lie.toml
  python -m experiments.mutants run tower_error_order    those that this claim must notice
  python -m experiments.mutants run my_claim             those of a claim in an installed package of your own
  python -m experiments.mutants run --sample 24 --seed content
  python -m experiments.mutants merge lie.json logic.json
"""


@dataclasses.dataclass(frozen=True)
class RunMutants:
    """Try mutants, each in a fresh process.

    The claims of a mutant run at the test size first, and at the quick size where that does not notice. What the results hold
    already is not tried again, unless the mutant, the definition that it changes or what one of its claims reaches has changed.
    Exit codes: 0 every mutant was noticed by one of its claims, 1 some were not, 2 usage, 4 the program failed.
    """

    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[SUBJECT|SLUG ...]")] = ()
    """Subjects (files of mutants) or claims; all mutants where none is given."""
    jobs: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Number of processes (default: one per core; one with a GPU or TPU)."""
    sample: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Try this many of them, drawn with --seed."""
    generated: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Try this many generated mutants instead, drawn with --seed. They change what the chosen written mutants change."""
    seed: str = "0"
    """A number, or the word content: then the source of the whole project decides what is drawn."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Where results are read and written (default: mutants.json beside the mutants of each package)."""
    again: bool = False
    """Try everything again, whatever the results hold."""

    def run(self) -> int:
        """Try, print, and return the exit code."""
        for name, value in (("jobs", self.jobs), ("sample", self.sample), ("generated", self.generated)):
            if value is not None and value < 1:
                raise UsageError(f"--{name} {value}: expected 1 or more")
        read_again()
        with usage(MutantError, UnknownClaim):
            every = written()
            chosen, seed = select(every, self.names), content() if self.seed == "content" else self.seed
            if self.generated is not None:
                chosen = generated(chosen, self.generated, seed)
            if self.sample is not None:
                chosen = sample([mutant for mutant in chosen if not mutant.equivalent], self.sample, seed)
            if not chosen:
                where = ", ".join(str(folder(package)) for package in packages())
                raise UsageError(f"there is nothing to try: {where} holds no mutants, or none that others are generated from")
            for mutant in chosen:
                mutated(mutant)
            files: dict[Path, list[Mutant]] = {}
            for mutant in chosen:
                files.setdefault(self.out or committed(mutant.package), []).append(mutant)
            return max(self._try(mutants, [*every, *chosen], file) for file, mutants in files.items())

    def _try(self, chosen: list[Mutant], every: list[Mutant], file: Path) -> int:
        from depthjax.runs.claims import default_jobs
        from experiments.mutants.campaign import Campaign
        from experiments.mutants.display import MutantsDisplay

        results = Results.read(file)
        results.keep(every)
        results.write(file)
        campaign = Campaign(results, file)
        left = [mutant for mutant in chosen if not campaign.standing(mutant) or (self.again and not mutant.equivalent)]
        with MutantsDisplay(len(chosen), len(chosen) - len(left)) as display:
            campaign.run(left, self.jobs or default_jobs(max(len(left), 1)), display.finished)
        entries = [results.mutants[mutant.name] for mutant in chosen if not mutant.equivalent]
        unnoticed = [entry for entry in entries if not entry["noticed"]]
        for entry in unnoticed:
            print(printable(f"not noticed by {', '.join(entry['claims'])}: {entry['name']}"))
        print(printable(f"{len(entries) - len(unnoticed)} of {len(entries)} mutants noticed; results in {file}"))
        return 1 if unnoticed else 0


@dataclasses.dataclass(frozen=True)
class Merge:
    """Join results that were written with --out. Where two files hold a mutant, the later file counts."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FILE ...")]
    """Files of results."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Where the joined results go, beside what is there (default: experiments/mutants.json, which is committed)."""

    def run(self) -> int:
        """Join, write, and print how much there is."""
        with usage(MutantError, UnknownClaim):
            file = self.out or committed(packages()[0])
            results = Results.read(file)
            for one in self.files:
                if not one.exists():
                    raise UsageError(f"there is no file {one}")
                results.join(Results.read(one))
            results.keep(written())
            results.write(file)
        print(printable(f"{len(results.mutants)} mutants in {file}"))
        return 0


COMMANDS = {"run": RunMutants, "merge": Merge}


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit code."""
    program = "python -m experiments.mutants"
    return guarded(lambda: parsed(COMMANDS, COMMANDS.__getitem__, program, DESCRIPTION, arguments).run())


if __name__ == "__main__":
    settle(OWN)  # as in a trial
    sys.exit(main(sys.argv[1:]))

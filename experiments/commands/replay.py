"""``depthjax replay``, ``report`` and ``open``: what a run on disk is good for afterwards."""

import dataclasses
import shlex
from pathlib import Path
from typing import Annotated

import tyro

from depthjax.runs import catalogue
from experiments import verdicts
from experiments.terminal import UsageError, console, failing, number, printable, usage, warn


@dataclasses.dataclass(frozen=True)
class Replay:
    """Run one cell of a run again, with the same randomness, and print its numbers beside the stored ones.

    Exit code: 0 if every number is identical, 1 if one differs. Importing a claim runs its code, so a run of claims that are
    not installed is replayed only if you name their files again, or trust those that the run names.

    Examples:
      depthjax replay runs/mine tower_error_order/letters=2,layers=3
      depthjax replay runs/mine my_claim/rate=2 --claims path/to/my_claim
    """

    directory: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's directory."""
    witness: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="WITNESS")]
    """slug/cell, as verify and its report give it."""
    claims: Annotated[tuple[str, ...], tyro.conf.arg(metavar="PATH|MODULE ...")] = ()
    """Files, folders or modules of claims that are not installed."""
    trust_paths: bool = False
    """Import the claims from the paths that the run names."""

    def run(self) -> int:
        """Measure the cell again and compare."""
        from depthjax.runs.records import RecordError, RunDirectory, load
        from depthjax.verify.quantity import cell_names

        slug, _, cell = self.witness.partition("/")
        with usage(RecordError, catalogue.UnknownClaim):
            run = RunDirectory.open(self.directory)
            modules = catalogue.of_run(run.settings.catalogue, run.named_files(), self.claims, trust=self.trust_paths)
            if slug not in modules:
                hint = catalogue.did_you_mean(slug, modules) or "--claims names the file of one that is not installed"
                raise UsageError(f"there is no claim {slug!r}; {hint}")
        named = f"the claim {slug}", catalogue.file_of(modules[slug])
        with usage(RecordError):
            file = run.file(f"{slug}.nc")

        from depthjax.runs.runner import NoCell, replay_cell

        if not file.exists():
            raise UsageError(f"{run.path} holds no finished measurement of {slug}")
        with failing(*named), usage(NoCell):
            again, findings = replay_cell(modules[slug], run, cell)
        try:
            stored = load(file, run.path)
            names = cell_names(stored)
            alone = None if cell in names else run.stored_cell(slug, cell)  # a drawn cell has a file of its own
            stored = load(alone, run.path) if alone else stored.isel(cell=names.index(cell))
        except Exception as error:  # a file can be damaged in more ways than its readers have names for
            raise UsageError(f"{file} is not a measurement of {self.witness} ({type(error).__name__}: {error})") from error
        same = _compare(again, stored)
        for finding in findings:
            where = ", ".join(f"{name}={value}" for name, value in finding.where.items())
            line = (
                f"{finding.quantity}{f' at {where}' if where else ''}: predicted {number(finding.predicted, 17)}, "
                f"measured {number(finding.measured, 17)}, {finding.outcome.value} ({again[finding.quantity].dtype})"
            )
            print(printable(line))
        return 0 if same else 1


@dataclasses.dataclass(frozen=True)
class ReportCommand:
    """Build report.html of a run again, from what the run left on disk.

    Examples:
      depthjax report runs/mine
      depthjax verify lie --out runs/mine --resume && depthjax report runs/mine
    """

    directory: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's directory."""

    def run(self) -> int:
        """Write the report and print where it is."""
        print(printable(str(_written(self.directory))))
        return 0


@dataclasses.dataclass(frozen=True)
class Open:
    """Show the report of a run in the browser; print where it is.

    The report is built again first, from what the run left on disk.

    Examples:
      depthjax verify group_tower_exact --out runs/mine
      depthjax open runs/mine
    """

    directory: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's directory."""

    def run(self) -> int:
        """Write the report, print where it is, and open it where there is a browser."""
        import webbrowser

        page = _written(self.directory)
        print(printable(str(page)))
        try:
            shown = webbrowser.open(page.resolve().as_uri())
        except webbrowser.Error:
            shown = False
        if not shown:
            warn("there is no browser here: copy the report to where one is")
        return 0


def _written(directory: Path) -> Path:
    """The report of a run, made again: a page that somebody else left in the directory is not shown."""
    from depthjax.report.page import write_report
    from depthjax.runs.records import RecordError, RunDirectory

    with usage(RecordError):
        run = RunDirectory.open(directory)
        if not run.verdicts(warn):
            raise UsageError(f"{directory} has no verdicts yet: `{_resumed(run)}` goes on with it")
        return write_report(run, **verdicts.beside(run))


def _resumed(run) -> str:
    """The command that goes on with a run, which takes no other settings than those that it was started with."""
    said = run.settings
    settings = f"--size {said.size} --seed {said.seed} --precision {said.precision}"
    return f"depthjax verify {settings} --resume --out {shlex.quote(str(run.path))}"


def _compare(again, stored) -> bool:
    import numpy as np
    from rich.markup import escape
    from rich.table import Table

    from depthjax import dtypes

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("variable", "numbers", "again", "stored", ""):
        table.add_column(name, no_wrap=name != "variable")
    same = True
    for name in again.data_vars:
        new, old = (np.asarray(data[name].to_numpy() if name in data else None) for data in (again, stored))
        floats = dtypes.is_inexact(new.dtype) and dtypes.is_inexact(old.dtype)
        equal = new.shape == old.shape and bool(np.array_equal(new, old, equal_nan=floats))
        same &= equal
        place = _difference(new, old)
        word = "[green]identical[/]" if equal else "[red]differs[/]"
        table.add_row(escape(str(name)), str(new.size), escape(_text(new, place)), escape(_text(old, place)), word)
    console().print(table)
    print("identical" if same else "not identical: another machine, version or device rounds differently")
    return same


def _difference(new, old) -> tuple[int, ...]:
    """Where the two lie furthest apart, else where the numbers are largest."""
    import numpy as np

    from depthjax import dtypes

    if {dtypes.number(new.dtype), dtypes.number(old.dtype)} - {bool, int, float} or new.shape != old.shape or not new.size:
        return (0,) * new.ndim
    gap = np.abs(np.nan_to_num(new.astype(float) - old.astype(float)))
    gap = gap if gap.any() else np.nan_to_num(np.abs(new.astype(float)))
    return tuple(int(i) for i in np.unravel_index(int(gap.argmax()), new.shape))


def _text(values, place: tuple[int, ...]) -> str:
    if not values.size or len(place) != values.ndim:
        return "–"
    from depthjax import dtypes

    value = values[place]
    return repr(value.item()) if dtypes.number(values.dtype) in (bool, int, float) else str(value)[:40]

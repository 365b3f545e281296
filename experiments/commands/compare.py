"""``depthjax compare``: a sweep's numbers beside those of a paper."""

import dataclasses
from pathlib import Path
from typing import Annotated, Literal

import tyro

from experiments.terminal import UsageError, console, number, print_json, printable, usage, warn


@dataclasses.dataclass(frozen=True)
class Compare:
    """Print what a paper published beside what a sweep measured, with the difference and the settings that differ.

    Cells are matched by the study's axes (group, depth, hops, ...). Where a sweep has several widths, rates or batches, the
    one that did best on validation words is taken (--selection test: on the test words). The interval is that of the median
    over seeds, at 95 per cent; the difference is that of the best run where the paper gives its best run, else that of the
    median.

    Without STUDY: the studies that there are.

    Examples:
      depthjax compare
      depthjax compare runs/automata automata_depth
      depthjax compare runs/automata automata_depth --figure automata.svg --json
    """

    directory: Annotated[Path | None, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")] = None
    """The directory of `depthjax sweep`."""
    study: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="STUDY")] = None
    """The published study."""
    figure: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Draw both into this SVG file."""
    selection: Literal["validation", "test"] = "validation"
    """Words on which one of several widths, rates or batches is chosen; "test" is how some papers chose."""
    json: bool = False
    """Print one JSON object and nothing else."""

    def run(self) -> int:
        """Print the comparison; exit code 0, or 2 if nothing could be compared."""
        from depthjax.runs.records import RecordError
        from experiments.studies.comparison import compare, settings, summary, training, unpublished
        from experiments.studies.published import PublishedError, names, published

        with usage(PublishedError):
            if self.directory is None:
                return _print_studies([published(name) for name in names()])
            if self.study is None:
                raise UsageError(f"which study? there are {', '.join(names())}")
            study = published(self.study)
        with usage(RecordError):
            run = training(self.directory)
        lines = compare(study, run, self.selection)
        if not any(line.measured for line in lines):
            cells = "; ".join(",".join(f"{key}={value}" for key, value in named.items()) for named, _ in run.cells[:3])
            raise UsageError(
                f"{self.directory} has no cell of {study.study}, which is matched by {', '.join(study.axes)}: {cells}"
            )
        if more := unpublished(study, run):
            warn(f"{len(more)} cells of {self.directory} have no number in {study.study}, such as {more[0]}")
        if self.figure is not None:
            _draw(self.figure, study, lines)
        if self.json:
            differ = [
                {"setting": name, "published": there, "here": here}
                for name, there, here in settings(study, run, self.selection)
            ]
            print_json(summary(study, lines) | {"settings": differ, "differences": list(study.differences)})
            return 0
        _print_table(study, lines)
        _print_differences(study, list(settings(study, run, self.selection)))
        return 0


def _draw(file: Path, study, lines) -> None:
    from experiments.studies.beside import beside

    try:
        file.write_text(beside(study, lines))
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}") from error
    warn(f"figure: {file}")


def _print_studies(studies) -> int:
    for study in studies:
        print(printable(f"{study.study}: {study.title} ({len(study.rows)} numbers)"))
        print(printable(f"  {study.source}; {study.place}"))
    return 0


def _print_table(study, lines) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", title=study.title, title_justify="left")
    for axis in study.axes:
        table.add_column(axis)
    for name in ("metric", "published", "best", "median", "interval", "difference"):
        table.add_column(name, justify="left" if name == "metric" else "right")
    absent = 0
    for line in lines:
        if line.measured is None:
            absent += 1
            continue
        row, found = line.row, line.measured
        more = "".join(f", {key} {value}" for key, value in row.more.items())
        interval = "–" if line.inside is None else f"{number(found.low, 3)} to {number(found.high, 3)}"
        table.add_row(
            *(str(row.cell[axis]) for axis in study.axes),
            row.metric,
            f"{number(row.value, 3)} ({row.statistic}{more})",
            f"{number(found.best, 3)} of {found.seeds}",
            number(found.median, 3),
            interval,
            f"{line.difference:+.3g}",
        )
    console().print(table)
    if absent:
        warn(f"{absent} published numbers have no cell in this run")


def _print_differences(study, settings) -> None:
    print("\nwhat differs:")
    for name, there, here in settings:
        print(printable(f"  {name}: {there} published, {here} here"))
    for sentence in study.differences:
        print(printable(f"  {sentence}"))
    print(printable(f"source: {study.source}; {study.place}"))

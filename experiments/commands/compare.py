"""``depthjax compare``: a sweep's numbers beside those of a paper."""

import dataclasses
import difflib
from pathlib import Path
from typing import Annotated, Literal

import tyro

from experiments.terminal import UsageError, console, print_json, printable, usage, warn


@dataclasses.dataclass(frozen=True)
class Compare:
    """Print what a paper published beside what a sweep measured, with the difference and the settings that differ.

    Runs of reduced settings stand in the project, and some of other settings: STUDY alone, or with --setting, shows them. Cells
    are matched by the study's axes (group, depth, hops, ...). Where a sweep has several rates or batches, the one that did best
    on validation words is taken (--selection test: on the test words), and of several widths the published one. "Fresh runs" is
    where the published number would lie, at 95 per cent, if as many runs as the paper had followed the law of these; the
    difference is that of the best run where the paper gives its best run, else that of the median. "One layer" is what a reader
    of letter counts and of the last letter could reach. A second table has all that was trained: the median over seeds, and in
    brackets the best.

    Without arguments: the studies that there are.

    Examples:
      depthjax compare
      depthjax compare automata_depth                  the committed run of the reduced study
      depthjax compare hop_depth --setting strict      that of another setting; `depthjax compare` lists them
      depthjax compare longest_words                   published numbers of which no run is committed
      depthjax compare runs/automata                   what a sweep of your own found, by depth
      depthjax compare runs/automata automata_depth
      depthjax compare runs/automata automata_depth --figure automata.svg --json
    """

    place: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")] = None
    """The directory of `depthjax sweep`, or the name of a study whose run is committed."""
    study: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="STUDY")] = None
    """The published study; that of the name if RUN is one."""
    figure: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Draw both into this SVG file."""
    setting: Annotated[str, tyro.conf.arg(metavar="NAME")] = "reduced"
    """Of the study, where RUN is its name: the setting whose committed run is shown."""
    metric: Annotated[str, tyro.conf.arg(metavar="NAME")] = ""
    """Of the second table and of a figure by depth, such as prefix_1x; left out, that of the published numbers or the task."""
    selection: Literal["validation", "test"] = "validation"
    """Words on which one of several widths, rates or batches is chosen; "test" is how some papers chose."""
    json: bool = False
    """Print one JSON object and nothing else."""

    def run(self) -> int:
        """Print the comparison; exit code 0, or 2 if nothing could be compared."""
        from depthjax.runs.records import RecordError
        from experiments.studies import comparison, sentences
        from experiments.studies.ceilings import order_blind
        from experiments.studies.configuration import SweepError
        from experiments.studies.curves import curves, table
        from experiments.studies.curves import facts as curve_facts
        from experiments.studies.published import PublishedError, names, published
        from experiments.studies.reading import paper as read_paper
        from experiments.studies.reading import papers
        from experiments.studies.trained import committed

        if self.place is None:
            return _print_studies()
        if self.study is None and self.place in {*names()} - {*committed()} and not Path(self.place).is_dir():
            return _print_published(published(self.place), self.json)
        with usage(PublishedError, RecordError, SweepError):
            name, run = self._found()
            study = published(name) if name in names() else None
            paper = read_paper(name) if name in papers() else None
            if name and study is None and paper is None:
                published(name)  # says which studies there are
        lines = [] if study is None else comparison.compare(study, run, self.selection)
        if self.study is not None and study is not None and not any(line.measured for line in lines):
            cells = "; ".join(list(run.cells)[:3])
            raise UsageError(f"{self.place} has no cell of {name}, which is matched by {', '.join(study.axes)}: {cells}")
        if study is not None and (more := comparison.unpublished(study, run)):
            warn(f"{len(more)} cells and depths of {self.place} have no number in {name}, such as {more[0]}")
        tops = [order_blind(line.row, run.configuration) for line in lines]
        asked = self._metric(run)
        if self.figure is not None:
            _draw(self.figure, study, lines, run, tops, asked)
        metric = asked or comparison.shown_metric(study, run)
        shown = curves(run.cells, metric, selection=self.selection)
        rows = table(shown)
        differ = [] if study is None else list(comparison.settings(study, run, self.selection))
        if self.json:
            said = {} if study is None else comparison.summary(study, lines, tops) | {"differences": list(study.differences)}
            said["settings"] = [{"setting": name, "published": there, "here": here} for name, there, here in differ]
            print_json(said | {"metric": metric, "curves": curve_facts(shown)})
            return 0
        if study is not None:
            numbers, common = comparison.table(lines, tops)
            print(printable(study.title))
            print(printable(f"{common}; {run.configuration['seeds']} seeds"))
            if numbers:
                _print_table(numbers, len(numbers[0]) - 5 - (numbers[0][-1] == "one layer"))
            for said in sentences.judged(study, run, lines, tops):
                print(printable(said))
            if absent := sum(line.measured is None for line in lines):
                lacking = "; ".join(comparison.absent(study, lines))
                warn(f"{absent} published numbers have no cell in this run" + f": {lacking}" * bool(lacking))
            _print_differences(study, differ, paper)
            print()
        elif paper is not None:
            print(printable(f"{paper.title}; no published number is known"))
            print(printable(f"source: {paper.source}"))
            print("\n".join(printable(f"  {sentence}") for sentence in paper.deviations))
            print()
        print(f"{metric}, median over {run.configuration['seeds']} seeds (best)")
        _print_table(rows, 2)
        return 0

    def _metric(self, run) -> str:
        """The metric that is asked for; empty where none is.

        Raises:
            UsageError: No cell has it over depth and seed.
        """
        if not self.metric:
            return ""
        shown = {"depth", "seed"}
        known = {
            str(name)
            for cell in run.cells.values()
            for name, one in cell.items()
            if str(name).endswith("x") and shown <= {*one.dims} <= shown | {"hops"}
        }
        if self.metric not in known:
            raise UsageError(f"--metric {self.metric}: the cells of {self.place} have {', '.join(sorted(known))}; choose one")
        return self.metric

    def _found(self):
        """The name of the published study, empty where there is none, and the run."""
        from experiments.studies import published, reading, trained

        directory, known = Path(str(self.place)), sorted({*reading.papers(), *published.names()})
        if directory.is_dir():
            if self.setting != trained.REDUCED:
                raise UsageError(f"--setting {self.setting}: {self.place} is a directory, and has one setting; leave it out")
            return self.study or "", trained.training(directory)
        if self.study is not None and self.place not in known:
            return self.study, trained.training(directory)  # says what is not there
        if self.place not in known:
            close = difflib.get_close_matches(str(self.place), known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"the studies are {', '.join(known)}"
            raise UsageError(f"{self.place} is neither a sweep's directory nor a study; {hint}")
        if not trained.settings_of(str(self.place)):
            raise UsageError(f"no run of {self.place} stands in this project, but of {', '.join(trained.committed())}")
        return self.study or str(self.place), trained.kept(str(self.place), self.setting)


def _draw(file: Path, study, lines, run, tops, metric: str) -> None:
    from experiments.studies.beside import beside, worth_drawing
    from experiments.studies.figure import by_depth

    try:
        if study is not None and worth_drawing(lines) and not metric:
            picture = beside(study, lines, tops)
        else:
            picture = by_depth(run.cells, {}, run.configuration["task"], metric=metric)
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}") from error
    warn(f"figure: {file}")


def _print_studies() -> int:
    from experiments.studies import published, reading, trained

    for name in sorted({*reading.papers(), *published.names()}):
        known = published.published(name) if name in published.names() else reading.paper(name)
        numbers = f"{len(known.rows)} published numbers" if isinstance(known, published.Published) else "no published number"
        kept = trained.settings_of(name)
        run = f", with {'runs of' if kept[1:] else 'a run of'} {', '.join(kept)}" if kept else ""
        print(printable(f"{name}: {known.title} ({numbers}{run})"))
        print(printable(f"  {known.source}"))
    return 0


def _print_published(study, as_json: bool) -> int:
    """The numbers of a study of which no run stands in the project; of some nothing here measures the like."""
    rows = [{**row.cell, **row.more, "metric": row.metric, "statistic": row.statistic} for row in study.rows]
    if as_json:
        values = [row | {"published": one.value, "standing": one.standing} for row, one in zip(rows, study.rows, strict=True)]
        print_json({"study": study.study, "source": study.source, "rows": values})
        return 0
    columns = list(dict.fromkeys(name for row in rows for name in row))
    print(printable(f"{study.title}; no run of this study stands in the project"))
    lines = [
        [*(str(row.get(name, "")) for name in columns), one.standing, f"{one.value:g}"]
        for row, one in zip(rows, study.rows, strict=True)
    ]
    _print_table([[*columns, "standing", "published"], *lines], len(columns) + 1)
    print("\n".join(printable(f"  {sentence}") for sentence in study.differences))
    print(printable(f"source: {study.source}; {study.place}"))
    return 0


def _print_differences(study, settings, paper) -> None:
    print("\nwhat differs, any of which may be why:")
    for name, there, here in settings:
        print(printable(f"  {name}: {there} published, {here} here"))
    for sentence in (*study.differences, *(paper.deviations if paper is not None else ())):
        print(printable(f"  {sentence}"))
    print(printable(f"source: {study.source}; {study.place}"))


def _print_table(rows, words: int) -> None:
    """Print rows of which the first names the columns; the first `words` columns hold words, and the others numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, name in enumerate(rows[0]):
        table.add_column(name, justify="left" if column < words else "right")
    for row in rows[1:]:
        table.add_row(*row)
    console().print(table)

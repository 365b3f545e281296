"""The pages of the studies: what a paper published beside what the settings that were run gave, from the committed runs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pages
from claim_page import plain
from sphinx.application import Sphinx

from experiments.studies import comparison
from experiments.studies.beside import beside, worth_drawing
from experiments.studies.ceilings import order_blind
from experiments.studies.curves import curves, table
from experiments.studies.figure import LABELS, by_depth
from experiments.studies.published import Published, published
from experiments.studies.reading import Paper, paper, papers
from experiments.studies.sentences import judged
from experiments.studies.sweep import first_depth, floors
from experiments.studies.trained import REDUCED, StudyRun, committed, kept, settings_of

SIZES = ("widths", "learning_rates", "batches", "depths", "seeds", "length", "tests")  # of a sweep


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before the sources are read."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write(app: Sphinx) -> None:
    made = {"index.md": "\n\n".join(_index()) + "\n"}
    for name in committed():
        found, runs = paper(name), {setting: kept(name, setting) for setting in settings_of(name)}
        for setting, run in runs.items():
            made |= _figures(name, setting, found, run)
        made |= {f"{name}.md": "\n\n".join(_parts(name, found, runs)) + "\n"}
    pages.write(Path(app.srcdir), "studies", made)


def _index() -> Iterator[str]:
    yield "# Studies of the papers"
    yield (
        "A study trains what a paper trained, at a size that two processor cores finish within two hours, and holds the "
        "published numbers beside its own. Sizes were fixed before anything was compared, but for what a study says of its "
        "own. `depthjax compare NAME` prints these tables, and `depthjax sweep --study NAME --setting published` has the sizes "
        "of the paper. "
        "[Running big](../../running.md) says more."
    )
    rows = ["| study | what | published numbers | its runs |", "|---|---|---|---|"]
    for name in papers():
        found = paper(name)
        numbers = len(published(found.published).rows) if found.published else "none known"
        runs = f"[{', '.join(settings_of(name))}]({name}.md)" if name in committed() else "–"
        rows.append(f"| `{name}` | {plain(found.title)} | {numbers} | {runs} |")
    yield "\n".join(rows)
    yield "\n".join(["```{toctree}", ":hidden:", *committed(), "```"])


def _figures(name: str, setting: str, found: Paper, run: StudyRun) -> dict[str, str]:
    studies, file = found.sweep(setting).studies(), _file(name, setting)
    predicted = {cell: first_depth(study) for cell, study in studies.items()}
    made = {f"{file}.svg": by_depth(run.cells, predicted, run.configuration["task"], floors(studies))}
    if found.published:
        study = published(found.published)
        if worth_drawing(lines := comparison.compare(study, run)):
            made[f"{file}_published.svg"] = beside(study, lines, _ceilings(lines, run))
    return made


def _ceilings(lines: Sequence[comparison.Line], run: StudyRun) -> list[float | None]:
    return [order_blind(line.row, run.configuration) for line in lines]


def _file(name: str, setting: str) -> str:
    return name if setting == REDUCED else f"{name}_{setting}"


def _parts(name: str, found: Paper, runs: dict[str, StudyRun]) -> Iterator[str]:
    yield f"# {plain(found.title)}"
    yield f"`{name}`, after {plain(found.source)}."
    study = published(found.published) if found.published else None
    if study is not None:
        yield (
            f"Published: {plain(study.place)}. The difference is that of the best run where the paper gives its best run, else "
            "that of the median. *Fresh runs* is where the published number would lie, at 95 per cent, if as many runs as the "
            "paper had followed the law of these. *One layer* is what a reader of letter counts and of the last letter could "
            "reach."
        )
    for setting, run in runs.items():
        yield from _of_setting(name, setting, found, study, run)
    yield "## What is not as in the paper"
    yield "\n".join(f"- {plain(sentence)}" for sentence in (*(study.differences if study else ()), *found.deviations))


def _of_setting(name: str, setting: str, found: Paper, study: Published | None, run: StudyRun) -> Iterator[str]:
    """The section of one setting: published beside measured, what is decided, all that was trained, and how."""
    file, metric = _file(name, setting), comparison.shown_metric(study, run)
    yield f"## The setting `{setting}`"
    sizes = [f"{key} {run.configuration[key]}" for key in SIZES] + [f"steps {run.configuration['recipe']['steps']}"]
    took = "" if run.hours is None else f" It took {run.hours:.2g} hours of one core."
    yield plain("; ".join(sizes).replace("[", "").replace("]", "")) + "." + took
    if study is not None:
        lines = comparison.compare(study, run)
        tops = _ceilings(lines, run)
        yield "### Published beside measured"
        if worth_drawing(lines):
            yield _image(f"{file}_published.svg", f"{found.title}: published numbers as bars, measured ones as points")
        if any(line.measured is not None for line in lines):
            rows, common = comparison.table(lines, tops)
            words = f"{len(rows) - 1} {'number' if len(rows) == 2 else 'numbers'}: {common}; {run.configuration['seeds']} seeds"
            yield f":::{{dropdown}} {words}\n{_table(rows)}\n:::"
        if said := list(judged(study, run, lines, tops)):
            yield "What the run decides:"
            yield "\n".join(f"- {plain(sentence)}" for sentence in said)
        if settings := [f"{key}: {there} published, {here} here" for key, there, here in comparison.settings(study, run)]:
            yield "Settings that differ:"
            yield "\n".join(f"- {plain(sentence)}" for sentence in settings)
    yield "### All that was trained"
    yield _image(f"{file}.svg", f"{found.title}: every seed, median and best by depth")
    what = " ".join(LABELS[metric].split()).capitalize()
    yield f"{what}: the median over {run.configuration['seeds']} seeds, and in brackets the best."
    yield _table(table(curves(run.cells, metric)))
    chosen = "" if setting == REDUCED else f" --setting {setting}"
    sweep = f"depthjax sweep --study {name}{chosen} --out runs/{file}"
    yield f"```\n{sweep}\n{f'depthjax compare runs/{file} {found.published}'.rstrip()}\n```"


def _image(file: str, what: str) -> str:
    return f"```{{image}} {file}\n:alt: {what}\n:class: picture\n```"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(map(plain, row)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])

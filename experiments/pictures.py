"""The committed pictures: one for every claim, and the headline; drawn from a run, small, and of what the claims say now.

``python -m experiments.verdicts pictures RUN [SLUG ...]`` draws them again from the measurements of a run: those of the named
claims, or of all in the run, and the headline with them. A file remembers the size and the seed of the run, and a digest of
what the claim said and of the sizes that it measured. So a picture of an earlier statement is noticed.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from depthjax.card import read_card
from depthjax.figures.plots import figure
from depthjax.report import inert
from depthjax.report.standalone import standalone
from depthjax.runs import catalogue
from depthjax.runs.provenance import configure
from depthjax.runs.records import RecordError, RunDirectory, load
from depthjax.verify import Experiment, judge
from experiments.headline import CLAIMS, TITLE, headline

FOLDER, HEADLINE = Path(__file__).parent / "figures", "headline"


def write(run: Path, slugs: Sequence[str] = ()) -> Iterator[Path]:
    """Draw the pictures of claims, of all in the run if none is named; yields each file when it is written.

    Raises:
        RecordError: the directory is no run, or has no measurements of a named claim.
    """
    directory = RunDirectory.open(run)
    configure(directory.settings.precision, cache=True, brief=True)
    measured = [slug for slug in directory.settings.slugs if directory.file(f"{slug}.nc").exists()]
    if missing := ", ".join(slug for slug in slugs if slug not in measured):
        raise RecordError(f"{run} holds no measurements of {missing}: expected claims that were run there")
    for slug in slugs or measured:
        experiment = catalogue.experiment(catalogue.one(slug))
        told = {slug: digest(experiment, directory.settings.size)}
        yield _written(directory, slug, draw(directory, experiment), experiment.claim.title, told)
    if not slugs and {*CLAIMS} <= {*measured}:
        told = {slug: digest(catalogue.experiment(catalogue.one(slug)), directory.settings.size) for slug in CLAIMS}
        text = headline(*(load(directory.file(f"{slug}.nc")) for slug in CLAIMS))
        yield _written(directory, HEADLINE, text, TITLE, told)


def _written(run: RunDirectory, name: str, text: str, title: str, claims: dict[str, str]) -> Path:
    """Write a picture, with what it was drawn from."""
    origin = {"size": run.settings.size, "seed": run.settings.seed, "claims": claims}
    file = FOLDER / f"{name}.svg"
    file.write_text(standalone(inert.figure(text.encode(), "p", {}), title, origin), "utf-8")
    return file


def draw(run: RunDirectory, experiment: Experiment) -> str:
    """A claim's own pictures and the first panel of its figure as SVG, from the measurements of a run."""
    cells, seed = experiment.grids[run.settings.size].cells(), run.settings.seed
    given = [experiment.given(cell, seed) for cell in cells]
    predictions = [experiment.said(cell, more) for cell, more in zip(cells, given, strict=True)]
    falsehoods = [
        [trial.said(own, cell, more) for own, cell, more in zip(predictions, cells, given, strict=True)]
        for trial in experiment.trials
    ]
    dataset = load(run.file(f"{experiment.claim.slug}.nc"))
    verdict = judge(experiment.claim, predictions, dataset)
    return figure(experiment, predictions, falsehoods, dataset, verdict, most=1)


def digest(experiment: Experiment, size: str) -> str:
    """A digest of what a claim says and of what it measures at a size."""
    card = read_card(experiment.module)
    said: tuple[Any, ...] = (card.title, card.statement, card.latex, experiment.grids[size])
    return hashlib.sha256("\0".join(map(str, said)).encode()).hexdigest()[:16]

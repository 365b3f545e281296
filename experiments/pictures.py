"""The committed pictures: one for every claim, and the headline; drawn from a run, small, and of what the claims say now.

``python -m experiments.verdicts pictures RUN [SLUG ...]`` draws them again from the measurements of a run: those of the named
claims, or of all in the run, and the headline with them. A file remembers the size and the root seed of the run, and the seal
of the program that measured and drew it (`experiments.seals`). The gallery says of a picture whose program has changed that it
is an earlier one; ``python -m experiments.renew`` draws it again.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from depthjax import files
from depthjax.figures.plots import figure
from depthjax.report import inert
from depthjax.runs import catalogue
from depthjax.runs.provenance import configure
from depthjax.runs.records import RecordError, RunDirectory, Settings, load
from depthjax.verify import Experiment, judge
from experiments import seals
from experiments.headline import CLAIMS, TITLE, headline
from experiments.standalone import made_from, standalone

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
        text = draw(directory, experiment)
        yield _written(
            slug, text, experiment.claim.title, directory.settings, {slug: seals.of(directory.verdicts().get(slug, {}))}
        )
    if not slugs and {*CLAIMS} <= {*measured}:
        yield write_headline(dict.fromkeys(CLAIMS, run))


def write_headline(runs: Mapping[str, Path]) -> Path:
    """Draw the picture of all from the runs of its claims.

    Raises:
        RecordError: a directory is no run, or has no measurements of its claim.
    """
    directories = {slug: RunDirectory.open(runs[slug]) for slug in CLAIMS}
    text = headline(*(load(run.file(f"{slug}.nc")) for slug, run in directories.items()))
    told = {slug: seals.of(run.verdicts().get(slug, {})) for slug, run in directories.items()}
    return _written(HEADLINE, text, TITLE, directories[CLAIMS[0]].settings, told)


def stale(name: str) -> bool:
    """Whether a picture is missing, or was drawn by or from an earlier program."""
    file = FOLDER / f"{name}.svg"
    origin = made_from(file.read_text("utf-8")) if file.exists() else {}
    return not origin.get("seal") or origin["seal"] != seal(name)


def seal(name: str) -> str:
    """The seal of a picture as it would be drawn now."""
    return seals.headline(CLAIMS) if name == HEADLINE else seals.picture(name)


def _written(name: str, text: str, title: str, settings: Settings, claims: dict[str, str]) -> Path:
    """Write a picture, with what it was drawn from; it is sealed where the measurements are of the present program."""
    present = all(told == seals.program(slug) for slug, told in claims.items())
    origin = {"size": settings.size, "seed": settings.seed, "claims": claims, "seal": seal(name) if present else ""}
    file = FOLDER / f"{name}.svg"
    files.write(file, standalone(inert.figure(text.encode(), "p", {}), title, origin).encode())
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

"""Claims from Python: run them, and read what a run left on disk. `depthjax.verify.run` and `load` are these functions."""

import contextlib
import dataclasses
import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import xarray as xr

from depthjax.checks import at_least
from depthjax.report.inert import MAX_BYTES
from depthjax.report.markup import fill, joined
from depthjax.report.page import write_report
from depthjax.report.shown import picture, table
from depthjax.report.words import found
from depthjax.runs import catalogue
from depthjax.runs.claims import asked, default_jobs, local, options, run_claims
from depthjax.runs.cluster import ClusterError, connected
from depthjax.runs.lock import one_writer
from depthjax.runs.provenance import commit, versions
from depthjax.runs.records import RecordError, RunDirectory, Settings, fresh
from depthjax.runs.records import load as load_dataset
from depthjax.verify.verdict import Outcome, checks, tally

if TYPE_CHECKING:
    Size: TypeAlias = Literal["test", "quick", "full", "paper"]
    Precision: TypeAlias = Literal["float64", "float32"]
else:  # whoever passes another word at run time is told by `Settings` what there is
    Size = Precision = str

SHOWN = ("claim", "predicted", "measured", "margin", "controls", "rivals", "checks", "verdict")
READ = ("claim", "what was found", "controls", "rivals", "checks", "verdict")
FINDINGS = 12  # of a claim in a notebook
FIGURES = 4  # claims of a run whose figures a notebook shows with it


@dataclasses.dataclass(frozen=True, repr=False)
class Judged:
    """What the judge said of a claim in a run; ``entry`` holds everything that the run recorded, raw.

    It shows itself as one line, and in a notebook with its findings and its figure.
    """

    slug: str
    outcome: Outcome
    predicted: float | None
    measured: float | None
    margin: float | None
    tightness: float | None
    reason: str
    controls: Mapping[str, Outcome]
    rivals: Mapping[str, Outcome]
    entry: Mapping[str, Any]
    drawn: Callable[[], str] | None = dataclasses.field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"{self.slug}: {self.outcome.value}: {found(self.entry)}"

    def _repr_html_(self) -> str:
        title = self.entry["claim"].get("title", "")
        findings = self.entry["findings"]
        rows = [
            (one["label"], one["cell"], *map(_number, (one["predicted"], one["measured"], one["margin"])), one["outcome"])
            for one in sorted(findings, key=lambda one: math.inf if one["margin"] is None else one["margin"])[:FINDINGS]
        ]
        told = f"{FINDINGS} of {len(findings)} findings, those with the least margins" if len(findings) > FINDINGS else ""
        return joined(
            (
                fill("<p><strong>{slug}</strong>: {title}</p>", slug=self.slug, title=title),
                fill("<p><strong>{outcome}</strong>: {said}</p>", outcome=self.outcome.value, said=found(self.entry)),
                table(("quantity", "cell", "predicted", "measured", "margin", ""), rows) if rows else "",
                fill("<p>{told}</p>", told=told) if told else "",
                picture(self.drawn(), title) if self.drawn and self.entry["figure"] else "",
            )
        )

    @classmethod
    def of(cls, entry: Mapping[str, Any], drawn: Callable[[], str] | None = None) -> "Judged":
        """Return the verdict that a line of a run's ``verdicts.jsonl`` holds; ``drawn`` returns its figure as SVG."""
        parts: dict[str, Any] = {
            kind: {one["name"]: Outcome(one["outcome"]) for one in entry.get(kind, ())} for kind in ("controls", "rivals")
        }
        known: dict[str, Any] = {**entry, **parts, "outcome": Outcome(entry["outcome"]), "entry": entry, "drawn": drawn}
        return cls(**{field.name: known[field.name] for field in dataclasses.fields(cls)})


class Run:
    """A finished run, or one that is under way.

    Attributes:
        path: The run's directory.
        settings: Size, seed, precision and claims.
        verdicts: What the judge said, by claim.

    >>> load("runs/mine").verdicts["tower_error_order"].outcome  # doctest: +SKIP
    <Outcome.SUPPORTED: 'SUPPORTED'>
    """

    def __init__(self, directory: RunDirectory):
        self._directory, self.path, self.settings = directory, directory.path, directory.settings
        said = directory.verdicts()
        self.verdicts = {
            slug: Judged.of(said[slug], functools.partial(self.figure, slug))
            for slug in directory.settings.slugs
            if slug in said
        }

    @property
    def outcome(self) -> Outcome:
        """REFUTED if a claim is refuted, INCONCLUSIVE if one is open or has no verdict yet, SUPPORTED otherwise."""
        outcomes = {judged.outcome for judged in self.verdicts.values()}
        if Outcome.REFUTED in outcomes:
            return Outcome.REFUTED
        whole = outcomes == {Outcome.SUPPORTED} and len(self.verdicts) == len(self.settings.slugs)
        return Outcome.SUPPORTED if whole else Outcome.INCONCLUSIVE

    def dataset(self, slug: str) -> xr.Dataset:
        """Return what a claim measured: quantities over ``cell``, a numeric coordinate per axis, predictions beside them.

        Raises:
            KeyError: the run has no measurement of this claim.
        """
        return load_dataset(self._file(slug, "nc"), self.path)

    def figure(self, slug: str) -> str:
        """Return a claim's figure as SVG.

        Raises:
            KeyError: the run has no figure of this claim.
        """
        return self._directory.read(self._file(slug, "svg").name, MAX_BYTES).decode()

    @property
    def report(self) -> Path:
        """The page of the run, made again from its directory."""
        return write_report(self._directory)

    def _file(self, slug: str, kind: str) -> Path:
        file = self._directory.file(f"{slug}.{kind}")
        if slug not in self.settings.slugs or not file.exists():
            there = sorted(slug for slug in self.settings.slugs if (self.path / f"{slug}.{kind}").exists())
            raise KeyError(f"{self.path} holds no {kind} file of {slug!r}; it has {', '.join(there) or 'none'}")
        return file

    def _rows(self) -> list[tuple[str, ...]]:
        rows = []
        for judged in self.verdicts.values():
            tried = (tally(judged.entry.get(kind, ())) for kind in ("controls", "rivals"))
            numbers = map(_number, (judged.predicted, judged.measured, judged.margin))
            rows.append((judged.slug, *numbers, *tried, checks(judged.entry), judged.outcome.value))
        return rows

    def __repr__(self) -> str:
        rows = [SHOWN, *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(SHOWN))]
        lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([f"<Run {self.path}: {self.settings.size}, seed {self.settings.seed}>", *lines])

    def _repr_html_(self) -> str:
        """A sentence, what was found, and the figures of a run of few claims; those that are not supported come first."""
        rank = {Outcome.REFUTED: 0, Outcome.INCONCLUSIVE: 1, Outcome.SUPPORTED: 2}
        judged = sorted(self.verdicts.values(), key=lambda one: rank[one.outcome])
        counts = ", ".join(f"{n} {o.value}" for o in rank if (n := sum(one.outcome is o for one in judged))) or "no verdict yet"
        size, seed, of = self.settings.size, self.settings.seed, len(self.settings.slugs)
        rows = []
        for one in judged:
            tried = (tally(one.entry.get(kind, ())) for kind in ("controls", "rivals"))
            rows.append((one.slug, found(one.entry), *tried, checks(one.entry), one.outcome.value))
        drawn = [one for one in judged if one.drawn and one.entry["figure"]]
        said = "<p>Run <code>{path}</code>: size {size}, seed {seed}, {of} claim{s}: {counts}</p>"
        more = f"{len(drawn) - FIGURES} more figures: run.figure(claim), or the page run.report" if len(drawn) > FIGURES else ""
        return joined(
            (
                fill(said, path=self.path, size=size, seed=seed, of=of, s="s" * (of != 1), counts=counts),
                table(READ, rows) if rows else "",
                *(picture(one.drawn(), one.slug) for one in drawn[:FIGURES] if one.drawn),
                fill("<p>{more}</p>", more=more) if more else "",
            )
        )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def load(path: str | os.PathLike) -> Run:
    """Return a run that is on disk; nothing in it is executed or imported.

    Raises:
        RecordError: there is no run, or it cannot be read.

    >>> load("no/such/run")
    Traceback (most recent call last):
    depthjax.runs.records.RecordError: ...
    """
    return Run(RunDirectory.open(Path(path)))


def run(
    claims: str | Sequence[str] = (),
    *,
    size: Size = "quick",
    seed: int = 0,
    out: str | os.PathLike | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    precision: Precision = "float64",
    progress: Callable[[str, int, int], None] = lambda slug, done, total: None,
) -> Run:
    """Run claims in processes of their own and return what the judge said; this process keeps its settings of JAX.

    Args:
        claims: A claim, a topic, the path of a claim's folder or of a folder of them, or a module or package that need not be
            installed; or several of these. All claims of the catalogue where none is given.
        size: "test", "quick", "full" or "paper".
        seed: Root of all randomness.
        out: The run's directory, which must be empty or not exist; None for ``runs/<timestamp>``.
        jobs: Number of processes; None for one per core.
        cluster: Address of a Dask scheduler whose workers measure in the place of these processes, such as "tcp://host:8786".
            It needs ``out``, a folder that all workers see.
        precision: "float64" or "float32".
        progress: Called with a claim, its finished cells and all its cells.

    Raises:
        UnknownClaim: nothing has this name, or a file is not a claim; suggests what was meant.
        TypeError: `jobs` is not an integer.
        ValueError: `jobs` is less than 1.
        RecordError: the directory is not empty, or cannot be written, or a setting is invalid.
        ClusterError: nobody listens at the address, the workers would give other numbers, the scheduler is gone, or ``out``
            is left out.
        ValueError: there are fewer than one process.

    >>> found = run("pairwise_masking_blind", size="test", out=directory)  # doctest: +SKIP
    >>> found.verdicts["pairwise_masking_blind"].outcome  # doctest: +SKIP
    <Outcome.SUPPORTED: 'SUPPORTED'>
    """
    if cluster is not None and (out is None or jobs is not None):
        given = "no out" if out is None else f"jobs = {jobs}"
        raise ClusterError(
            f"cluster = {cluster!r} with {given}: a cluster needs out, a folder that all workers see, and takes no jobs, "
            "because its workers are the processes"
        )
    jobs = None if jobs is None else at_least("jobs", jobs, 1, "this is the number of processes that measure")
    selected = catalogue.select((claims,) if isinstance(claims, str) else tuple(claims))
    path = fresh(Path("runs")) if out is None else Path(out)
    path = path if cluster is None else path.resolve()  # workers stand in folders of their own
    settings = Settings(size, seed, precision, tuple(selected), catalogue.packages_of(selected.values()))
    with connected(cluster) as workers, one_writer(path) as lock:
        place = {"commit": commit(), "versions": versions(), "files": catalogue.named_files(selected.values())}
        directory = RunDirectory.create(path, settings, place)
        if workers is not None:
            workers.agree(directory.path, tuple(selected.values()), options(settings), asked(settings))
        here = (
            local(default_jobs(len(selected)) if jobs is None else jobs, lock=lock)
            if workers is None
            else contextlib.nullcontext(workers)
        )
        with here as executor:
            run_claims(list(selected.values()), directory, executor, progress=progress, finished=lambda entry: None)
        write_report(directory)
    return Run(directory)


__all__ = ["Judged", "RecordError", "Run", "load", "run"]

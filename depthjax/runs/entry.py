"""A verdict as an entry of ``verdicts.jsonl``: everything that a reader of the run needs, in plain types."""

import dataclasses
import datetime
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, cast

import xarray as xr

from depthjax.runs.executor import Elsewhere
from depthjax.runs.lines import FindingLine, TrialLine, VerdictLine
from depthjax.runs.origin import judge_digest, source_digest
from depthjax.runs.provenance import Seconds, commit
from depthjax.runs.records import Settings
from depthjax.runs.registered import registered
from depthjax.verify.claim import Claim
from depthjax.verify.quantity import cell_names
from depthjax.verify.verdict import Finding, Outcome, Verdict


def entry(
    claim: Claim,
    module: str,
    settings: Settings,
    verdict: Verdict,
    place: Mapping[str, Any],
    grid: str = "",
    dataset: xr.Dataset | None = None,
    seconds: Seconds | None = None,
    figure: str = "",
    failed: bool = False,
    domain: Sequence[str] = (),
    cells: Sequence[str] = (),
    drawn: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the entry of a claim that was run; its predicted and measured numbers are those of its worst finding.

    A claim has ``failed`` if its own code raised an error or ended its process, so that nobody could judge it.

    Args:
        claim: What was judged.
        module: Its room.
        settings: Of the run.
        verdict: What the judge said.
        place: Where it was measured, as `depthjax.runs.provenance.environment` says it.
        grid: The sizes that were measured, as text.
        dataset: What was measured.
        seconds: Spent.
        figure: Name of the file of the figure.
        failed: As above.
        domain: What the statement quantifies over, in sentences.
        cells: The names of all cells, where some of them are not in the dataset.
        drawn: Those among them that the seed drew from the claim's domain.
    """
    worst = verdict.worst
    names = list(cells) if cells or dataset is None else cell_names(dataset)
    seconds = seconds or Seconds()
    size, seed, precision = settings.size, settings.seed, settings.precision
    return VerdictLine(
        slug=claim.slug,
        topic=module.split(".")[-2],
        outcome=verdict.outcome,
        relation=worst.relation if worst else claim.relation.value,  # a one-sided order is "order at least"
        quantity=worst.quantity if worst else "",
        where=dict(worst.where) if worst else {},
        **{name: getattr(worst, name, None) for name in ("predicted", "measured", "margin", "tightness", "power")},
        controls=[TrialLine(**vars(one)) for one in verdict.controls],
        rivals=[TrialLine(**vars(one)) for one in verdict.rivals],
        reason=verdict.reason,
        failed=failed,
        loose=verdict.loose,
        rate=verdict.rate,
        hypotheses=list(verdict.hypotheses),
        seconds={"compile": round(seconds.compile, 3), "run": round(seconds.run, 3)},
        device=place["device"],
        size=size,
        seed=seed,
        date=_today(),
        dtype=str(dataset[worst.quantity].dtype) if worst and dataset is not None and worst.quantity in dataset else precision,
        witness=f"{claim.slug}/{names[worst.cell]}" if worst else "",
        drawn=list(drawn),
        findings=[_line(finding, names, dataset) for finding in verdict.findings],
        skipped=list(verdict.skipped),
        figure=figure,
        claim={
            "title": claim.title,
            "statement": claim.statement,
            "latex": claim.latex,
            "assumes": list(claim.assumes),
            "source": claim.source.cite(),
            "refuted_by": claim.refuted_by,
            "cost": claim.cost,
            "grid": grid,
            "domain": list(domain),
            "headline": claim.headline,
        },
        provenance=cast(
            Any,
            {**place, "commit": commit(), "size": size, "seed": seed, "precision": precision}
            | {"source": source_digest(module), "judge": judge_digest(), "registered": registered(module)},
        ),
    ).record()


def unrun(slug: str, topic: str, reason: str) -> dict[str, Any]:
    """Return the entry of a claim that could not start, or whose process died."""
    return VerdictLine(slug=slug, topic=topic, outcome=Outcome.INCONCLUSIVE, reason=reason, failed=True, date=_today()).record()


def one_line(error: BaseException) -> str:
    """Return the kind and the message of an error on one line of bounded length, which every file can hold."""
    if isinstance(error, Elsewhere):
        return error.line
    try:
        text = " ".join(str(error).split())
    except Exception:  # the message of an error is code of whoever raised it
        text = "it cannot say what went wrong"
    return _whole(f"{type(error).__name__}: {text if len(text) <= 300 else text[:297] + '...'}")


def traced(error: BaseException) -> str:
    """Return the traceback of an error, which every file can hold."""
    return error.trace if isinstance(error, Elsewhere) else _whole("".join(traceback.format_exception(error)))


def _whole(text: str) -> str:
    """The text with half characters (surrogates) written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _line(finding: Finding, names: Sequence[str], dataset: xr.Dataset | None) -> FindingLine:
    attributes = dataset[finding.quantity].attrs if dataset is not None and finding.quantity in dataset else {}
    told = {"label": attributes.get("long_name", finding.quantity), "units": attributes.get("units", "")}
    plain = {"cell": names[finding.cell], "where": dict(finding.where), "budget": dataclasses.asdict(finding.budget)}
    return FindingLine(**vars(finding) | told | plain)

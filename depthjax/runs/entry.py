"""A verdict as an entry of ``verdicts.jsonl``: everything that a reader of the run needs, in plain types."""

import datetime
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import xarray as xr

from depthjax.runs.executor import Elsewhere
from depthjax.runs.origin import judge_digest, source_digest
from depthjax.runs.provenance import Seconds, commit
from depthjax.runs.records import Settings
from depthjax.verify.claim import Claim
from depthjax.verify.quantity import cell_names
from depthjax.verify.verdict import ControlVerdict, Finding, Outcome, Verdict


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
    """
    worst = verdict.worst
    names = [] if dataset is None else cell_names(dataset)
    seconds = seconds or Seconds()
    relation = worst.relation if worst else claim.relation.value  # a one-sided order is "order at least"
    return {
        "slug": claim.slug,
        "topic": module.split(".")[-2],
        "outcome": verdict.outcome.value,
        "relation": relation,
        "quantity": worst.quantity if worst else "",
        "where": dict(worst.where) if worst else {},
        **_numbers(worst),
        "controls": [_tried(one) for one in verdict.controls],
        "rivals": [_tried(one) for one in verdict.rivals],
        "reason": verdict.reason,
        "failed": failed,
        "loose": verdict.loose,
        "rate": verdict.rate,
        "seconds": {"compile": round(seconds.compile, 3), "run": round(seconds.run, 3)},
        "device": place["device"],
        "size": settings.size,
        "seed": settings.seed,
        "date": _today(),
        "dtype": str(dataset[worst.quantity].dtype) if worst and dataset is not None else settings.precision,
        "witness": f"{claim.slug}/{names[worst.cell]}" if worst else "",
        "findings": [_finding(finding, names, dataset) for finding in verdict.findings],
        "skipped": list(verdict.skipped),
        "figure": figure,
        "claim": {
            "title": claim.title,
            "statement": claim.statement,
            "latex": claim.latex,
            "assumes": list(claim.assumes),
            "source": claim.source.cite(),
            "refuted_by": claim.refuted_by,
            "cost": claim.cost,
            "grid": grid,
        },
        "provenance": {**place, "commit": commit()}
        | {"size": settings.size, "seed": settings.seed, "precision": settings.precision}
        | {"source": source_digest(module), "judge": judge_digest()},
    }


def unrun(slug: str, topic: str, reason: str) -> dict[str, Any]:
    """Return the entry of a claim that could not start, or whose process died."""
    return {
        "slug": slug,
        "topic": topic,
        "outcome": Outcome.INCONCLUSIVE.value,
        "relation": "",
        "quantity": "",
        "where": {},
        **_numbers(None),
        "controls": [],
        "rivals": [],
        "reason": reason,
        "failed": True,
        "loose": False,
        "rate": 0.0,
        "seconds": {"compile": 0.0, "run": 0.0},
        "device": "",
        "size": "",
        "seed": None,
        "date": _today(),
        "dtype": "",
        "witness": "",
        "findings": [],
        "skipped": [],
        "figure": "",
        "claim": {},
        "provenance": {},
    }


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


def _tried(one: ControlVerdict) -> dict[str, str]:
    return {"name": one.name, "outcome": one.outcome.value, "statement": one.statement, "reason": one.reason}


def _numbers(finding: Finding | None) -> dict[str, float | None]:
    return {name: getattr(finding, name, None) for name in ("predicted", "measured", "margin", "tightness", "power")}


def _finding(finding: Finding, names: Sequence[str], dataset: xr.Dataset | None) -> dict[str, Any]:
    attributes = dataset[finding.quantity].attrs if dataset is not None and finding.quantity in dataset else {}
    budget = finding.budget
    return {
        "quantity": finding.quantity,
        "label": attributes.get("long_name", finding.quantity),
        "units": attributes.get("units", ""),
        "cell": names[finding.cell],
        "where": dict(finding.where),
        "relation": finding.relation,
        "budget": {"rounding": budget.rounding, "truncation": budget.truncation, "sampling": budget.sampling},
        **_numbers(finding),
        "outcome": finding.outcome.value,
        "reason": finding.reason,
        "points": finding.points,
        "dropped": finding.dropped,
        "resolved": finding.resolved,
        "loose": finding.loose,
        "rate": finding.rate,
    }

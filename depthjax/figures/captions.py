"""Captions: what a picture shows, what a reader sees in it where the theorem holds, and whether the judge saw it."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from depthjax.figures.panel import Panel, in_words
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Finding, Outcome

__all__ = ["captions"]

DRAWN = {  # kind of panel -> what is drawn, and what a reader sees where the theorem holds
    "order": ("Points: measured; hollow ones are not judged. Lines: the predicted slope.", "The points run along their lines."),
    "diagonal": ("Points: measured against predicted. Line: both are equal.", "Every point lies on the line."),
    "rows": ("Points: measured, with their error budgets. Bars: predicted.", "Every point lies on its bar."),
    "curves": ("Points: measured. Lines: predicted.", "The points lie on the lines."),
    "shares": (
        "Points: the share that succeeds, with its exact interval. Shaded: the predicted side.",
        "Every interval lies on the shaded side.",
    ),
    "same": ("One number was predicted and measured everywhere, so it is written and not drawn.", ""),
    "nothing": ("Nothing could be judged.", ""),
}
BOUNDED = {
    ("rows", Relation.AT_MOST): ("Points: measured. Bars: the upper bound.", "No point lies to the right of its bar."),
    ("rows", Relation.AT_LEAST): ("Points: measured. Bars: the lower bound.", "No point lies to the left of its bar."),
    ("curves", Relation.AT_MOST): ("Points: measured. Lines: the upper bound.", "No point lies above its line."),
    ("curves", Relation.AT_LEAST): ("Points: measured. Lines: the lower bound.", "No point lies below its line."),
}
UNSEEN = 1e-3  # share of a number that a figure does not show
BESIDES = ("rows", "curves", "diagonal")  # kinds that draw a point at its number, beside which its error budget lies
DASHED = "Grey and dashed: what rivals predict."
CROSSES = "Grey crosses: the same points against what rivals predict."
BEYOND = "Points that have no line lie where theory says nothing."
RIVALS: dict[str, str] = {"order": DASHED, "curves": DASHED, "rows": DASHED, "diagonal": CROSSES}


def captions(parts: Iterable[Panel]) -> list[str]:
    """Return the captions of panels from top to bottom; neighbours that are read alike share one, which names them all."""
    grouped = itertools.groupby(parts, key=_seen)
    return [f"{_names(list(alike))}. {seen}" for seen, alike in grouped]


def _seen(panel: Panel) -> str:
    """What is drawn, and what the judge saw in it: a picture of a refuted quantity does not say that it holds."""
    kind = panel.kind
    drawn, holds = BOUNDED.get((kind, panel.relation), DRAWN[kind])
    parts = [drawn, _judged(panel, holds) if holds else "", RIVALS.get(kind, "") if panel.rivals else ""]
    if kind == "curves" and not all(np.isfinite(one.array()).all() for one in panel.predictions.values()):
        parts.insert(2, BEYOND)
    return " ".join(part for part in parts if part)


def _judged(panel: Panel, holds: str) -> str:
    """What the findings of a panel say of the sentence that a true theorem makes true."""
    resolved = [finding for finding in panel.findings if finding.resolved]
    for outcome, word in ((Outcome.REFUTED, "Refuted"), (Outcome.INCONCLUSIVE, "Undecided")):
        cells = {finding.cell for finding in resolved if finding.outcome is outcome}
        if cells:
            return f"{holds[:-1]} where the theorem holds. {word} in {len(cells)} of {len(panel.predictions)} cells."
    if panel.kind in BESIDES and any(_beside(finding) for finding in resolved):
        return f"{holds[:-1]}, up to the error budget."
    return holds


def _beside(finding: Finding) -> bool:
    """Whether the worst point of a finding lies on the wrong side of its prediction by more than what an eye cannot see."""
    off = finding.measured - finding.predicted
    over = {Relation.AT_MOST.value: off, Relation.AT_LEAST.value: -off}.get(finding.relation, abs(off))
    return over > UNSEEN * max(abs(finding.measured), abs(finding.predicted))


def _names(alike: Sequence[Panel]) -> str:
    """The quantities of panels, each with what it is drawn against."""
    text = "; ".join(dict.fromkeys(f"{panel.label}{_against(panel)}" for panel in alike))
    return text[:1].upper() + text[1:]


def _against(panel: Panel) -> str:
    dim = {"order": "step", "curves": panel.axis()}.get(panel.kind, "")
    return f" against {in_words(panel.dataset[dim], dim)}" if dim else ""

"""Captions: what a picture shows, and what a reader sees in it where the theorem holds, in plain sentences."""

import itertools
from collections.abc import Iterable, Sequence

from depthjax.figures.panel import Panel, in_words
from depthjax.verify.relation import Relation

__all__ = ["captions"]

SEEN = {  # kind of panel -> what is drawn, and what a reader sees where the theorem holds
    "order": "Points: measured; hollow ones are not judged. Lines: the predicted slope. The points run along their lines.",
    "diagonal": "Points: measured against predicted. Line: both are equal. Every point lies on the line.",
    "rows": "Points: measured, with their error budgets. Bars: predicted. Every point lies on its bar.",
    "curves": "Points: measured. Lines: predicted. The points lie on the lines.",
    "shares": "Points: the share that succeeds, with its exact interval. Shaded: the predicted side, where the points lie.",
    "same": "One number was predicted and measured everywhere, so it is written and not drawn.",
    "nothing": "Nothing could be judged.",
}
BOUNDED = {
    ("rows", Relation.AT_MOST): "Points: measured. Bars: the upper bound. No point lies to the right of its bar.",
    ("rows", Relation.AT_LEAST): "Points: measured. Bars: the lower bound. No point lies to the left of its bar.",
    ("curves", Relation.AT_MOST): "Points: measured. Lines: the upper bound. No point lies above its line.",
    ("curves", Relation.AT_LEAST): "Points: measured. Lines: the lower bound. No point lies below its line.",
}
DASHED = "Grey and dashed: what rivals predict."
CROSSES = "Grey crosses: the same points against what rivals predict."
RIVALS: dict[str, str] = {"order": DASHED, "curves": DASHED, "rows": DASHED, "diagonal": CROSSES}


def captions(parts: Iterable[Panel]) -> list[str]:
    """Return the captions of panels from top to bottom; neighbours that are read alike share one, which names them all."""
    grouped = itertools.groupby(parts, key=_seen)
    return [f"{_names(list(alike))}. {seen}" for seen, alike in grouped]


def _seen(panel: Panel) -> str:
    """What is drawn and seen, whatever the quantity."""
    kind = panel.kind
    seen = BOUNDED.get((kind, panel.relation), SEEN[kind])
    rivals = RIVALS.get(kind) if panel.rivals else None
    return f"{seen} {rivals}" if rivals else seen


def _names(alike: Sequence[Panel]) -> str:
    """The quantities of panels, each with what it is drawn against."""
    text = "; ".join(dict.fromkeys(f"{panel.label}{_against(panel)}" for panel in alike))
    return text[:1].upper() + text[1:]


def _against(panel: Panel) -> str:
    dim = {"order": "step", "curves": panel.axis()}.get(panel.kind, "")
    return f" against {in_words(panel.dataset[dim], dim)}" if dim else ""

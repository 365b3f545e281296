"""The small picture of a verdict: where every finding lies between what was predicted and the edge of its error budget."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from depthjax.report.markup import Html, fill, joined

WIDTH, HALF = 120, 44  # of the picture, and of the budget on either side of the prediction
MOST = 80
MARK = '<rect x="{x}" y="3" width="1.6" height="14" fill="currentColor" fill-opacity="0.55"/>'
MIDDLE = '<path d="M {x} 1 V 19" stroke="currentColor" stroke-opacity="0.5" stroke-width="0.8"/>'
PICTURE = (
    '<span class="strip" role="img" aria-label="{words}"><svg viewBox="0 0 120 20"><rect x="{left}" y="1" width="{budget}" '
    'height="18" fill="none" stroke="currentColor" stroke-opacity="0.35"/>{middle}{marks}</svg></span>'
)
EDGE = 1.25  # what lies further outside is drawn here


def strip(findings: Sequence[Mapping[str, Any]]) -> Html:
    """A line for each finding, at its distance from the prediction in units of its budget; outside the box it is refuted.

    A measurement under a bound stands at its share of the bound; the share of seeds that succeed stands between none and all.
    Where a claim judges in several ways, the picture shows the one with most findings.
    """
    resolved = [one for one in findings if one["resolved"] and one["measured"] is not None]
    if not resolved:
        return Html()
    kind = Counter(_kind(one) for one in resolved).most_common(1)[0][0]
    places = [_PLACES[kind](one) for one in resolved if _kind(one) == kind][:MOST]
    marks = joined(fill(MARK, x=f"{WIDTH / 2 + HALF * place - 0.8:.1f}") for place in places)
    middle = fill(MIDDLE, x=WIDTH / 2) if kind != "bound" else ""
    return fill(PICTURE, words=_said(kind, places), left=WIDTH / 2 - HALF, budget=2 * HALF, middle=middle, marks=marks)


def _kind(finding: Mapping[str, Any]) -> str:
    relation = finding["relation"]
    return "bound" if relation.startswith("at ") else "seeds" if relation in ("trend", "ranking", "impossible") else "distance"


def _bound(finding: Mapping[str, Any]) -> float:
    share = finding["tightness"]
    return EDGE if share is None else max(-1.0, min(EDGE, 2 * float(share) - 1))


def _seeds(finding: Mapping[str, Any]) -> float:
    return max(-1.0, min(1.0, 2 * float(finding["measured"]) - 1))


def _distance(finding: Mapping[str, Any]) -> float:
    """Measured less predicted, over the budget."""
    # floats: the difference of two whole numbers may be larger than every float
    away = float(finding["measured"]) - float(finding["predicted"] or 0)
    budget = sum(map(float, filter(None, finding["budget"].values())))
    if finding["relation"] == "order at least":
        away = min(away, 0.0)
    if away == 0:
        return 0.0
    return max(-EDGE, min(EDGE, away / budget)) if budget else math.copysign(EDGE, away)


_PLACES = {"bound": _bound, "seeds": _seeds, "distance": _distance}


def _said(kind: str, places: Sequence[float]) -> str:
    if kind == "distance":
        return f"{len(places)} findings; the farthest lies at {100 * max(map(abs, places)):.0f} per cent of its budget"
    low, high = (round(50 * (1 + place)) for place in (min(places), max(places)))
    return f"{len(places)} findings, at {low} to {high} per cent of {'the bound' if kind == 'bound' else 'the seeds'}"

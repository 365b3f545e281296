"""The number of seeds that a verdict needs, known before anything is trained.

Some runs cannot end in a verdict: the judge would say INCONCLUSIVE even if every seed did exactly what is predicted, or could
not refute a control that every seed contradicts. Such a run is refused before training, with the number of seeds it needs.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from depthjax.verify.claim import Claim
from depthjax.verify.prediction import Prediction, Predictions
from depthjax.verify.rates import trials_needed
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Outcome

Said = Sequence[Predictions | None]


def hopeless(claim: Claim, predictions: Said, seeds: int, falsehoods: Iterable[Said] = ()) -> str:
    """Return why this number of seeds cannot give a verdict, and how many would; empty if it can.

    Points along axes that a prediction does not name are unknown before the measurement and are not counted.

    Args:
        claim: states the relation.
        predictions: one entry for each cell, as for `judge`.
        seeds: length of the dimension ``seed`` of every variable that a statement about seeds speaks of.
        falsehoods: the predictions of the controls, one sequence for each; a control that no data can refute leaves its
            claim open.
    """
    needed = seeds_needed(claim, predictions, falsehoods)
    if seeds >= needed:
        return ""
    return f"{seeds} seeds cannot give a verdict even if all of them do as predicted; {needed} would"


def seeds_needed(claim: Claim, predictions: Said, falsehoods: Iterable[Said] = ()) -> int:
    """Return the fewest seeds with which perfect data support the claim and refute its controls; 0 if seeds play no part."""
    support = _fewest(claim, predictions, Outcome.SUPPORTED)
    return max([support, *(_fewest(claim, said, Outcome.REFUTED) for said in falsehoods)])


def seeds_of(cells: Iterable[Any]) -> int | None:
    """Return the number of seeds that all cells of a grid have in a field ``seeds``; None where they have none or differ."""
    found: set[Any] = {getattr(cell, "seeds", None) for cell in cells}
    only = found.pop() if len(found) == 1 else None
    return only if isinstance(only, int) else None


def _fewest(claim: Claim, said: Said, outcome: Outcome) -> int:
    entries = [p for entry in said for p in ([entry] if isinstance(entry, Prediction) else entry or ())]
    related = [(p, p.relation or claim.relation) for p in entries]
    # a ranking is one statement about a seed, a trend one for each of its points
    points = {Relation.TREND: lambda p: np.size(p.value), Relation.RANKING: lambda p: 1}
    family = sum(points[relation](p) for p, relation in related if relation in points)
    relations = {relation for _, relation in related if relation in points}
    return max((trials_needed(relation, family, outcome=outcome) for relation in relations), default=0)

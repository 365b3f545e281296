"""Which rivals are evidence: those whose refutation does not follow from the claim's being SUPPORTED.

A supported claim says where the data lie: within half the resolution of a value, near a bound and not beyond it, at an order
and at no other. A rival whose predictions lie elsewhere is then refuted whatever the numbers are; that the judge refutes it
checks the program, and is no evidence. A rival is informative where data that support the claim could leave it standing.

Only predictions are compared, and in doubt a rival is not informative: quantities whose measurement is not known to be rounded
are taken for integers where their predictions are integers, and the budget of a bound is taken to be small beside the bound.
"""

import math
from collections.abc import Sequence

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.verify.claim import Claim
from depthjax.verify.compare import NEAR, RIVAL
from depthjax.verify.prediction import Prediction
from depthjax.verify.relation import Relation
from depthjax.verify.trials import Said
from depthjax.verify.verdict import Outcome, Verdict

EQUALS, AT_MOST, AT_LEAST = Relation.EQUALS, Relation.AT_MOST, Relation.AT_LEAST


def informative(claim: Claim, own: Sequence[Said], rival: Sequence[Said], everywhere: bool = True) -> bool:
    """Say whether data that support a claim could leave a rival standing.

    Args:
        claim: States the relation.
        own: The claim's predictions for each cell.
        rival: The rival's predictions for each cell.
        everywhere: Every cell must refute the rival, or one is enough.

    >>> from depthjax.verify.claim import claim
    >>> said = [(Prediction(3.0, resolution=0.5),)]
    >>> [informative(claim(Relation.EQUALS), said, [(Prediction(value),)]) for value in (3.2, 4.0)]
    [True, False]
    """
    implied = [
        any(_implied(claim, prediction, supported or ()) for prediction in said)
        for supported, said in zip(own, rival, strict=True)
        if said
    ]
    return bool(implied) and not (all(implied) if everywhere else any(implied))


def distance(verdict: Verdict, everywhere: bool = True) -> float | None:
    """Return how far the data lie from a rival that they refute, in budgets, in the cell that decides; None if nothing says so.

    Args:
        verdict: The judge's answer for the rival.
        everywhere: Every cell must refute the rival, so the nearest cell decides, or one is enough, and the farthest does.
    """
    cells: dict[int, float] = {}
    for finding in verdict.findings:
        if finding.outcome is Outcome.REFUTED and math.isfinite(finding.margin):
            cells[finding.cell] = max(cells.get(finding.cell, 0.0), 1 - finding.margin)
    return (min if everywhere else max)(cells.values(), default=None)


def _implied(claim: Claim, rival: Prediction, supported: Sequence[Prediction]) -> bool:
    """Whether a prediction is refuted wherever those of the claim are supported."""
    return any(_excludes(claim, one, rival) for one in supported if one.of == rival.of)


def _excludes(claim: Claim, own: Prediction, rival: Prediction) -> bool:
    mine, other = own.relation or claim.relation, rival.relation or claim.relation
    if mine is not other and not {mine, other} <= {EQUALS, AT_MOST, AT_LEAST}:
        return True  # relations that nothing here compares
    match mine:
        case Relation.ORDER:
            return _exclude_orders(own, rival)
        case Relation.TREND | Relation.IMPOSSIBLE:
            return bool(((own.array() > 0.5) != (rival.array() > 0.5)).any())
        case Relation.RANKING:
            first, second = own.array().to_numpy(), rival.array().to_numpy()
            return bool(((first[:, None] < first) & (second[:, None] > second)).any())
    values, others, room = _aligned(own, rival)
    if mine is EQUALS:
        away = {EQUALS: abs(others - values), AT_MOST: values - others, AT_LEAST: others - values}[other]
        return bool((away >= room).any())
    sign = 1 if mine is AT_MOST else -1
    beyond = sign * (others - values)
    near = NEAR if own.resolution is None else float(np.max(own.resolution))
    short = bool((beyond < -near * abs(values)).all()) if other in (EQUALS, mine) else False
    past = bool((beyond > (1 - 1 / RIVAL) * abs(values)).any()) if other is not mine else False
    return short or past


def _aligned(own: Prediction, rival: Prediction) -> tuple[xr.DataArray, ...]:
    """Both values as numbers on the same axes, and how far apart they cannot be and both fit: twice half the resolution."""
    parts = [_numbers(own), _numbers(rival)]
    values, others = xr.broadcast(*parts)
    apart = own.apart()
    if apart is None:
        size = abs(values)
        apart = xr.where(size > 0, size, float(size.max()) or 1.0) * (1 - 1 / RIVAL)
        apart = np.minimum(apart, 1.0) if _whole(own) else apart
    return values, others, apart + rival.left_out()


def _numbers(prediction: Prediction) -> xr.DataArray:
    exact = prediction.exact()
    wide = np.array(exact.to_numpy().tolist()) if exact.dtype == object else exact.to_numpy()
    return exact.astype(complex if dtypes.is_complex(wide.dtype) else float)


def _whole(prediction: Prediction) -> bool:
    return all(isinstance(one, int | np.integer | np.bool_) for one in prediction.exact().to_numpy().ravel().tolist())


def _exclude_orders(own: Prediction, rival: Prediction) -> bool:
    above = rival.array() - own.array()
    apart = 1.0 if own.resolution is None else float(np.max(own.resolution))
    away = above if rival.one_sided else -above if own.one_sided else abs(above)
    if own.one_sided and rival.one_sided:
        return False  # a higher order is left to the data, and a lower one stands
    if bool((away >= apart).any()):
        return True
    if own.constant is None or rival.constant is None or own.one_sided or bool((above != 0).any()):
        return False
    share = own.constant_resolution
    low, high = sorted((abs(own.constant), abs(rival.constant)))
    return own.constant * rival.constant < 0 or high >= (1 + share) * low > 0

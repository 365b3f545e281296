"""Statements about trained runs and about the impossible, judged by exact binomial limits over seeds.

A trained claim speaks of the *typical* run: the success probability of a fresh seed lies above one half (or below). Seeds are
independent, so Clopper-Pearson limits are exact. Rates and their division among points are those of ``rates``.
"""

import dataclasses
import math

import numpy as np
from scipy.special import betaincinv

from depthjax.verify.compare import Comparison
from depthjax.verify.rates import POSSIBLE, RATE, trials_needed
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Budget, Finding, Outcome

SHOWN = 0.05  # of the intervals that figures show, both sides together


def binomial_limits(successes: int, trials: int, rate: float = SHOWN) -> tuple[float, float]:
    """Clopper-Pearson: an interval that contains the success probability with probability at least ``1 - rate``.

    Raises:
        ValueError: if there are no trials, or more successes than trials.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} successes in {trials} trials: need 0 <= successes <= trials and a trial")
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, rate / 2))
    high = 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - rate / 2))
    return low, high


def median_limits(values: np.ndarray, rate: float = SHOWN) -> tuple[np.ndarray, np.ndarray]:
    """Two of the values along the last axis; the median of fresh runs lies between them with probability ``1 - rate`` or more.

    Free of any distribution: how many of n runs fall below the median is binomial. Infinite where n is too small.
    """
    ordered = np.sort(values, axis=-1)
    runs = ordered.shape[-1]
    below = np.cumsum([math.comb(runs, k) / 2**runs for k in range(runs + 1)])
    skipped = int((below <= rate / 2).sum())  # this many at either end can go
    if skipped == 0:
        return np.full(ordered.shape[:-1], -np.inf), np.full(ordered.shape[:-1], np.inf)
    return ordered[..., skipped - 1], ordered[..., runs - skipped]


def trend(comparison: Comparison, family: int) -> list[Finding]:
    """Return a finding for each point: whether the typical seed succeeds (predicted above 1/2) or fails; measured is 0 or 1."""
    runs = _seeds_last(comparison)
    wanted = comparison.prediction.array().broadcast_like(comparison.measured.isel(seed=0)).to_numpy() > 0.5
    dims = [d for d in comparison.measured.dims if d != "seed"]
    findings = []
    for index in np.ndindex(runs.shape[:-1]):
        where = {str(d): comparison.measured[d].to_numpy()[i].item() for d, i in zip(dims, index, strict=True)}
        findings.append(_typical(comparison, where, runs[index] > 0.5, bool(wanted[index]), family))
    return findings


def ranking(comparison: Comparison, family: int) -> Finding:
    """Judge whether the typical seed meets the items in ascending order of their scores; equal scores may come either way.

    A seed does so at all points of further axes. Two items that lie within the floor of each other leave their order open.
    """
    scores = comparison.prediction.exact()
    if scores.ndim != 1:
        raise ValueError(f"a ranking needs one score for each item, over one dimension; the prediction has {scores.dims}")
    _check_seeds(comparison)
    earlier, later = np.nonzero(scores.to_numpy()[:, None] < scores.to_numpy()[None, :])
    if earlier.size == 0:
        return comparison.finding(outcome=Outcome.INCONCLUSIVE, reason="the prediction ranks nothing: all its scores are equal")
    blur = (comparison.floor + comparison.sampling).broadcast_like(comparison.measured)
    times, blur = (
        part.transpose("seed", ..., *scores.dims).to_numpy()
        for part in (comparison.measured.astype(object), blur.astype(object))
    )
    gaps, slack = times[..., later] - times[..., earlier], blur[..., later] + blur[..., earlier]
    axes = tuple(range(1, gaps.ndim))
    surely, possibly = (gaps > slack).all(axis=axes), ((gaps > -slack) & ((gaps != 0) | (slack > 0))).all(axis=axes)
    found, other = (_typical(comparison, {}, one.astype(bool), True, family) for one in (surely, possibly))
    if found.outcome is other.outcome:
        return found
    reason = f"{int((possibly & ~surely).sum())} of {surely.size} seeds have items that lie within the floor of each other"
    return dataclasses.replace(found, outcome=Outcome.INCONCLUSIVE, reason=reason)


def impossible(comparison: Comparison, positive: np.ndarray) -> Finding:
    """Judge whether no trial succeeds, while the same code succeeds on the neighbouring possible task.

    Failures show that successes are rare, not that there are none. The claim is supported if a success rate of ``resolution``
    (0.01 unless the prediction states another) would have shown itself. One success refutes.
    """
    successes = int((comparison.measured.to_numpy() > 0.5).sum())
    trials, apart = comparison.measured.size, comparison.prediction.apart()
    possible = POSSIBLE if apart is None else float(apart)
    needed = trials_needed(Relation.IMPOSSIBLE, possible=possible)
    limit = -math.expm1(math.log(RATE) / trials)  # the success rate under which this number of failures is that improbable
    if successes:
        outcome, reason = Outcome.REFUTED, f"{successes} of {trials} trials do what is said to be impossible"
    elif not (positive.size and (positive > 0.5).all()):
        outcome, reason = Outcome.INCONCLUSIVE, "the same code fails on the neighbouring possible task: a failure shows nothing"
    elif trials < needed:
        outcome = Outcome.INCONCLUSIVE
        reason = f"{trials} failures exclude success rates above {limit:.2g}: to exclude {possible:g} takes {needed} trials"
    else:
        outcome, reason = Outcome.SUPPORTED, ""
    return comparison.finding(
        predicted=0.0,
        measured=float(successes),
        margin=1.0 if not successes else -float(successes),
        power=limit,
        outcome=outcome,
        reason=reason,
        points=trials,
        rate=RATE,
    )


def _typical(comparison: Comparison, where: dict, success: np.ndarray, wanted: bool, family: int) -> Finding:
    """Judge one point. Support needs all points and refutation only one, so only refutations share the rate."""
    count, runs = int(success.sum()), success.size
    agree, deny = 2 * RATE, 2 * RATE / family  # rates of intervals of which one side is used
    low, high = (
        binomial_limits(count, runs, rate)[side] for side, rate in enumerate((agree, deny) if wanted else (deny, agree))
    )
    agrees, denies = (low > 0.5, high < 0.5) if wanted else (high < 0.5, low > 0.5)
    if denies:
        outcome, reason = (
            Outcome.REFUTED,
            f"{count} of {runs} seeds succeed: a typical one does {'not' if wanted else 'succeed'}",
        )
    elif agrees:
        outcome, reason = Outcome.SUPPORTED, ""
    else:
        outcome, reason = (
            Outcome.INCONCLUSIVE,
            f"{count} of {runs} seeds: the interval [{low:.2f}, {high:.2f}] contains 1/2",
        )
        needed = trials_needed(comparison.relation)
        if runs < needed:
            reason += f", as it would for any {runs} seeds: the fewest that could tell are {needed}"
    sampling = (high - low) / 2
    return comparison.finding(
        where=where,
        predicted=float(wanted),
        measured=float(success.mean()),
        budget=Budget(sampling=sampling),
        margin=(low - 0.5 if wanted else 0.5 - high) / sampling if sampling else 1.0,
        power=sampling,
        outcome=outcome,
        reason=reason,
        points=runs,
        tightness=math.nan,
        rate=RATE,
    )


def _seeds_last(comparison: Comparison) -> np.ndarray:
    _check_seeds(comparison)
    return comparison.measured.transpose(..., "seed").to_numpy().astype(float)


def _check_seeds(comparison: Comparison) -> None:
    if "seed" not in comparison.measured.dims:
        raise ValueError(
            f"a statement about seeds needs a dimension 'seed'; {comparison.measured.name!r} has {comparison.measured.dims}"
        )

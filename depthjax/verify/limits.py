r"""Where a sequence tends on geometric steps: an estimate with its half width, or the reason why nothing can be said.

Values :math:`v_i` at steps :math:`h, h/r, h/r^2, \dots` approach :math:`v` with tails in unknown powers,
:math:`v_i = v + a h_i^{\alpha} + b h_i^{\beta} + \dots`, where :math:`\alpha \ge 1/2` and the powers lie half apart or more.

- *Drift.* With :math:`\kappa = r^{-1/2}`, the slowest shrinking allowed, what is left to drift behind the last value is at most
  :math:`\tfrac32 \tfrac{\kappa}{1 - \kappa} \max(|\Delta|, \kappa |\Delta'|)` with the last two differences
  :math:`\Delta, \Delta'`, and what the powers :math:`h^{1/2}, h` leave together, for r = 2
  :math:`|5.83 \Delta - 2.41 \Delta'|`. This covers every sum of two such powers whose differences have one sign and do not
  grow, for r from :math:`\sqrt 2` to 2 (tried in the tests).
- *Extrapolation.* The same holds for the sequence freed of its first power, :math:`(r v_{i+1} - v_i)/(r - 1)`, and the narrower
  of the two intervals is taken. An interval whose differences turn or grow beyond its floor is left out, unless both do.
- *Hidden terms.* A term that grows towards fine steps (the true leading order, under one that still hides it) makes differences
  grow. Differences are therefore compared with the one before, in the sequence and in the two freed of :math:`h` and
  :math:`h, h^2`: freed of what shrinks, the term that grows shows earlier. Where one grows, or has just turned, nothing is
  said.
  A floor that rises towards fine steps can hide such growth; the same is therefore asked of the values before the floor moves
  them by ten traces.
- *Logarithms.* Differences that shrink more slowly than any such power are a logarithm's (`logarithms`), at the finest steps or
  before the floor moves them: how far one may still drift is told beside the interval.
- *Noise.* Three differences that alternate in sign are noise: a sum of three powers turns twice at most. Their size, doubled,
  is the half width then.

A term below :data:`TRACE` of the value at the finest steps is not looked for: this is what the verdicts cannot see.
"""

import dataclasses

import numpy as np

from depthjax.verify.logarithms import slowly

TRACE = 1e-4
POINTS = 6  # differences that have a predecessor at all three levels, for values one fewer than the points
_SAFETY = 1.5


@dataclasses.dataclass(frozen=True)
class Limit:
    """What a sequence tends to.

    Attributes:
        value: the estimate. rounding: how far the floor moves the estimate. drift: how far the limit may still lie from there.
        roughness: size of the last differences once h and h^2 are removed: an upper guess of undeclared noise.
        reason: why the sequence says nothing, empty if it does.
        slow: how far the limit may lie beyond that because a logarithm, and no power, moves the values; 0 where none is seen.
    """

    value: float
    rounding: float
    drift: float
    roughness: float
    reason: str = ""
    slow: float = 0.0


def limit(values: np.ndarray, ratio: float, noise: np.ndarray, trace: float, loud: float) -> Limit:
    """The limit of values on steps that shrink by ``ratio``, coarse to fine.

    Args:
        values: at least four, shape ``(n,)``.
        ratio: of neighbouring steps, above 1.
        noise: how far the floor moves each value, shape ``(n,)``.
        trace: differences up to this size are no evidence.
        loud: alternating differences above this size are no noise that could be forgiven.
    """
    levels = [(values, noise)]
    for power in (1, 2):
        (v, n), r = levels[-1], ratio**power
        levels.append((v[1:] + np.diff(v) / (r - 1), (r * n[1:] + n[:-1]) / (r - 1)))
    roughness = float(np.abs(np.diff(levels[2][0]))[-2:].max())
    last = np.diff(values)[-3:]
    if (last[:-1] * last[1:] < 0).all() and trace < np.abs(last).max() <= loud:
        return Limit(float(values[-1]), float(noise[-1]), float(2 * np.abs(last).max()), roughness)
    reason = _unsteady(levels, trace) or _unsteady([(v[: _quiet(n, trace)], n) for v, n in levels], trace)
    # differences that turn or grow, if only within a trace, are none that the drift covers
    steady = [level for level in levels[:2] if not _unsteady([level], 0.0)] or levels[:2]
    bounds = [(float(n[-1]), _drift(v, ratio), float(v[-1])) for v, n in steady]
    rounding, drift, value = min(bounds, key=lambda found: found[0] + found[1])
    slow = max(
        slowly(v[:count], ratio, n[:count], trace, freed=bool(level))
        for level, (v, n) in enumerate(levels[:2])
        for count in (len(v), _quiet(n, trace))
    )
    return Limit(value, rounding, drift, roughness, reason, slow)


def _quiet(noise: np.ndarray, trace: float) -> int:
    """How many values come before the first that noise would move by more than ten traces: there, growth shows."""
    loud = noise > 10 * trace
    return int(loud.argmax()) if loud.any() else len(noise)


def _unsteady(levels: list[tuple[np.ndarray, np.ndarray]], trace: float) -> str:
    """Whether at some level the last difference is larger than the one before, or has the other sign, beyond noise."""
    for values, noise in levels:
        if len(values) < 3:
            continue
        slack = (noise[1:] + noise[:-1] + trace)[: len(values) - 1]
        (before, last), (some, more) = np.diff(values)[-2:], slack[-2:]
        if abs(last) > abs(before) + some + more:
            return f"its differences grow towards fine steps, from {abs(before):.2g} to {abs(last):.2g}"
        if before * last < 0 and abs(before) > some and abs(last) > more:
            return f"its differences have just turned, from {before:.2g} to {last:.2g}"
    return ""


def _drift(values: np.ndarray, ratio: float) -> float:
    before, last = np.abs(np.diff(values))[-2:]
    shrinking, slow = ratio**-0.5, ratio**0.5
    of_two = abs((ratio + slow - 1) * last - before) / ((slow - 1) * (ratio - 1))
    return float(max(_SAFETY * shrinking / (1 - shrinking) * max(last, shrinking * before), of_two))

"""The judge for numbers that somebody already has: no claim, no grid, no run directory.

Each function holds measured numbers against a prediction and returns a `Verdict`, judged exactly as a claim's quantities are.
``verdict.outcome`` is the answer, ``verdict.worst`` the finding behind it, and ``print(verdict)`` says both in a line.
"""

from typing import Any

import numpy as np

from depthjax.verify.claim import claim
from depthjax.verify.judge import judge
from depthjax.verify.prediction import Prediction
from depthjax.verify.quantity import Quantity, measured
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Verdict


def judge_order(
    steps: Any,
    errors: Any,
    exponent: float | int,
    *,
    floor: Any = None,
    constant: float | int | None = None,
    at_least: bool = False,
    resolution: float | int = 1.0,
) -> Verdict:
    """Judge whether errors fall as ``constant * step**exponent`` while the steps shrink.

    Args:
        steps: Step sizes, shape (n,), in any order; sorted they shrink by one ratio, as h, h/2, h/4, ... do.
        errors: The error at each step, shape (n,), positive.
        exponent: The predicted order.
        floor: What rounding alone explains of each error, a number or shape (n,); None for four units in the last place.
        constant: The predicted leading constant; None where none is predicted.
        at_least: The order is predicted to be ``exponent`` or higher.
        resolution: Distance to the nearest other order; the verdict is INCONCLUSIVE where the data cannot tell it apart.

    Raises:
        ValueError: The steps are not positive, distinct and geometric, or the shapes differ.

    >>> h = 0.5 ** np.arange(8)
    >>> print(judge_order(h, 3 * h**2, 2, constant=3))
    SUPPORTED: error has order 2, predicted 2
    >>> judge_order(h, h**1.5, 2).outcome.value
    'REFUTED'
    """
    steps, errors = np.asarray(steps, float), np.asarray(errors)
    if steps.ndim != 1 or errors.shape != steps.shape:
        raise ValueError(f"steps have shape {steps.shape} and errors {errors.shape}: expected one error for each step")
    leading = None if constant is None else float(constant)
    said = Prediction(exponent, of="error", constant=leading, one_sided=at_least, resolution=float(resolution))
    data = measured(step=steps, error=Quantity(errors, "step", floor=0.0 if floor is None else floor))
    return judge(claim(Relation.ORDER), said, data)


def judge_equal(numbers: Any, predicted: Any, *, floor: Any = None, resolution: float | int | None = None) -> Verdict:
    """Judge whether numbers equal predicted ones: integers exactly, others within their rounding floor.

    Args:
        numbers: Any shape; integers of any size, floats or complex numbers.
        predicted: A number, or the same shape.
        floor: What rounding alone explains; floats need one (0.0 where nothing is rounded).
        resolution: Distance to the nearest other prediction; None for that of the judge (1 between integers).

    Raises:
        ValueError: Floats come without a floor, or the shapes differ.

    >>> judge_equal([2, 3, 5], [2, 3, 5]).outcome.value, judge_equal(0.1 + 0.2, 0.3, floor=1e-15).outcome.value
    ('SUPPORTED', 'SUPPORTED')
    >>> print(judge_equal([2, 3, 6], [2, 3, 5]))
    REFUTED: measured is 6, predicted 5: differs by 1, the budget is 0
    """
    return _distance(Relation.EQUALS, numbers, predicted, floor, resolution)


def judge_bound(
    numbers: Any, limit: Any, *, side: str = "at most", floor: Any = None, resolution: float | int | None = None
) -> Verdict:
    """Judge whether numbers keep to a bound, and come near it.

    Args:
        numbers: Any shape.
        limit: A number, or the same shape.
        side: "at most" or "at least".
        floor: What rounding alone explains; floats need one (0.0 where nothing is rounded).
        resolution: Share of the bound within which some number must come; None for a tenth. Pass `UNSHARP` where the bound need
            not be sharp; the verdict is then marked ``loose``.

    Raises:
        ValueError: Another side, floats without a floor, or shapes that differ.

    >>> verdict = judge_bound([0.2, 0.99], 1.0, floor=1e-15)
    >>> verdict.outcome.value, round(verdict.worst.tightness, 2)
    ('SUPPORTED', 0.99)
    """
    if side not in ("at most", "at least"):
        raise ValueError(f"side={side!r}: expected 'at most' or 'at least'")
    return _distance(Relation(side), numbers, limit, floor, resolution)


def judge_trend(successes: Any, *, typical: bool = True) -> Verdict:
    """Judge whether the typical seed succeeds (or fails), by exact binomial limits over independent seeds.

    Args:
        successes: Whether each seed succeeded, shape (seeds,), or (conditions, seeds) where every condition is to be so.
        typical: The prediction: True for "the typical seed succeeds", False for "it fails".

    Raises:
        ValueError: The array has no axis of seeds, or more than one axis besides.

    >>> judge_trend([True] * 12).outcome.value, judge_trend([True, False] * 6).outcome.value
    ('SUPPORTED', 'INCONCLUSIVE')
    """
    array = np.asarray(successes, float)
    if array.ndim not in (1, 2):
        raise ValueError(f"successes have shape {array.shape}: expected (seeds,) or (conditions, seeds)")
    data = {"condition": np.arange(len(array))} if array.ndim == 2 else {}
    dims = "condition seed" if array.ndim == 2 else "seed"
    return judge(claim(Relation.TREND), Prediction(typical), measured(**data, measured=Quantity(array, dims)))


def _distance(relation: Relation, numbers: Any, predicted: Any, floor: Any, resolution: float | int | None) -> Verdict:
    values = np.asarray(numbers)
    if floor is None and values.dtype.kind in "fc":
        raise ValueError("the numbers are rounded: say what rounding alone explains by floor=..., 0.0 where nothing is rounded")
    dims = [f"axis{number}" for number in range(values.ndim)]
    expected = np.asarray(predicted, dtype=object)
    if expected.ndim and expected.shape != values.shape:
        raise ValueError(
            f"numbers have shape {values.shape} and predictions {expected.shape}: expected the same, or one number"
        )
    apart = None if resolution is None else float(resolution)
    said = Prediction(predicted, dims=tuple(dims) if expected.ndim else (), resolution=apart)
    return judge(claim(relation), said, measured(measured=Quantity(values, " ".join(dims), floor=floor)))

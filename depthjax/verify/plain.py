"""The judge for numbers that somebody already has: no claim, no grid, no run directory.

Each function holds measured numbers against a prediction and returns a `Verdict`, judged exactly as a claim's quantities are.
``verdict.outcome`` is the answer, ``verdict.worst`` the finding behind it, and ``print(verdict)`` says both in a line. A
notebook adds the table of findings and the figure; ``vars(verdict)`` is all of it, raw.
"""

import dataclasses
import math
import numbers as numbers_abc
from typing import Any

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.arrays import array_of
from depthjax.verify.claim import claim
from depthjax.verify.judge import judge
from depthjax.verify.prediction import Prediction
from depthjax.verify.quantity import Quantity, measured
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Verdict


@dataclasses.dataclass(frozen=True, repr=False)
class JudgedNumbers(Verdict):
    """A verdict that keeps what was judged, so that a notebook draws it.

    Attributes:
        relation: What was asked.
        said: The prediction.
        data: The numbers, a dataset over ``cell``.

    >>> judge_equal([2, 3], 2)
    REFUTED: measured is 3, predicted 2: differs by 1, the budget is 0
    """

    relation: Relation | None = dataclasses.field(default=None, compare=False)
    said: Prediction | None = dataclasses.field(default=None, compare=False)
    data: xr.Dataset | None = dataclasses.field(default=None, compare=False)


def judge_order(
    steps: Any,
    errors: Any,
    exponent: Any,
    *,
    floor: Any = None,
    constant: Any = None,
    at_least: bool = False,
    resolution: Any = 1.0,
) -> JudgedNumbers:
    """Judge whether errors fall as ``constant * step**exponent`` while the steps shrink.

    Args:
        steps: Step sizes, shape (n,), in any order; sorted they shrink by one ratio, as h, h/2, h/4, ... do. At least six that
            span a factor of sixteen are needed, and of steps that shrink by less than sqrt(2) only some are used.
        errors: The size of the error at each step, shape (n,): absolute values, or norms.
        exponent: The predicted order.
        floor: What rounding alone explains of each error, a number or shape (n,); None for four units in the last place.
        constant: The predicted leading constant; None where none is predicted.
        at_least: The order is predicted to be ``exponent`` or higher.
        resolution: Distance to the nearest other order; the verdict is INCONCLUSIVE where the data cannot tell it apart.

    Raises:
        TypeError: An argument is text, a truth value where a number is expected, or no number at all.
        ValueError: The steps are not positive, distinct and geometric, an error is negative, or the shapes differ.

    >>> h = 0.5 ** np.arange(8)
    >>> print(judge_order(h, 3 * h**2, 2, constant=3))
    SUPPORTED: error has order 2, predicted 2
    >>> judge_order(h, h**1.5, 2).outcome.value
    'REFUTED'
    """
    steps, errors = _reals("steps", steps).astype(float), _sizes("errors", errors)
    if steps.ndim != 1 or errors.shape != steps.shape:
        raise ValueError(f"steps have shape {steps.shape} and errors {errors.shape}: expected one error for each step")
    leading = None if constant is None else _number("constant", constant)
    said = Prediction(
        _number("exponent", exponent),
        of="error",
        constant=leading,
        one_sided=_truth("at_least", at_least),
        resolution=_number("resolution", resolution),
    )
    data = measured(step=steps, error=Quantity(errors, "step", floor=0.0 if floor is None else _numbers("floor", floor)))
    return _judged(Relation.ORDER, said, data)


def judge_equal(numbers: Any, predicted: Any, *, floor: Any = None, resolution: Any = None) -> JudgedNumbers:
    """Judge whether numbers equal predicted ones: integers and fractions exactly, others within their rounding floor.

    Args:
        numbers: Any shape; integers of any size, fractions, floats or complex numbers.
        predicted: A number, or the same shape.
        floor: What rounding alone explains; floats need one (0.0 where nothing is rounded).
        resolution: Distance to the nearest other prediction; None for that of the judge (1 between integers).

    Raises:
        TypeError: An argument holds something else than numbers.
        ValueError: Floats come without a floor, or the shapes differ.

    >>> judge_equal([2, 3, 5], [2, 3, 5]).outcome.value, judge_equal(0.1 + 0.2, 0.3, floor=1e-15).outcome.value
    ('SUPPORTED', 'SUPPORTED')
    >>> print(judge_equal([2, 3, 6], [2, 3, 5]))
    REFUTED: measured is 6, predicted 5: differs by 1, the budget is 0
    """
    return _distance(Relation.EQUALS, numbers, predicted, floor, resolution)


def judge_bound(numbers: Any, limit: Any, *, side: str = "at most", floor: Any = None, resolution: Any = None) -> JudgedNumbers:
    """Judge whether numbers keep to a bound, and come near it.

    Args:
        numbers: Any shape.
        limit: A number, or the same shape.
        side: "at most" or "at least".
        floor: What rounding alone explains; floats need one (0.0 where nothing is rounded).
        resolution: Share of the bound within which some number must come; None for a tenth. Pass `UNSHARP` where the bound need
            not be sharp; the verdict is then marked ``loose``.

    Raises:
        TypeError: An argument holds something else than numbers.
        ValueError: Another side, floats without a floor, or shapes that differ.

    >>> verdict = judge_bound([0.2, 0.99], 1.0, floor=1e-15)
    >>> verdict.outcome.value, round(verdict.worst.tightness, 2)
    ('SUPPORTED', 0.99)
    """
    if side not in ("at most", "at least"):
        raise ValueError(f"side={side!r}: expected 'at most' or 'at least'")
    return _distance(Relation(side), numbers, limit, floor, resolution)


def judge_trend(successes: Any, *, typical: bool = True) -> JudgedNumbers:
    """Judge whether the typical seed succeeds (or fails), by exact binomial limits over independent seeds.

    No data show that seeds are independent, so the verdict names it among its ``hypotheses``.

    Args:
        successes: Whether each seed succeeded, truth values or the numbers 0 and 1, shape (seeds,), or (conditions, seeds)
            where every condition is to be so.
        typical: The prediction: True for "the typical seed succeeds", False for "it fails".

    Raises:
        TypeError: An argument holds something else than truth values and numbers.
        ValueError: The array has no axis of seeds, or more than one axis besides, or a number is neither 0 nor 1.

    >>> judge_trend([True] * 12).outcome.value, judge_trend([True, False] * 6).outcome.value
    ('SUPPORTED', 'INCONCLUSIVE')
    >>> judge_trend([True] * 12).hypotheses
    ('the seeds are independent',)
    """
    array = _reals("successes", successes).astype(float)
    if array.ndim not in (1, 2):
        raise ValueError(f"successes have shape {array.shape}: expected (seeds,) or (conditions, seeds)")
    other = array[np.isfinite(array) & (array != 0) & (array != 1)]
    if other.size:
        raise ValueError(
            f"successes hold {other[0]:g}: expected whether each seed succeeded, true or false, 1 or 0; compare scores with a "
            "threshold first, as in scores > 0.9"
        )
    data = {"condition": np.arange(len(array))} if array.ndim == 2 else {}
    dims = "condition seed" if array.ndim == 2 else "seed"
    return _judged(Relation.TREND, Prediction(_truth("typical", typical)), measured(**data, measured=Quantity(array, dims)))


def _distance(relation: Relation, numbers: Any, predicted: Any, floor: Any, resolution: Any) -> JudgedNumbers:
    values = _numbers("numbers", numbers)
    if floor is None and dtypes.is_inexact(values.dtype):
        raise ValueError("the numbers are rounded: say what rounding alone explains by floor=..., 0.0 where nothing is rounded")
    dims = [f"axis{number}" for number in range(values.ndim)]
    expected = _numbers("predicted", predicted)
    if expected.ndim and expected.shape != values.shape:
        raise ValueError(
            f"numbers have shape {values.shape} and predictions {expected.shape}: expected the same, or one number"
        )
    apart = None if resolution is None else _number("resolution", resolution)
    said = Prediction(expected, dims=tuple(dims) if expected.ndim else (), resolution=apart)
    room = None if floor is None else _numbers("floor", floor)
    return _judged(relation, said, measured(measured=Quantity(values, " ".join(dims), floor=room)))


def _judged(relation: Relation, said: Prediction, data: xr.Dataset) -> JudgedNumbers:
    verdict = judge(claim(relation), said, data)
    whole = data if "cell" in data.dims else data.expand_dims("cell")
    return JudgedNumbers(**vars(verdict), relation=relation, said=said, data=whole)


def _numbers(name: str, given: Any) -> np.ndarray:
    """Numbers as an array: those of numpy and JAX in their own type, Python's exact ones as objects where they need it."""
    if np.ma.is_masked(given):
        raise ValueError(
            f"{name} has masked entries: expected measured numbers; leave the others out, as in values.compressed()"
        )
    try:
        array = array_of(given)
    except ValueError as error:  # rows of several lengths
        raise ValueError(f"{name} = {given!r:.60}: expected one array, rows of one length") from error
    if dtypes.is_floating(array.dtype) and not hasattr(given, "dtype"):
        entries = np.asarray(given, dtype=object)
        if all(isinstance(entry, int) for entry in entries.flat):  # integers that no type of numpy holds together
            array = entries
    held = dtypes.number(array.dtype)
    if held is None and array.dtype == object:
        wrong = [entry for entry in array.flat if not isinstance(entry, (numbers_abc.Number, np.generic))]
        if not wrong:
            return array
        raise TypeError(
            f"{name} holds {wrong[0]!r:.60}: expected numbers; a missing value is NaN, and makes a verdict INCONCLUSIVE"
        )
    if held is None:
        raise TypeError(
            f"{name} = {given!r:.60} holds entries of type {array.dtype}: expected numbers; text is never read as one"
        )
    return array


def _reals(name: str, given: Any) -> np.ndarray:
    array = _numbers(name, given)
    if dtypes.is_complex(array.dtype) or (array.dtype == object and any(isinstance(entry, complex) for entry in array.flat)):
        raise TypeError(f"{name} = {given!r:.60} holds complex numbers: expected real ones, which have an order")
    return array


def _sizes(name: str, given: Any) -> np.ndarray:
    array = _reals(name, given)
    if below := [entry for entry in array.flat if -math.inf < entry < 0]:
        raise ValueError(f"{name} holds {float(below[0]):g}: expected sizes, 0 or more; take absolute values, or a norm")
    return array


def _number(name: str, given: Any) -> float:
    array = _numbers(name, given)
    if array.ndim or array.dtype == bool or dtypes.is_complex(array.dtype):
        raise TypeError(f"{name} = {given!r:.60}: expected one real number")
    return float(array.item())


def _truth(name: str, given: Any) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise TypeError(f"{name} = {given!r:.60}: expected True or False")
    return bool(given)

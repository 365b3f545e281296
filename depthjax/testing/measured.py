"""Laws about measured numbers: they keep to a bound, and errors have an order."""

from __future__ import annotations

from typing import Any

import numpy as np

from depthjax import dtypes
from depthjax.arrays import array_of
from depthjax.testing.network import shown, unlike
from depthjax.verify.plain import judge_order
from depthjax.verify.verdict import Outcome


def within(bound: Any, measured: Any, **numbers: Any) -> None:
    """Assert that measured numbers keep to a bound.

    Args:
        bound: Has ``at(**numbers)`` and perhaps ``side``: "above" (the default) bounds from above, "below" from below, and
            "exact" is an equality, in the first half of the digits. The bounds of `theory.bounds` do.
        measured: A number or an array.
        numbers: The parameters of the bound, numbers or arrays that broadcast against `measured`.

    Raises:
        AssertionError: A number breaks the bound; the message names the first, its parameters and the bound there. NaN does.
        ValueError: The parameters are outside the hypotheses of the bound (from ``at``), or the shapes do not broadcast.
        TypeError: The bound has no method ``at``, or what was measured is no real number.

    >>> class Square:
    ...     side = "above"
    ...     def at(self, mass):
    ...         return np.asarray(mass) ** 2
    >>> within(Square(), [0.9, 3.5], mass=np.array([1.0, 2.0]))
    >>> within(Square(), [0.9, 4.5], mass=np.array([1.0, 2.0]))
    Traceback (most recent call last):
    AssertionError: measured 4.5 at index (1,), mass=2, but the bound from above is 4: 1.125 times as much
    """
    at, side = getattr(bound, "at", None), getattr(getattr(bound, "answer", bound), "side", "above")
    if not callable(at):
        raise TypeError(f"bound = {bound!r:.60}: expected an object with at(**numbers), such as theory.bounds.magnus(order=4)")
    if side not in ("above", "below", "exact"):
        raise ValueError(f"side = {side!r}: a bound is from 'above', from 'below', or 'exact'")
    real = _real("measured", measured)
    limits = np.asarray(at(**numbers), float)
    try:
        found, limits = np.broadcast_arrays(real, limits)
    except ValueError:
        raise ValueError(
            f"measured has shape {np.shape(measured)} and the bound {limits.shape}: expected shapes that broadcast, one "
            "measurement for each set of parameters"
        ) from None
    kept = {"above": found <= limits, "below": found >= limits, "exact": ~unlike(found, limits)}[side]
    if kept.all():
        return
    place = tuple(int(i) for i in np.argwhere(~kept)[0])
    given = {name: np.broadcast_to(np.asarray(value), found.shape)[place] for name, value in numbers.items()}
    ratio = f": {shown(found[place] / limits[place])} times as much" if limits[place] else ""
    kind = "value" if side == "exact" else f"bound from {side}"
    where = ", ".join(f"{name}={shown(value)}" for name, value in given.items()) or "as given"
    raise AssertionError(
        f"measured {shown(found[place])} at index {place}, {where}, but the {kind} is {shown(limits[place])}{ratio}"
    )


def order(
    error: Any, exponent: int | float, steps: Any, *, constant: int | float | None = None, at_least: bool = False
) -> None:
    """Assert that an error falls as ``step**exponent``; `depthjax.verify.judge_order` decides.

    Args:
        error: ``error(step)``, or the errors, one for each step.
        exponent: The expected order.
        steps: Step sizes that shrink by one ratio.
        constant: The expected leading constant; None for any.
        at_least: A higher order will do.

    Raises:
        AssertionError: The order is another one, or the errors do not decide; the message says what was found.
        ValueError: The steps are not positive, distinct and geometric, or there is not one error for each.
        TypeError: Steps or errors are no real numbers.

    >>> order(lambda h: abs(np.sin(h) - h), 3, 0.5 ** np.arange(3, 9))
    >>> order(lambda h: abs(np.sin(h) - h), 2, 0.5 ** np.arange(3, 9))
    Traceback (most recent call last):
    AssertionError: error has order 3, predicted 2... The errors at the three smallest steps are ...
    """
    steps = _real("steps", steps)
    errors = (
        np.array([_error(error(step), step) for step in steps.ravel().tolist()]) if callable(error) else _real("error", error)
    )
    verdict = judge_order(steps, errors, exponent, constant=constant, at_least=at_least)
    if verdict.outcome is not Outcome.SUPPORTED:
        text = str(verdict).partition(": ")[2] or str(verdict)
        finest = np.argsort(steps)[:3]
        pairs = ", ".join(f"{shown(errors[i])} at {shown(steps[i])}" for i in finest)
        raise AssertionError(f"{text}. The errors at the three smallest steps are {pairs}")


def _real(name: str, given: Any) -> np.ndarray:
    """Measured numbers as floats.

    Raises:
        TypeError: They are no real numbers.
    """
    array = array_of(given)
    if dtypes.number(array.dtype) in (bool, int, float):
        return array.astype(float)
    try:
        if array.dtype == object:  # exact numbers of Python, as fractions
            return array.astype(float)
    except (TypeError, ValueError):
        pass
    raise TypeError(
        f"{name} = {given!r:.60}: expected real numbers, in arrays of one shape; take the size of others, as by abs"
    )


def _error(given: Any, step: float) -> float:
    """The error at a step.

    Raises:
        TypeError: It is not one real number.
    """
    if given is None or np.ndim(given):
        raise TypeError(f"error({step:g}) = {given!r:.60}: expected one number; take a norm of several")
    return float(_real("error", given))

"""The conversion of a user's values to exact numbers, in one place; text is refused.

sympy turns text into a number by running it as a program, and many of its functions do so without being asked. So a value from
a user reaches sympy, or a comparison, only through one of these functions. None of them reads text.
"""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
import sympy
from sympy.polys.polyclasses import ANP

__all__ = ["exact_entries", "exact_expression", "fraction", "integer", "nonnegative_number", "plain", "positive_integer"]


def integer(name: str, number: object, why: str, least: int | None = None) -> int:
    """Return the number as a Python integer, whatever its width was; `why` tells the user what the integer counts.

    Raises:
        ValueError: The value is not an integer (a truth value is not one), or it is less than `least`.

    >>> integer("order", np.int8(3), "the last degree"), type(integer("order", np.int8(3), "the last degree"))
    (3, <class 'int'>)
    """
    whole = isinstance(number, (int, np.integer, sympy.Integer)) and not isinstance(number, bool)
    if not whole or (least is not None and number < least):  # type: ignore[operator]
        expected = "an integer" if least is None else f"an integer >= {least}"
        raise ValueError(f"{name} = {number!r}: expected {expected}, {why}.")
    return int(number)  # type: ignore[call-overload]


def positive_integer(name: str, number: object, why: str) -> int:
    """Return the number as a Python integer if it is an integer >= 1; arguments and errors as for `integer`."""
    return integer(name, number, why, least=1)


def fraction(name: str, number: object) -> Fraction:
    """Return a rational number as a Fraction of Python integers; a float becomes the binary fraction that it stands for.

    Raises:
        ValueError: The value is text, or anything else that is not a finite rational number.

    >>> fraction("weight", np.int64(3)), fraction("weight", 0.75), fraction("weight", sympy.Rational(1, 3))
    (Fraction(3, 1), Fraction(3, 4), Fraction(1, 3))
    """
    if isinstance(number, (Rational, np.integer, sympy.Rational)):
        # numpy's integers are their own numerators, and would overflow inside a Fraction
        return Fraction(int(number.numerator), int(number.denominator))  # type: ignore[union-attr]
    if hasattr(number, "__float__") and not isinstance(number, (str, bytes, sympy.Basic)) and np.ndim(number) == 0:  # type: ignore[arg-type]
        value: Any = number.item() if hasattr(number, "item") else number  # type: ignore[union-attr]
        if isinstance(value, int) and not isinstance(value, bool):
            return Fraction(value)
        if not isinstance(value, (bool, complex)) and hasattr(value, "__float__") and math.isfinite(value := float(value)):
            return Fraction(value)
    raise _refusal(name, number, "a finite rational number (an int, a Fraction or a float)")


def exact_expression(name: str, number: object) -> sympy.Expr:
    """Return a sympy expression unchanged, and any other number as the sympy expression of its exact value.

    Raises:
        ValueError: The value is text, or anything else that is neither a number nor a sympy expression.

    >>> exact_expression("amount", Fraction(1, 3)), exact_expression("amount", sympy.sqrt(2)), exact_expression("amount", 0.5)
    (1/3, sqrt(2), 1/2)
    """
    if isinstance(number, sympy.Expr):
        return number
    if isinstance(number, (complex, np.complexfloating)) and not isinstance(number, (float, np.floating)):
        real, imaginary = (exact_expression(name, part) for part in (number.real, number.imag))
        return real + sympy.I * imaginary
    value = fraction(name, number)
    return sympy.Rational(value.numerator, value.denominator)


def nonnegative_number(name: str, number: object) -> sympy.Expr:
    """Return a finite, non-negative number (a norm, a mass, a step size) as an exact sympy number.

    Raises:
        ValueError: The value is not a number, not finite, or negative.
    """
    try:
        exact = sympy.nan if isinstance(number, (bool, np.bool_)) else exact_expression(name, number)
    except ValueError:
        exact = sympy.nan
    if isinstance(exact, sympy.Float):
        exact = sympy.Rational(exact)
    if not exact.is_real or not exact.is_finite or not exact.is_number or exact < 0:
        raise ValueError(
            f"{name} = {number!r}: expected a finite number >= 0, because it measures a size (a norm, a mass, a step). "
            f"Give a finite, non-negative {name}."
        )
    return exact


def exact_entries(name: str, values: Any) -> np.ndarray:
    """Return an array of exact numbers: of an integer type, or of Python integers, Fractions and sympy numbers (dtype object).

    Floats are accepted if they are integers below 2^53, because such floats are not rounded.

    Raises:
        ValueError: A value is text, a rounded number, or anything else that is no exact number; the error names the first one.

    >>> exact_entries("x", [1, Fraction(1, 2)]).tolist(), exact_entries("x", [2.0, 2**70]).tolist()
    ([1, Fraction(1, 2)], [2, 1180591620717411303424])
    """
    raw = plain(values) if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if np.issubdtype(raw.dtype, np.integer):
        return raw
    if (
        np.issubdtype(raw.dtype, np.floating)
        and bool(np.all(raw == np.rint(raw)))
        and float(np.abs(raw).max(initial=0)) < 2**53
    ):
        return raw.astype(np.int64)
    if raw.dtype != object:
        raise ValueError(
            f"{name}: entries of type {raw.dtype}: expected integers, Fractions or sympy numbers, because the answer is exact "
            "(a rounded entry describes another object). Convert floats with Fraction or sympy.nsimplify."
        )
    result = np.empty(raw.shape, object)
    flat = result.reshape(-1)
    for index, entry in enumerate(raw.ravel()):
        flat[index] = entry if type(entry) in (int, Fraction) else _exact_entry(name, entry)
    return result


def plain(array: np.ndarray) -> np.ndarray:
    """Return the array in a type of numpy: the numbers of another library's types, as bfloat16 and int4 are, as Python's.

    To numpy such types hold raw bytes, so no question about numbers gets an answer before this.
    """
    return array if array.dtype.type.__module__ == "numpy" else np.array(array.tolist()).reshape(array.shape)


def _exact_entry(name: str, entry: object) -> Any:
    if isinstance(entry, (bool, np.bool_)):
        return int(entry)
    if isinstance(entry, (int, np.integer)):
        return int(entry)
    if isinstance(entry, Rational):
        return fraction(name, entry)
    if isinstance(entry, (float, np.floating)) and entry == np.rint(entry) and abs(entry) < 2**53:
        return int(entry)
    if isinstance(entry, (sympy.Expr, ANP)):
        return entry
    raise _refusal(name, entry, "integers, Fractions or sympy numbers, because the answer is exact")


def _refusal(name: str, given: object, expected: str) -> ValueError:
    text = repr(given)
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    reason = " Text is never read as a number here: convert it first." if isinstance(given, (str, bytes)) else ""
    return ValueError(f"{name} = {shown}: expected {expected}.{reason}")

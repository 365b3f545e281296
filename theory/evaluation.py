"""The value of a formula at exact numbers, to float precision and rounded to the side on which a bound stays a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import mpmath
import sympy

__all__ = ["evaluated", "rounded"]

_SETTLED = mpmath.mpf(10) ** -20  # relative distance below which two results of different precision agree
_MOST_DIGITS = 10**5


def evaluated(expr: sympy.Expr, values: Mapping[Any, Any], side: str) -> float:
    """Return the expression at these exact values, rounded as `rounded` does.

    The number of digits is doubled until two results agree, so cancellation costs time and not accuracy.

    Raises:
        ArithmeticError: The results do not agree within 100,000 digits.
        ValueError: The value is too large for a float.
    """
    symbols = tuple(sorted(expr.free_symbols, key=str))
    function = _compiled(symbols, expr)
    # Enough digits to tell an integer from its neighbours' logarithms, where a ceiling jumps.
    digits, before = 30 + 3 * max((_length(values[symbol]) for symbol in symbols), default=0), None
    while digits < _MOST_DIGITS:
        with mpmath.workdps(digits):
            value = mpmath.mpf(function(*(_digits(values[symbol], digits) for symbol in symbols)))
            if before is not None and abs(value - before) <= abs(value) * _SETTLED:
                return rounded(value, side)
        digits, before = 2 * digits, value
    raise ArithmeticError(f"{expr} does not settle within {digits} digits")


def rounded(value: Any, side: str) -> float:
    """Return an mpmath number as a float: up for ``"above"``, down for ``"below"``, to nearest for ``"exact"``.

    A number within 1e-20 (relative) of a float becomes that float, whatever the side. ``"exact"`` never rounds to zero.

    Raises:
        ValueError: The value is too large for a float.

    >>> rounded(mpmath.mpf(1) / 4, "above"), rounded(mpmath.mpf("1e-400"), "above"), rounded(mpmath.mpf("1e-400"), "below")
    (0.25, 5e-324, 0.0)
    """
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf
    if mpmath.isfinite(value) and math.isinf(nearest):
        raise ValueError(f"the value, about {mpmath.nstr(value, 3)}, is too large for a float; ask for its formula, `expr`.")
    gap = mpmath.mpf(nearest) - value if mpmath.isfinite(value) else 0
    if abs(gap) <= abs(value) * _SETTLED:
        return nearest
    if side == "exact":
        return nearest or math.copysign(math.ulp(0.0), value)
    if side == "above":
        return nearest if gap > 0 else math.nextafter(nearest, math.inf)
    return nearest if gap < 0 else math.nextafter(nearest, -math.inf)


def _length(value: sympy.Expr) -> int:
    """Return the number of digits that an exact number is written with."""
    return 1 + max(abs(int(value.p)), int(value.q)).bit_length() * 3 // 10 if isinstance(value, sympy.Rational) else 15


def _digits(value: sympy.Expr, digits: int) -> Any:
    if isinstance(value, sympy.Rational):
        return mpmath.mpf(value.p) / value.q
    return mpmath.mpf(value.evalf(digits + 5)._mpf_)  # type: ignore[attr-defined]


@lru_cache(maxsize=256)
def _compiled(symbols: tuple[sympy.Symbol, ...], expr: sympy.Expr) -> Callable[..., Any]:
    return sympy.lambdify(symbols, expr, modules=[{"ceiling": _ceiling}, "mpmath"])


def _ceiling(x: Any) -> Any:
    """Return the ceiling, where a number counts as an integer if half of its digits say so.

    sympy's own ceiling is wrong at log(2^31 + 1) / log(2).
    """
    nearest = mpmath.nint(x)
    return nearest if abs(x - nearest) < mpmath.mpf(10) ** (-mpmath.mp.dps // 2) else mpmath.ceil(x)

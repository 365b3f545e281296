"""The value of a formula at exact numbers, to float precision and rounded to the side on which a bound stays a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import mpmath
import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

__all__ = ["decided", "evaluated", "rounded"]

_SETTLED = mpmath.mpf(10) ** -20  # relative distance below which two results of different precision agree
_MOST_DIGITS = 10**5
_SHOWN = 30  # characters of a number in a message
_LARGEST_POWER = 2**64  # beyond it a power is taken by a logarithm
_TRUTHS: dict[type[Relational], Callable[[int], bool]] = {
    sympy.Lt: lambda sign: sign < 0,
    sympy.Le: lambda sign: sign <= 0,
    sympy.Gt: lambda sign: sign > 0,
    sympy.Ge: lambda sign: sign >= 0,
    sympy.Eq: lambda sign: sign == 0,
    sympy.Ne: lambda sign: sign != 0,
}


def decided(condition: Boolean, values: Mapping[Any, Any]) -> bool:
    """Return whether a condition holds at these exact values.

    Sides that differ are compared in floating point, with as many digits as it takes. So no power is written out, and no size
    is too large. Sides that agree to thirty digits or more are compared by sympy, and are equal if it cannot tell.

    >>> x = sympy.Symbol("x", positive=True)
    >>> decided(2**x > 10**9, {x: sympy.Integer(10**30)}), decided(x < sympy.Rational(1, 3), {x: sympy.Rational(1, 3)})
    (True, False)
    """
    if isinstance(condition, (sympy.And, sympy.Or)):
        parts = (decided(part, values) for part in condition.args)  # type: ignore[arg-type]
        return all(parts) if isinstance(condition, sympy.And) else any(parts)
    if isinstance(condition, sympy.Not):
        return not decided(condition.args[0], values)  # type: ignore[arg-type]
    if type(condition) not in _TRUTHS:
        return bool(condition.subs(values))
    sign = _compared(condition.lhs, condition.rhs, values)  # type: ignore[attr-defined]
    if sign is None:
        exact = condition.subs(values)
        sign = 0 if isinstance(exact, Relational) else None
        if sign is None:
            return bool(exact)
    return _TRUTHS[type(condition)](sign)  # type: ignore[index]


def _compared(left: sympy.Expr, right: sympy.Expr, values: Mapping[Any, Any]) -> int | None:
    """Return the sign of left - right, or None if half of their digits agree, or if they are no real numbers."""
    if any(side in (sympy.oo, -sympy.oo, sympy.nan, sympy.zoo) for side in (left, right)):
        return None
    symbols = tuple(sorted(left.free_symbols | right.free_symbols, key=str))
    functions = [_compiled(symbols, sympy.sympify(side)) for side in (left, right)]
    digits = 60 + 3 * max((_length(values[symbol]) for symbol in symbols), default=0)
    with mpmath.workdps(digits):
        given = [_digits(values[symbol], digits) for symbol in symbols]
        a, b = (mpmath.mpmathify(function(*given)) for function in functions)
        if not (isinstance(a, mpmath.mpf) and isinstance(b, mpmath.mpf) and mpmath.isfinite(a) and mpmath.isfinite(b)):
            return None
        if abs(a - b) <= max(abs(a), abs(b)) * mpmath.mpf(10) ** -(digits // 2):
            return None
        return 1 if a > b else -1


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
        shown = str(mpmath.nstr(value, 3))
        if len(shown) > _SHOWN:  # its exponent has hundreds of digits
            shown = f"{'-' * (value < 0)}10^({mpmath.nstr(mpmath.log10(abs(value)), 3)})"
        raise ValueError(f"the value, about {shown}, is too large for a float; ask for its formula, `expr`.")
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
    huge = {
        power: sympy.Function("huge_power")(power.base, power.exp)
        for power in expr.atoms(sympy.Pow)
        if power.exp.is_Integer and abs(power.exp) > _LARGEST_POWER and power.base.is_nonnegative
    }
    own = {"ceiling": _ceiling, "floor": _floor, "hyper": _hyper, "huge_power": _huge_power}
    return sympy.lambdify(symbols, expr.xreplace(huge), modules=[own, "mpmath"])


def _huge_power(base: Any, exponent: int) -> Any:
    """Return a power by a logarithm that has as many more digits as the exponent.

    mpmath squares a number at that many digits once for each binary digit of the exponent, which takes their third power.
    """
    with mpmath.workprec(mpmath.mp.prec + 10 + int(exponent).bit_length()):
        return mpmath.exp(exponent * mpmath.log(base))


def _ceiling(x: Any) -> Any:
    """Return the ceiling, where a number counts as an integer other than zero if half of its digits say so.

    sympy's own ceiling is wrong at log(2^31 + 1) / log(2). A number near zero has all its digits, however small it is.
    """
    nearest = mpmath.nint(x)
    return nearest if abs(x - nearest) < abs(x) * mpmath.mpf(10) ** (-mpmath.mp.dps // 2) else mpmath.ceil(x)


def _floor(x: Any) -> Any:
    return -_ceiling(-x)


def _hyper(above: Any, below: Any, z: Any) -> Any:
    """Return a hypergeometric value; of a polynomial 2F1(-n, -n; 1; z) with positive terms only those that count.

    The k-th term grows as long as k < n sqrt(z) / (1 + sqrt(z)), and falls faster than a geometric series from twice that on.
    A sum beyond all floats is not finished: its leading term (1 + sqrt(z))^(2 n + 1) / (2 sqrt(pi n sqrt(z))) stands for it.
    """
    if not (
        len(above) == 2 and above[0] == above[1] and list(below) == [1] and above[0] < 0 and z >= 0 and mpmath.isint(above[0])
    ):
        return mpmath.hyper(above, below, z)
    n, term, total, k = -int(above[0]), mpmath.mpf(1), mpmath.mpf(1), 0
    while term > total * mpmath.eps or k * (1 + mpmath.sqrt(z)) < n * mpmath.sqrt(z):
        term *= z * (mpmath.mpf(n - k) / (k + 1)) ** 2
        total, k = total + term, k + 1
        if total > mpmath.mpf(10) ** 1000:
            root = mpmath.sqrt(z)
            return (1 + root) ** (2 * n + 1) / (2 * mpmath.sqrt(mpmath.pi * n * root))
    return total

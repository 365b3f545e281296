"""The one type of a bound: a formula, the hypotheses it needs, and where it comes from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from numbers import Rational
from typing import Any, Literal

import mpmath
import sympy
from sympy.logic.boolalg import Boolean

from theory.checks import exact_expression, integer, positive_integer
from theory.checks import nonnegative_number as exact_number
from theory.errors import OutsideHypotheses

__all__ = ["Bound", "Hypothesis", "Number", "exact_number", "integer", "positive_integer"]

Number = int | float | Rational | sympy.Expr


@dataclass(frozen=True)
class Hypothesis:
    """What a bound assumes.

    Attributes:
        statement: The assumption in plain words.
        condition: The same in the bound's parameters. ``sympy.true`` for what no number can decide (say, that a norm is
            submultiplicative): such a statement is taken as given, and says so.
    """

    statement: str
    condition: Boolean = sympy.true

    def __post_init__(self) -> None:
        if not isinstance(self.condition, (Boolean, bool)):
            raise ValueError(f"condition = {self.condition!r}: expected a sympy condition, because text is never read as one.")
        if isinstance(self.condition, bool):
            object.__setattr__(self, "condition", sympy.true if self.condition else sympy.false)

    def holds(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
        """Whether the condition holds at these values of the parameters."""
        return bool(self.condition.subs([(symbol, exact_expression(str(symbol), x)) for symbol, x in values.items()]))


@dataclass(frozen=True)
class Bound:
    """A bound: value, norm, hypotheses, source.

    Attributes:
        expr: The formula, in the symbols of the parameters.
        quantity: One line: what is bounded, in which norm.
        assumes: The hypotheses; ``at`` refuses to evaluate where one of them fails.
        source: Where the formula comes from.
        values: Parameters already given a number when the bound was built.
        order: For a statement of order alone (``O(eps^order)``, no constant), the exponent, which is what ``at()`` gives.
        side: What the number is, which says how ``at`` rounds it: ``"above"``, a bound from above or what suffices, is
            rounded up; ``"below"``, a bound from below or what is surely reached, down; ``"exact"``, the quantity itself, to
            nearest, though never to zero.

    >>> mass = sympy.Symbol("mass", nonnegative=True)
    >>> bound = Bound(mass**2, "a square", (Hypothesis("mass < 1", mass < 1),), "school")
    >>> bound.at(mass=0.5)
    0.25
    """

    expr: sympy.Expr
    quantity: str
    assumes: tuple[Hypothesis, ...]
    source: str
    values: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=dict)
    order: int | None = None
    side: Literal["above", "below", "exact"] = "above"

    def __post_init__(self) -> None:
        if not isinstance(self.expr, sympy.Basic):
            raise ValueError(f"expr = {self.expr!r}: expected a sympy expression, because text is never read as one.")
        values = {symbol: exact_expression(str(symbol), number) for symbol, number in self.values.items()}
        object.__setattr__(self, "values", values)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, in alphabetical order, those already given a number included."""
        return tuple(sorted(self._symbols()))

    def at(self, **numbers: Number) -> float:
        """The bound at these numbers: exact input, as many digits as cancellation asks for, rounded once, to its side.

        A bound from above that is too small for a float is the smallest positive float, never zero.

        A statement of order alone gives its exponent when no step size is given.

        Raises:
            OutsideHypotheses: a hypothesis fails; every failed one is listed.
            ValueError: a parameter is missing, unknown, not finite or negative; or the value is too large for a float.
        """
        if self.order is not None and not numbers and not self.values:
            return _rounded(mpmath.mpf(self.order), "exact")
        values = self._values(numbers)
        checks = self._check(values)
        if not all(holds for _, holds in checks):
            given = ", ".join(f"{symbol.name}={float(value):.6g}" for symbol, value in sorted(values.items(), key=str))
            raise OutsideHypotheses(f"the bound on {self.quantity}", checks, given=given or "this case")
        return _evaluated(self.expr, values, self.side)

    def check(self, **numbers: Number) -> list[tuple[str, bool]]:
        """Every hypothesis with whether it holds at these numbers; those without a condition are taken as given.

        Raises:
            ValueError: as for ``at``.
        """
        if self.order is not None and not numbers and not self.values:
            return [(hypothesis.statement, True) for hypothesis in self.assumes]
        return self._check(self._values(numbers))

    def latex(self) -> str:
        """The formula in LaTeX."""
        return sympy.latex(self.expr)

    def _check(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> list[tuple[str, bool]]:
        return [(hypothesis.statement, hypothesis.holds(values)) for hypothesis in self.assumes]

    def _symbols(self) -> dict[str, sympy.Symbol]:
        symbols = set(self.expr.free_symbols) | set(self.values)
        for hypothesis in self.assumes:
            symbols |= hypothesis.condition.free_symbols
        return {symbol.name: symbol for symbol in symbols}  # type: ignore[union-attr]

    def _values(self, numbers: Mapping[str, Number]) -> dict[sympy.Symbol, sympy.Expr]:
        symbols = self._symbols()
        unknown = sorted(set(numbers) - set(symbols))
        if unknown:
            raise ValueError(f"unknown parameter {', '.join(unknown)}: the bound has {', '.join(symbols) or 'none'}.")
        values = dict(self.values) | {symbols[name]: exact_number(name, number) for name, number in numbers.items()}
        missing = sorted(name for name, symbol in symbols.items() if symbol not in values)
        if missing:
            raise ValueError(f"missing parameter {', '.join(missing)}: the bound is a number only once it is given.")
        return values


def _evaluated(expr: sympy.Expr, values: Mapping[Any, Any], side: str) -> float:
    """The value to float precision: digits are doubled until two results agree."""
    symbols = tuple(sorted(expr.free_symbols, key=str))
    function = _compiled(symbols, expr)
    # Enough digits to tell an integer from its neighbours' logarithms, where a ceiling jumps.
    digits, before = 30 + 3 * max((_length(values[symbol]) for symbol in symbols), default=0), None
    while digits < 10**5:
        with mpmath.workdps(digits):
            value = mpmath.mpf(function(*(_digits(values[symbol], digits) for symbol in symbols)))
            if before is not None and abs(value - before) <= abs(value) * _SETTLED:
                return _rounded(value, side)
        digits, before = 2 * digits, value
    raise ArithmeticError(f"{expr} does not settle within {digits} digits")


def _length(value: sympy.Expr) -> int:
    """Digits that an exact number is written with."""
    return 1 + max(abs(int(value.p)), int(value.q)).bit_length() * 3 // 10 if isinstance(value, sympy.Rational) else 15


def _digits(value: sympy.Expr, digits: int) -> Any:
    if isinstance(value, sympy.Rational):
        return mpmath.mpf(value.p) / value.q
    return mpmath.mpf(value.evalf(digits + 5)._mpf_)  # type: ignore[attr-defined]


def _rounded(value: Any, side: str) -> float:
    """A number of many digits as a float: up, down or to nearest; one that is a float up to its rounding errors is that one."""
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


_SETTLED = mpmath.mpf(10) ** -20


@lru_cache(maxsize=256)
def _compiled(symbols: tuple[sympy.Symbol, ...], expr: sympy.Expr) -> Callable[..., Any]:
    return sympy.lambdify(symbols, expr, modules=[{"ceiling": _ceiling}, "mpmath"])


def _ceiling(x: Any) -> Any:
    """The ceiling of a number that is an integer if half of its digits say so (sympy's errs at log(2^31 + 1) / log(2))."""
    nearest = mpmath.nint(x)
    return nearest if abs(x - nearest) < mpmath.mpf(10) ** (-mpmath.mp.dps // 2) else mpmath.ceil(x)

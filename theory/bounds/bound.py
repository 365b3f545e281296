"""The one type of a bound: a formula, the hypotheses it needs, and where it comes from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from numbers import Rational
from typing import Any

import mpmath
import sympy
from sympy.logic.boolalg import Boolean

from theory.errors import OutsideHypotheses

__all__ = ["Bound", "Hypothesis", "Number"]

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

    def holds(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
        """Whether the condition holds at these values of the parameters."""
        return bool(self.condition.subs(list(values.items())))


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

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, in alphabetical order, those already given a number included."""
        return tuple(sorted(self._symbols()))

    def at(self, **numbers: Number) -> float:
        """The bound at these numbers: exact rational input, as many digits as cancellation asks for, rounded once.

        A statement of order alone gives its exponent when no step size is given.

        Raises:
            OutsideHypotheses: a hypothesis fails; every failed one is listed.
            ValueError: a parameter is missing, unknown, not finite or negative.
        """
        if self.order is not None and not numbers and not self.values:
            return float(self.order)
        values = self._values(numbers)
        checks = self._check(values)
        if not all(holds for _, holds in checks):
            given = ", ".join(f"{symbol.name}={float(value):.6g}" for symbol, value in sorted(values.items(), key=str))
            raise OutsideHypotheses(f"the bound on {self.quantity}", checks, given=given or "this case")
        return _evaluated(self.expr, values)

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


def _evaluated(expr: sympy.Expr, values: Mapping[Any, Any]) -> float:
    """The value to float precision: digits are doubled until two results agree."""
    symbols = tuple(sorted(expr.free_symbols, key=str))
    function = _compiled(symbols, expr)
    # Enough digits to tell an integer from its neighbours' logarithms, where a ceiling jumps.
    digits, before = 30 + 3 * max((len(str(max(values[symbol].p, values[symbol].q))) for symbol in symbols), default=0), None
    while digits < 10**5:
        with mpmath.workdps(digits):
            value = mpmath.mpf(function(*(mpmath.mpf(values[symbol].p) / values[symbol].q for symbol in symbols)))
            if before is not None and abs(value - before) <= abs(value) * mpmath.mpf(10) ** -20:
                return float(value)
        digits, before = 2 * digits, value
    raise ArithmeticError(f"{expr} does not settle within {digits} digits")


@lru_cache(maxsize=256)
def _compiled(symbols: tuple[sympy.Symbol, ...], expr: sympy.Expr) -> Callable[..., Any]:
    return sympy.lambdify(symbols, expr, modules=[{"ceiling": _ceiling}, "mpmath"])


def _ceiling(x: Any) -> Any:
    """The ceiling of a number that is an integer if half of its digits say so (sympy's errs at log(2^31 + 1) / log(2))."""
    nearest = mpmath.nint(x)
    return nearest if abs(x - nearest) < mpmath.mpf(10) ** (-mpmath.mp.dps // 2) else mpmath.ceil(x)


def exact_number(name: str, number: object) -> sympy.Expr:
    """A finite, non-negative number as an exact sympy one: norms, masses and step sizes are.

    Raises:
        ValueError: not a number, not finite, or negative.
    """
    if isinstance(number, sympy.Rational):
        exact = number
    elif isinstance(number, Rational):
        exact = sympy.Rational(number.numerator, number.denominator)
    elif isinstance(number, (int, float)) or hasattr(number, "__float__"):
        value = float(number)  # type: ignore[arg-type]
        exact = sympy.Rational(value) if math.isfinite(value) else None
    else:
        exact = None
    if exact is None or exact.is_negative:
        raise ValueError(
            f"{name} = {number!r}: expected a finite number >= 0, because it measures a size (a norm, a mass, a step). "
            f"Give a finite, non-negative {name}."
        )
    return exact


def positive_integer(name: str, number: object, why: str) -> int:
    """The number, when it is an integer >= 1.

    Raises:
        ValueError: otherwise; ``why`` says what the integer counts.
    """
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ValueError(f"{name} = {number!r}: expected an integer >= 1, {why}.")
    return number

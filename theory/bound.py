"""The type of a bound: a formula, the hypotheses that it needs, and its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Rational
from typing import Any, Literal

import mpmath
import numpy as np
import sympy
from sympy.logic.boolalg import Boolean

from theory.checks import exact_expression, nonnegative_number
from theory.errors import OutsideHypotheses
from theory.evaluation import decided, evaluated, rounded

__all__ = ["Assumption", "Bound", "Number", "Report", "given", "integral"]

GIVEN = "taken as given"
WIDEST = 120  # characters of a formula in the text of a bound

Number = int | float | Rational | sympy.Expr


@dataclass(frozen=True)
class Assumption:
    """An assumption of a bound.

    Attributes:
        statement: The assumption in words.
        condition: The same assumption as a condition on the parameters. An assumption that no number can decide (a norm is
            submultiplicative, say) has the condition ``sympy.true``, and its statement says "(taken as given)", or why it is,
            as in "(taken as given: no precision)".
    """

    statement: str
    condition: Boolean = sympy.true

    def __post_init__(self) -> None:
        if not isinstance(self.condition, (Boolean, bool)):
            raise ValueError(f"condition = {self.condition!r}: expected a sympy condition, because text is never read as one.")
        if isinstance(self.condition, bool):
            object.__setattr__(self, "condition", sympy.true if self.condition else sympy.false)

    @property
    def assumed(self) -> bool:
        """Whether the assumption is taken as given, because no number decides it."""
        return self.condition is sympy.true and GIVEN in self.statement

    def holds(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
        """Return whether the condition holds at these values of the parameters."""
        return decided(self.condition, {symbol: exact_expression(str(symbol), x) for symbol, x in values.items()})


@dataclass(frozen=True)
class Bound:
    """A bound on a quantity: formula, hypotheses and source.

    Attributes:
        expr: The formula, in the symbols of the parameters.
        quantity: The bounded quantity and its norm, in one line.
        assumes: The hypotheses. `at` refuses to evaluate the formula where one of them fails.
        source: The publication or derivation of the formula.
        values: The parameters that were given a number when the bound was built.
        order: The exponent of a statement of order alone (``O(eps^order)``, without a constant); `at` returns it when no
            number is given.
        side: How `at` rounds. ``"above"`` (an upper bound, or a number that suffices) rounds up, ``"below"`` (a lower bound,
            or a number that is surely reached) rounds down, and ``"exact"`` rounds to nearest, though never to zero.

    >>> mass = sympy.Symbol("mass", nonnegative=True)
    >>> bound = Bound(mass**2, "a square", (Assumption("mass < 1", mass < 1),), "school")
    >>> bound.at(mass=0.5), bound.at(mass=[0.5, 0.25]).tolist()
    (0.25, [0.25, 0.0625])
    """

    expr: sympy.Expr
    quantity: str
    assumes: tuple[Assumption, ...]
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
        """Names of all parameters in alphabetical order, including those that already have a value."""
        return tuple(sorted(self._symbols()))

    @property
    def open_parameters(self) -> tuple[str, ...]:
        """Names of the parameters that need a number before `at` has a value, in alphabetical order."""
        if self.order is not None and not self.values:
            return ()
        return tuple(sorted(set(self._symbols()) - {symbol.name for symbol in self.values}))

    def at(self, **numbers: Any) -> Any:
        """Return the bound at these numbers, computed exactly and rounded once, to the bound's side.

        Arrays and lists of numbers broadcast against each other, and give an array of floats; else the answer is a float.

        The working precision is doubled until two results agree. An upper bound that is too small for a float is rounded to
        the smallest positive float, never to zero.

        Raises:
            OutsideHypotheses: A hypothesis fails; the error lists every hypothesis that does.
            ValueError: A parameter is missing, unknown, negative or not finite, or the value is too large for a float.
        """
        if any(isinstance(number, (np.ndarray, list)) for number in numbers.values()):
            return self._at_each(numbers)
        if self.order is not None and not numbers and not self.values:
            return rounded(mpmath.mpf(self.order), "exact")
        values = self._values(numbers)
        checks = self._check(values)
        if not all(holds for _, holds in checks):
            shown = ", ".join(f"{symbol.name}={float(value):.6g}" for symbol, value in sorted(values.items(), key=str))
            raise OutsideHypotheses(f"the bound on {self.quantity}", checks, given=shown or "this case")
        return evaluated(self.expr, values, self.side)

    def check(self, **numbers: Number) -> list[tuple[str, bool]]:
        """Return every hypothesis and whether it holds at these numbers; one without a condition counts as holding.

        Raises:
            ValueError: As for `at`.
        """
        if self.order is not None and not numbers and not self.values:
            return [(hypothesis.statement, True) for hypothesis in self.assumes]
        return self._check(self._values(numbers))

    def latex(self) -> str:
        """Return the formula in LaTeX."""
        return sympy.latex(self.expr)

    def __repr__(self) -> str:
        formula = str(self.expr)
        return f"<Bound on {self.quantity}: {formula if len(formula) <= WIDEST else formula[:WIDEST] + ' ...'}>"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _at_each(self, numbers: Mapping[str, Any]) -> np.ndarray:
        try:
            arrays = np.broadcast_arrays(*(np.asarray(given, dtype=object) for given in numbers.values()))
        except ValueError as error:
            raise ValueError(f"{', '.join(numbers)}: expected arrays whose shapes broadcast: {error}") from None
        if any(isinstance(entry, list) for array in arrays for entry in array.flat):
            raise ValueError(f"{', '.join(numbers)}: expected rows of one length, because arrays of numbers are rectangular.")
        rows = zip(*(array.flat for array in arrays), strict=True)
        found = [self.at(**dict(zip(numbers, map(_plain, row), strict=True))) for row in rows]
        return np.array(found, dtype=float).reshape(arrays[0].shape)

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
        values = dict(self.values) | {symbols[name]: nonnegative_number(name, number) for name, number in numbers.items()}
        missing = sorted(name for name, symbol in symbols.items() if symbol not in values)
        if missing:
            raise ValueError(
                f"missing parameter {', '.join(missing)}: the bound has a value only once every parameter has one."
            )
        return values


def _plain(number: Any) -> Any:
    return number.item() if isinstance(number, np.generic) else number


class Report:
    """A description of an object from which a bound follows; a base class for dataclasses with a field ``bound``."""

    bound: Bound

    def at(self, **numbers: Any) -> Any:
        """Return the bound at these numbers; see `Bound.at`."""
        return self.answer.at(**numbers)

    def check(self, **numbers: Number) -> list[tuple[str, bool]]:
        """Return every hypothesis and whether it holds; see `Bound.check`."""
        return self.answer.check(**numbers)

    def latex(self) -> str:
        """Return the bound's formula in LaTeX."""
        return self.answer.latex()

    @property
    def expr(self) -> sympy.Expr:
        """The bound's formula."""
        return self.answer.expr

    @property
    def assumes(self) -> tuple[Assumption, ...]:
        """The bound's hypotheses."""
        return self.answer.assumes

    @property
    def quantity(self) -> str:
        """The bounded quantity and its norm, in one line."""
        return self.answer.quantity

    @property
    def source(self) -> str:
        """Where the bound is from."""
        return self.answer.source

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {getattr(self, 'statement', '') or self.answer}>"

    @property
    def answer(self) -> Bound:
        """The bound that was asked for."""
        return self.bound

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """Further facts worth printing beside the bound, also where it has no value: lines of text by title."""
        return {}


def given(numbers: Mapping[sympy.Symbol, Number | None]) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the symbols that have a number, with that number made exact; None leaves a symbol open.

    Raises:
        ValueError: A number is negative, not finite or not a number.
    """
    return {symbol: nonnegative_number(symbol.name, number) for symbol, number in numbers.items() if number is not None}


def integral(symbol: sympy.Symbol, least: int = 1) -> Assumption:
    """Return the hypothesis that a parameter is an integer and at least `least`.

    Raises:
        ValueError: The parameter is no symbol.
    """
    if not isinstance(symbol, sympy.Symbol):
        raise ValueError(f"symbol = {symbol!r}: expected a sympy symbol, because text is never read as one.")
    condition = sympy.Ge(symbol, least) & sympy.Eq(symbol, sympy.floor(symbol))
    return Assumption(f"{symbol.name} is an integer >= {least}", condition)

"""Sets of sizes from which a number can be drawn: an interval of real numbers, of integers or of numbers between integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Literal

import mpmath
import numpy as np
import sympy
from hypothesis import strategies as st
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

__all__ = ["LARGEST", "Numbers", "Piece", "simple_numbers"]

Numbers = Mapping[sympy.Symbol, Fraction]

LARGEST = 10**6
"""Largest number that is drawn from an interval without an upper end."""
SIMPLE = 24
"""Simple numbers from which one is drawn, where a condition has no solution formula."""


_FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}


@cache
def simple_numbers() -> tuple[Fraction, ...]:
    """Numbers at which a condition without a solution formula is tried, the simplest first."""
    integers = {*range(17), *(2**n for n in range(5, 41)), *(10**n for n in range(2, 7))}
    parts = {Fraction(1, 2**n) for n in range(1, 25)} | {Fraction(3, 2), Fraction(5, 2), Fraction(3, 4), Fraction(7, 8)}
    parts |= {Fraction(1, 10**n) for n in range(1, 7)} | {Fraction(1, 3), Fraction(2, 3)}
    return (*map(Fraction, sorted(integers)), *sorted(parts, key=lambda x: x.denominator))


@dataclass(frozen=True)
class Piece:
    """An interval of sizes.

    Attributes:
        low: The lower end, at least 0.
        high: The upper end; None where there is none.
        open_low: Whether the lower end is excluded.
        open_high: Whether the upper end is excluded.
        kind: "real" numbers, "integer" numbers, or numbers "between" integers.
        points: The only numbers that are drawn, where some condition has no solution formula; else None.
        width: Bits of a float, 16, 32 or 64: only numbers that such floats hold exactly are drawn, and no subnormal ones.
    """

    low: Fraction = Fraction(0)
    high: Fraction | None = None
    open_low: bool = False
    open_high: bool = False
    kind: Literal["real", "integer", "between"] = "real"
    points: tuple[Fraction, ...] | None = None
    width: int = field(default=64, repr=False)

    @classmethod
    def of(cls, symbol: sympy.Symbol, parts: Iterable[Boolean], known: Numbers, width: int = 64) -> Piece | None:
        """Return the sizes that meet all parts of a conjunction, the other symbols having values; None if a part fails.

        >>> x, y = sympy.symbols("x y")
        >>> Piece.of(x, [x < y, sympy.Eq(x, sympy.floor(x))], {y: Fraction(3)})
        Piece(low=Fraction(0, 1), high=Fraction(3, 1), open_low=False, open_high=True, kind='integer', points=None)
        """
        piece, others = cls(width=width), []
        for part in parts:
            if symbol not in part.free_symbols:
                if not _compiled(part)(known):
                    return None
            elif part in (sympy.Eq(symbol, sympy.floor(symbol)), sympy.Ne(symbol, sympy.floor(symbol))):
                kind = "integer" if isinstance(part, sympy.Eq) else "between"
                if piece.kind not in ("real", kind):
                    return None
                piece = piece._with(kind=kind)
            elif (line := _line(part, symbol)) is not None:
                slope, rest = (
                    _exact(side.subs([(s, sympy.Rational(x.numerator, x.denominator)) for s, x in known.items()]))
                    for side in line
                )
                strict = isinstance(part, (sympy.Gt, sympy.Lt))
                if slope:
                    piece = piece._cut("low" if slope > 0 else "high", -rest / slope, strict)
                elif rest < 0 or (strict and rest == 0):
                    return None
            else:
                others.append(_compiled(part))
        if others:
            met = (
                x
                for x in simple_numbers()
                if x in piece and piece._holds_exactly(x) and all(holds({**known, symbol: x}) for holds in others)
            )
            piece = piece._with(points=tuple(islice(met, SIMPLE)))
        return piece

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        if self.points is not None:
            return not self.points
        if self.kind == "integer":
            low, high = self._integers()
            return low > high
        low, high = self._floats()
        return low > high or (self.kind == "between" and self._between() is None)

    def __contains__(self, number: Fraction) -> bool:
        above = number > self.low or (number == self.low and not self.open_low)
        below = self.high is None or number < self.high or (number == self.high and not self.open_high)
        return above and below and (self.kind == "real" or (number.denominator == 1) == (self.kind == "integer"))

    def numbers(self) -> st.SearchStrategy[Any]:
        """The numbers of the piece: ints, or floats where they are not integers."""
        if self.points is not None:
            return st.sampled_from([_plain(x) for x in self.points])
        if self.kind == "integer":
            return st.integers(*self._integers())
        low, high = self._floats()
        floats = st.floats(low, high, width=self.width, allow_subnormal=False)  # type: ignore[arg-type]
        if self.kind == "between":
            between = self._between()
            return st.one_of(st.just(between), floats.map(lambda x: between if x.is_integer() else x))
        whole = self._integers()
        return st.one_of(st.integers(*whole), floats) if whole[0] <= whole[1] else floats

    def _with(self, **changes: Any) -> Piece:
        return Piece(**{**vars(self), **changes})

    def _cut(self, side: str, end: Fraction, strict: bool) -> Piece:
        if side == "low" and (end, strict) > (self.low, self.open_low):
            return self._with(low=end, open_low=strict)
        if side == "high" and (self.high is None or (end, not strict) < (self.high, not self.open_high)):
            return self._with(high=end, open_high=strict)
        return self

    def _holds_exactly(self, number: Fraction) -> bool:
        """Whether a float of the width is this number; of 64 bits, other numbers are drawn as fractions."""
        with np.errstate(over="ignore"):
            near = float(_FLOATS[self.width](float(number)))
        return self.width == 64 or (math.isfinite(near) and Fraction(near) == number)

    def _integers(self) -> tuple[int, int]:
        exact = 2 ** (np.finfo(_FLOATS[self.width]).nmant + 1)  # all integers up to here are such floats
        low = math.floor(self.low) + 1 if self.open_low else math.ceil(self.low)
        if self.high is None:
            return low, max(low, LARGEST) if self.width == 64 else min(LARGEST, exact)
        high = math.ceil(self.high) - 1 if self.open_high else math.floor(self.high)
        return low, high if self.width == 64 else min(high, exact)

    def _floats(self) -> tuple[float, float]:
        """The least and the largest float of the width in the interval; neither is subnormal."""
        kind = _FLOATS[self.width]
        largest = min(Fraction(LARGEST), Fraction(float(np.finfo(kind).max)))
        high = max(largest, 2 * self.low) if self.high is None else self.high
        with np.errstate(over="ignore"):
            low, top = kind(float(self.low)), kind(float(max(high, Fraction(-1))))  # sizes are not negative
        if np.isinf(low):  # no float is so large
            return math.inf, -math.inf
        if np.isinf(top):
            top = np.finfo(kind).max
        if Fraction(float(low)) < self.low or (self.open_low and Fraction(float(low)) == self.low):
            low = np.nextafter(low, kind(np.inf))
        if Fraction(float(top)) > high or (self.open_high and self.high is not None and Fraction(float(top)) == high):
            top = np.nextafter(top, kind(-np.inf))
        tiny = np.finfo(kind).tiny
        return float(max(low, tiny) if low else low), float(kind(0) if 0 < top < tiny else top)

    def _between(self) -> float | None:
        """A simple float of the interval that is no integer."""
        low, high = self._floats()
        tried = (math.floor(low) + 0.5, low, high, (low + high) / 2)
        return next((x for x in tried if low <= x <= high and not x.is_integer()), None)


@lru_cache(maxsize=256)
def _line(part: Boolean, symbol: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr] | None:
    """The slope and the rest of an inequality ``slope * symbol + rest >= 0`` (or > 0), if they are polynomials in others."""
    if not isinstance(part, (sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le)):
        return None
    difference = sympy.expand(part.gts - part.lts)  # type: ignore[attr-defined]
    slope = difference.coeff(symbol, 1)
    rest = sympy.expand(difference - slope * symbol)
    others = slope.free_symbols | rest.free_symbols
    polynomial = all(side.is_polynomial(*others) and _rational(side) for side in (slope, rest))
    return None if symbol in others or not polynomial else (slope, rest)


def _rational(side: sympy.Expr) -> bool:
    return all(atom.is_Symbol or atom.is_Rational for atom in side.atoms())


def _exact(number: sympy.Expr) -> Fraction:
    return Fraction(int(number.p), int(number.q))  # type: ignore[attr-defined]


@lru_cache(maxsize=256)
def _compiled(part: Boolean) -> Callable[[Numbers], bool]:
    """The condition as a predicate on numbers for its symbols; false where a side has no real value, as log(0) has none.

    Numbers have 50 digits, which tells apart the two sides of any condition at simple numbers; a function that mpmath does not
    have is asked exactly.
    """
    symbols = sorted(part.free_symbols, key=str)
    if part.atoms(AppliedUndef) or any(type(node).__module__.startswith("theory.") for node in sympy.preorder_traversal(part)):
        return lambda known: part.subs([(s, sympy.Rational(known[s])) for s in symbols]) == sympy.true  # type: ignore[index]
    function = sympy.lambdify(symbols, part, "mpmath")

    def holds(known: Numbers) -> bool:
        with mpmath.workdps(50):
            numbers = [mpmath.mpf(known[s].numerator) / known[s].denominator for s in symbols]  # type: ignore[index]
            try:
                return bool(function(*numbers))
            except (TypeError, ValueError, ZeroDivisionError):
                return False

    return holds


def _plain(number: Fraction) -> int | float:
    """An int, or a float if it is exact; the simple numbers that are no dyadic fractions stay Fractions."""
    if number.denominator == 1:
        return int(number)
    return float(number) if Fraction(float(number)) == number else number  # type: ignore[return-value]

"""Numbers of one number field: sympy numbers and elements of sympy's domains, as elements of the field that they generate.

An element is sympy's ANP, a polynomial in a primitive element modulo its minimal polynomial. It does not say which root of
that polynomial is meant, so `NumberField` remembers it and writes an element as a number again. A number is refused, with the
reason, if it is rounded, belongs to another characteristic, contains a symbol, or is not known to be algebraic.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import sympy
from sympy.polys.constructor import construct_domain
from sympy.polys.domains.gaussiandomains import GaussianElement
from sympy.polys.domains.modularinteger import ModularInteger
from sympy.polys.polyclasses import ANP
from sympy.polys.polyerrors import BasePolynomialError

from theory.checks import exact_expression

__all__ = ["NumberField", "exact_number", "in_field", "in_one_field", "lifted"]

_WHY = "expected numbers of Q or of one number field such as Q(sqrt(5)), because the answer is exact"


class NumberField(NamedTuple):
    """Q, a number field that sympy numbers generate, or a field of which elements alone are known.

    Attributes:
        generators: The numbers that generate it, empty for Q and for a field of which elements alone are known.
    """

    generators: tuple[sympy.Expr, ...] = ()

    def readable(self, array: np.ndarray) -> np.ndarray:
        """The array with integers and Fractions for rational elements, and sympy numbers for the others.

        Elements of a field of which no number is known stay as they are.

        >>> (root, one), field = in_field([sympy.sqrt(2), 1])
        >>> field.readable(np.array([root, one / 2, root**2, root / 2 + one])).tolist()
        [sqrt(2), Fraction(1, 2), 2, sqrt(2)/2 + 1]
        """
        if array.dtype != object:
            return array
        flat = array.ravel().tolist()
        result = np.empty(len(flat), object)
        result[:] = [self._readable(entry) if isinstance(entry, ANP) else entry for entry in flat]
        return result.reshape(array.shape)

    def _readable(self, element: ANP) -> Any:
        if element.is_ground:
            constant = element.to_list()[-1:] or [0]
            value = Fraction(int(constant[0].numerator), int(constant[0].denominator))
            return int(value) if value.denominator == 1 else value
        return _generated(self.generators)[0].to_sympy(element) if self.generators else element


def exact_number(entry: Any) -> Any:
    """Return a number of a kind that Python and sympy also have under another type: Gaussian integers, complex numbers, floats.

    Floats and complex numbers are accepted if their parts are integers below 2^53, because such floats are not rounded.

    Raises:
        ValueError: The number is rounded, or belongs to a field of another characteristic than zero.

    >>> exact_number(2 + 1j), exact_number(sympy.QQ_I(1, 2)), exact_number(sympy.Float(3))
    (2 + I, 1 + 2*I, 3)
    """
    if isinstance(entry, GaussianElement):
        return sympy.Rational(int(entry.x.numerator), int(entry.x.denominator)) + sympy.I * sympy.Rational(
            int(entry.y.numerator), int(entry.y.denominator)
        )
    if isinstance(entry, sympy.AlgebraicNumber):  # it multiplies as one factor, and is written without brackets
        return entry.as_expr()
    if isinstance(entry, ModularInteger) or type(entry).__name__ in ("nmod", "fmpz_mod"):
        raise ValueError(
            f"an entry is {entry!r} in a finite field: {_WHY}, and solvable radicals and Killing forms need characteristic 0."
        )
    if isinstance(entry, (complex, np.complexfloating)) and not isinstance(entry, (float, np.floating)):
        parts = entry.real, entry.imag
        if all(part == np.rint(part) and abs(part) < 2**53 for part in parts):
            return int(parts[0]) + int(parts[1]) * sympy.I
    if isinstance(entry, sympy.Float):
        exact = sympy.Rational(entry) if entry.is_finite else sympy.nan
        if exact.is_Integer and abs(exact) < 2**53:
            return int(exact)
        raise ValueError(f"an entry is {entry}, a rounded number: {_WHY}. Convert floats with Fraction or sympy.nsimplify.")
    return entry


def in_one_field(entries: Sequence[Any]) -> list[Any]:
    """Return exact numbers as integers and Fractions if all are rational, and else as elements of one field.

    Raises:
        ValueError: A number is not known to be algebraic, or elements of two fields are given.

    >>> in_one_field([sympy.sqrt(2) * sympy.sqrt(8), Fraction(1, 2)])
    [Fraction(4, 1), Fraction(1, 2)]
    >>> one, i = in_one_field([1, sympy.I])
    >>> i**2 == -one
    True
    """
    return in_field(entries)[0]


def in_field(entries: Sequence[Any]) -> tuple[list[Any], NumberField]:
    """Return the numbers of `in_one_field`, and the field, which writes its elements as numbers; errors as there."""
    elements = [entry for entry in entries if isinstance(entry, ANP)]
    if elements:
        return _in_field_of(elements, entries), NumberField()
    if not any(isinstance(entry, sympy.Basic) for entry in entries):
        return list(entries), NumberField()
    numbers = {entry: exact_expression("an entry", entry).doit() for entry in dict.fromkeys(entries)}
    _check(list(numbers.values()))
    irrational = tuple(dict.fromkeys(number for number in numbers.values() if not number.is_Rational))
    domain, found = _generated(irrational)
    values = {}
    for entry, number in numbers.items():
        if number.is_Rational:
            value = Fraction(int(number.p), int(number.q))  # type: ignore[attr-defined]
            values[entry] = value if domain is None else domain.one * sympy.QQ(value.numerator, value.denominator)
        else:
            values[entry] = found[number]
    return [values[entry] for entry in entries], NumberField(irrational if domain is not None else ())


def lifted(array: np.ndarray) -> np.ndarray:
    """Return an array in which numbers of a field and rational numbers are mixed, with all of them in the field."""
    flat = array.ravel().tolist()
    result = np.empty(len(flat), object)
    result[:] = _in_field_of([entry for entry in flat if isinstance(entry, ANP)], flat)
    return result.reshape(array.shape)


def _in_field_of(elements: Sequence[ANP], entries: Sequence[Any]) -> list[Any]:
    first = elements[0]
    if any(element.mod_to_list() != first.mod_to_list() for element in elements):
        raise ValueError(f"entries of two number fields: {_WHY}. Convert them to one field, or give them as sympy expressions.")
    one = first**0
    result = []
    for entry in entries:
        if isinstance(entry, sympy.Rational):
            entry = Fraction(int(entry.p), int(entry.q))
        if isinstance(entry, (int, Fraction)):
            entry = one * sympy.QQ(entry.numerator, entry.denominator)
        if not isinstance(entry, ANP):
            raise ValueError(f"{entry!r} stands beside an element of a number field: {_WHY}. Give both as sympy expressions.")
        result.append(entry)
    return result


def _check(numbers: Sequence[sympy.Expr]) -> None:
    for number in numbers:
        if number.free_symbols:
            names = ", ".join(sorted(map(str, number.free_symbols)))
            raise ValueError(f"an entry is {number}, which contains {names}: {_WHY}. Put numbers in for the symbols.")
        if number.has(sympy.oo, -sympy.oo, sympy.nan, sympy.zoo):
            raise ValueError(f"an entry is {number}: {_WHY}.")
        if number.has(sympy.Float):
            raise ValueError(f"an entry is {number}, a rounded number: {_WHY}. Convert floats with sympy.nsimplify.")


@lru_cache(maxsize=64)
def _generated(irrational: tuple[sympy.Expr, ...]) -> tuple[Any, dict[sympy.Expr, Any]]:
    """Return the field that numbers generate and each number in it; None for the field where all of them are rational."""
    domain, found = construct_domain(irrational, extension=True) if irrational else (sympy.QQ, [])
    if domain.is_ZZ or domain.is_QQ:
        return None, {
            number: Fraction(int(value.numerator), int(value.denominator))
            for number, value in zip(irrational, found, strict=True)  # type: ignore[arg-type]
        }
    if not domain.is_AlgebraicField:  # numbers that sympy takes for symbols, and Gaussian numbers
        for number in irrational:
            try:
                sympy.minimal_polynomial(number, polys=True)
            except (BasePolynomialError, NotImplementedError, ValueError):
                raise ValueError(f"an entry is {number}, which is not known to be algebraic: {_WHY}.") from None
        gaussian = domain.is_ZZ_I or domain.is_QQ_I
        domain = sympy.QQ.algebraic_field(*([sympy.I] if gaussian else irrational))
        found = [domain.from_sympy(number) for number in irrational]
    return domain, dict(zip(irrational, found, strict=True))  # type: ignore[arg-type]

"""Numbers of one number field: sympy numbers and elements of sympy's domains, as elements of the field that they generate.

An element is sympy's ANP, a polynomial in a primitive element modulo its minimal polynomial. A number is refused, with the
reason, if it is rounded, belongs to another characteristic, contains a symbol, or is not known to be algebraic.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.polys.constructor import construct_domain
from sympy.polys.domains.gaussiandomains import GaussianElement
from sympy.polys.domains.modularinteger import ModularInteger
from sympy.polys.polyclasses import ANP
from sympy.polys.polyerrors import BasePolynomialError

from theory.checks import exact_expression

__all__ = ["exact_number", "in_one_field", "lifted"]

_WHY = "expected numbers of Q or of one number field such as Q(sqrt(5)), because the answer is exact"


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
    elements = [entry for entry in entries if isinstance(entry, ANP)]
    if elements:
        return _in_field_of(elements, entries)
    if not any(isinstance(entry, sympy.Basic) for entry in entries):
        return list(entries)
    numbers = [exact_expression("an entry", entry).doit() for entry in entries]
    _check(numbers)
    domain, found = construct_domain(numbers, extension=True)
    if domain.is_ZZ_I or domain.is_QQ_I:
        domain = sympy.QQ.algebraic_field(sympy.I)
        found = [domain.from_sympy(number) for number in numbers]
    if not (domain.is_ZZ or domain.is_QQ or domain.is_AlgebraicField):
        domain, found = _generated(numbers)
    if not domain.is_AlgebraicField:
        return [Fraction(int(entry.numerator), int(entry.denominator)) for entry in found]  # type: ignore
    return [*found]  # type: ignore[misc]


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


def _generated(numbers: Sequence[sympy.Expr]) -> tuple[Any, list[Any]]:
    """Return the field that the numbers generate, by their minimal polynomials."""
    irrational = list(dict.fromkeys(number for number in numbers if not number.is_Rational))
    for number in irrational:
        try:
            sympy.minimal_polynomial(number, polys=True)
        except (BasePolynomialError, NotImplementedError, ValueError):
            raise ValueError(f"an entry is {number}, which is not known to be algebraic: {_WHY}.") from None
    domain = sympy.QQ.algebraic_field(*irrational)
    return domain, [domain.from_sympy(number) for number in numbers]

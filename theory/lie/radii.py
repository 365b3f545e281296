"""Radii of convergence of the Magnus and BCH series. A radius is no tail: a remainder cannot be quoted from a radius alone."""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound
from theory.registry import registered

__all__ = ["bch_radius", "magnus_radius"]

_BANACH = (
    sympy.Integer(2),
    "the norm is submultiplicative, |AB| <= |A||B| (taken as given)",
    "Moan and Oteo 2001, from the sum over permutations (theory.lie.tails); sharp over all Banach algebras: Lakos, "
    "arXiv 1709.01791",
)
_NORMS = {
    "submultiplicative": _BANACH,
    "banach": _BANACH,
    "hilbert": (
        sympy.pi,
        "operators on a Hilbert space with the operator norm (taken as given)",
        "Moan and Niesen; Casas, arXiv 0711.2381: sharp",
    ),
}


@registered
def magnus_radius(norm: str = "submultiplicative") -> Bound:
    """Return the mass below which the Magnus series converges.

    BCH has the mass ``|X| + |Y|``. Each radius is the largest number that holds under its hypothesis. The tails
    `magnus_recent` and `magnus_classical` have a smaller radius of their own, xi = 1.0869.

    Args:
        norm: Property of the norm: "submultiplicative" or "banach" (two names of one hypothesis; the radius is 2), or
            "hilbert" for the operator norm of a Hilbert space (the radius is pi).

    Raises:
        ValueError: `norm` is not one of these.

    >>> round(magnus_radius(norm="hilbert").at(), 4)
    3.1416
    >>> magnus_radius().at()
    2.0
    """
    if norm not in _NORMS:
        raise ValueError(
            f"norm = {norm!r}: expected one of {', '.join(_NORMS)}, because the radius depends on the properties of the norm."
        )
    radius, statement, source = _NORMS[norm]
    return Bound(
        side="below",
        expr=radius,
        quantity="the mass below which the Magnus series converges (convergence only, no tail)",
        assumes=(Assumption(statement),),
        source=source,
    )


@registered
def bch_radius() -> Bound:
    """Return the sum ``|X| + |Y|`` below which the BCH series converges in any Banach algebra.

    The series is that of ``log(exp X exp Y)`` by degree.

    >>> bch_radius().at()
    2.8984793
    """
    return Bound(
        side="below",
        expr=sympy.Rational(28984793, 10**7),
        quantity="the sum |X| + |Y| below which the BCH series converges (convergence only, no tail)",
        assumes=(Assumption("the norm is that of a Banach algebra (taken as given)"),),
        source="Lakos, arXiv 1709.01791, rounded down",
    )

"""Where the series converge. A radius is not a tail: no remainder may be quoted from it alone."""

from __future__ import annotations

import sympy

from theory.bounds.bound import Bound, Hypothesis

__all__ = ["bch_radius", "magnus_radius"]

_BANACH = (
    sympy.Integer(2),
    "the norm is submultiplicative, |AB| <= |A||B| (taken as given)",
    "Moan and Oteo 2001, from the sum over permutations (theory.bounds.series); sharp over all Banach algebras: Lakos, "
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


def magnus_radius(norm: str = "submultiplicative") -> Bound:
    """The mass below which the Magnus series converges; BCH has mass ``|X| + |Y|``.

    Args:
        norm: ``"submultiplicative"`` or ``"banach"``, two names of one hypothesis (2), or ``"hilbert"``, the operator norm of
            a Hilbert space (pi); each is the largest number under its hypothesis. The older tails have a smaller radius of
            their own, xi = 1.0869: see `magnus_recent`.

    Raises:
        ValueError: another norm.

    >>> [round(magnus_radius(norm).at(), 4) for norm in ("submultiplicative", "banach", "hilbert")]
    [2.0, 2.0, 3.1416]
    """
    if norm not in _NORMS:
        raise ValueError(
            f"norm = {norm!r}: expected one of {', '.join(_NORMS)}; the radius depends on what the norm satisfies."
        )
    radius, statement, source = _NORMS[norm]
    return Bound(
        side="below",
        expr=radius,
        quantity="the mass below which the Magnus series converges (convergence only, no tail)",
        assumes=(Hypothesis(statement),),
        source=source,
    )


def bch_radius() -> Bound:
    """The value of ``|X| + |Y|`` below which ``log(exp X exp Y)`` converges as a series by degree, in any Banach algebra.

    >>> bch_radius().at()
    2.8984793
    """
    return Bound(
        side="below",
        expr=sympy.Rational(28984793, 10**7),
        quantity="the sum |X| + |Y| below which the BCH series converges (convergence only, no tail)",
        assumes=(Hypothesis("the norm is that of a Banach algebra (taken as given)"),),
        source="Lakos, arXiv 1709.01791, rounded down",
    )

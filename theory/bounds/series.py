r"""Tails of the Magnus and BCH series: what is left after the terms of degree ``order``, in norm.

Put ``s`` for the mass: the integral of the norm of the generator, or the sum of the norms of the tokens; for BCH
``s = |X| + |Y|``. The term of degree n is at most

    elementary   a_n s^n,            -log(2 - e^t) = sum a_n t^n              (s < log 2)
    classical    pi q^n,             q = s / xi                                (q < 1)
    recent       4 q^n / n^2         (n >= 2)                                  (q <= 1)

with ``1 / xi = 0.920075`` rounded up. Summing from ``n = N + 1``: the recent series at ``q <= 1`` leaves at most
``4 q^(N+1) sum over n > N of 1/n^2 <= 4 q^(N+1) / N``, and at ``q < 1`` also ``4 q^(N+1) / ((N+1)^2 (1-q))``. The
classical tail ``pi q^(N+1) / (1-q)`` is never smaller than the last, as ``4 / (N+1)^2 <= 1 < pi``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

import sympy

from theory.bounds.bound import Bound, Hypothesis, Number, exact_number, positive_integer

__all__ = ["bch", "magnus", "magnus_classical"]

_XI = sympy.Symbol("xi", positive=True)
_RADIUS = {_XI: 1 / sympy.Rational(920075, 10**6)}  # 1 / xi rounded up, so that a bound stays a bound

_MASS = Hypothesis("mass is the integral of the norm of the generator, or the sum of the norms of the tokens (taken as given)")
_OPERATOR = Hypothesis("the norm is an operator norm, so that |AB| <= |A||B| (taken as given)")
_SUBMULTIPLICATIVE = Hypothesis("the norm is submultiplicative, |AB| <= |A||B| (taken as given)")

_RECENT = (
    "termwise |Omega_n| <= 4 (s/xi)^n / n^2, Apel, Cubitt, Onorati, arXiv 2509.18312, brought to the integral of the norm by a "
    "constant-speed time; summed here"
)


def magnus(order: int, mass: Number | None = None) -> Bound:
    """Bound on the norm of the Magnus series beyond degree ``order``, for a generator of this mass (the sharper, recent one).

    Args:
        order: The last degree that is kept.
        mass: The integral of the norm of the generator; left symbolic when not given.

    Raises:
        ValueError: ``order < 1``, or a mass that is negative or not finite.

    >>> magnus(order=4, mass=0.5).at() < 0.01
    True
    """
    positive_integer("order", order, "the last degree of the series that is kept")
    s = sympy.Symbol("mass", nonnegative=True)
    inside, closed = _recent_tail(order, s)
    return Bound(
        expr=_piecewise((inside, s < _XI), (closed, True)),
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(_OPERATOR, _MASS, Hypothesis("mass <= xi, where 1/xi = 0.920075", s <= _XI)),
        source=_RECENT,
        values=_RADIUS | _given({s: mass}),
    )


def magnus_classical(order: int, mass: Number | None = None) -> Bound:
    """The classical tail ``pi q^(order+1) / (1-q)``: weaker, for any submultiplicative norm and open at the radius.

    Raises:
        ValueError: ``order < 1``, or a mass that is negative or not finite.

    >>> magnus_classical(order=4, mass=0.5).at() > magnus(order=4, mass=0.5).at()
    True
    """
    positive_integer("order", order, "the last degree of the series that is kept")
    s = sympy.Symbol("mass", nonnegative=True)
    return Bound(
        expr=sympy.pi * (s / _XI) ** (order + 1) / (1 - s / _XI),
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(_SUBMULTIPLICATIVE, _MASS, Hypothesis("mass < xi, where 1/xi = 0.920075", s < _XI)),
        source="termwise |Omega_n| <= pi (s/xi)^n, Blanes, Casas, Oteo, Ros 1998; summed here",
        values=_RADIUS | _given({s: mass}),
    )


def bch(order: int, x: Number | None = None, y: Number | None = None) -> Bound:
    """Bound on the norm of ``log(exp X exp Y)`` beyond degree ``order``, from the norms ``x`` of X and ``y`` of Y.

    The smaller of the elementary tail (``x + y < log 2``) and the Magnus one, each only where it holds.

    Raises:
        ValueError: ``order < 1``, or a norm that is negative or not finite.

    >>> bch(order=3, x=0.1, y=0.1).at() < 1e-2
    True
    """
    positive_integer("order", order, "the last degree of the series that is kept")
    sx, sy = sympy.symbols("x y", nonnegative=True)
    s = sx + sy
    elementary = -sympy.log(2 - sympy.exp(s)) - sum(_elementary_coefficient(n) * s**n for n in range(1, order + 1))
    inside, closed = _recent_tail(order, s)
    return Bound(
        expr=_piecewise((sympy.Min(elementary, inside), s < sympy.log(2)), (inside, s < _XI), (closed, True)),
        quantity=f"the norm of log(exp X exp Y) beyond degree {order}",
        assumes=(
            _OPERATOR,
            Hypothesis("x and y are the norms of X and Y (taken as given)"),
            Hypothesis("x + y <= xi, where 1/xi = 0.920075", s <= _XI),
        ),
        source=f"majorant series -log(2 - e^s) where s = x + y < log 2 (derived); {_RECENT}",
        values=_RADIUS | _given({sx: x, sy: y}),
    )


def _recent_tail(order: int, s: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """The tail inside the radius, and on the closed disc."""
    q = s / _XI
    closed = 4 * q ** (order + 1) / order
    inside = sympy.Min(4 * q ** (order + 1) / ((order + 1) ** 2 * (1 - q)), closed)
    return inside, closed


def _piecewise(*pieces: tuple[sympy.Expr, object]) -> sympy.Expr:
    return sympy.Piecewise(*pieces)  # type: ignore[return-value]


def _given(numbers: dict[sympy.Symbol, Number | None]) -> dict[sympy.Symbol, sympy.Expr]:
    return {symbol: exact_number(symbol.name, number) for symbol, number in numbers.items() if number is not None}


@lru_cache(maxsize=256)
def _elementary_coefficient(n: int) -> sympy.Expr:
    """``a_n``: from ``d/dt(-log(2 - e^t)) = 2 / (2 - e^t) - 1`` and the ordered Bell numbers of ``1 / (2 - e^t)``."""
    bell = [1]
    for m in range(1, n):
        bell.append(sum(comb(m, k) * bell[m - k] for k in range(1, m + 1)))
    value = Fraction(2 * bell[n - 1], factorial(n)) - (1 if n == 1 else 0)
    return sympy.Rational(value.numerator, value.denominator)

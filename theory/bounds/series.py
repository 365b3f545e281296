r"""Tails of the Magnus and BCH series: what is left after the terms of degree ``order``, in norm.

Put ``s`` for the mass: the integral of the norm of the generator A, or the sum of the norms of the tokens; for BCH
``s = |X| + |Y|``. All that is asked of the norm is ``|AB| <= |A||B|``. The term of degree n is at most

    sharp        Theta_n s^n                                                   (s < 2)
    recent       4 q^n / n^2         (n >= 2),   q = s / xi                    (q <= 1)
    classical    pi q^n,                         q = s / xi                    (q < 1)

with ``1 / xi = 0.920075`` rounded up. No constants smaller than the sharp ones hold in every algebra.

**The sharp terms.** The term of degree n is a sum over permutations p, d(p) the number of descents of p,

    Omega_n = sum_p (-1)^d(p) d(p)! (n-1-d(p))! / n!  *  integral over t_1 > .. > t_n of A(t_p(1)) .. A(t_p(n)),

and the integral of ``|A(t_1)| .. |A(t_n)|`` over the ordered times is ``s^n / n!``. With the Eulerian numbers A(n, d), which
count the permutations with d descents,

    |Omega_n| <= Theta_n s^n,      Theta_n = (1/n!) sum_d A(n, d) d! (n-1-d)! / n!  =  1, 1/2, 2/9, 7/72, 13/300, ..

This is attained: in the free associative algebra, a coefficient a word and the sum of their absolute values for the norm,
words of different letters in different orders do not cancel. For m tokens, all different and of norm s/m, those alone make
up ``m (m-1) .. (m-n+1) / m^n`` of the bound, which tends to all of it.

**The tail.** ``d! (n-1-d)! / n!`` is the integral of ``x^d (1-x)^(n-1-d)`` over [0, 1], so ``Theta_n`` is that of
``P_n / n!``, ``P_n = sum_d A(n, d) x^d (1-x)^(n-1-d)``. By Foata and Schuetzenberger ``P_n = sum_i g_i u^i`` in
``u = x (1-x)`` with integers ``g_i >= 0``, ``2 i <= n-1``. The recurrence of the Eulerian numbers says
``P_(n+1) = (1 + 2 (n-1) u) P_n + u (1-4u) dP_n/du``; as ``u (1-4u) d/du = x (1-x) (1-2x) d/dx``, integration by parts gives

    integral of P_(n+1) = 2 (n+2) * integral of u P_n,

and ``integral of u^(i+1) = (i+1) / (2 (2i+3)) * integral of u^i``, where ``(i+1)/(2i+3) <= (n+1)/(2 (n+2))`` for all i that
occur. Hence ``Theta_(n+1) <= Theta_n / 2``, and what follows n terms is at most a geometric series: with K terms written out

    sum over n > N of Theta_n s^n  <=  sum_{n=N+1}^{N+K} Theta_n s^n + Theta_(N+K+1) s^(N+K+1) / (1 - s/2).

**The others**, summed from ``n = N + 1``: the recent series at ``q <= 1`` leaves at most ``4 q^(N+1) sum over n > N of 1/n^2
<= 4 q^(N+1) / N``, and at ``q < 1`` also ``4 q^(N+1) / ((N+1)^2 (1-q))``. The classical tail ``pi q^(N+1) / (1-q)`` is never
smaller than the last, as ``4 / (N+1)^2 <= 1 < pi``.

Sources: Mielnik and Plebanski 1970, Strichartz 1987 for the permutations; Moan and Oteo 2001 for the radius 2; the tail above
is derived.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import factorial

import sympy

from theory.bounds.bound import Bound, Hypothesis, Number, exact_number, positive_integer
from theory.bounds.cost import permutations
from theory.cost import refuse

__all__ = ["bch", "magnus", "magnus_classical", "magnus_recent", "permutation_constant"]

_XI = sympy.Symbol("xi", positive=True)
_RADIUS = {_XI: 1 / sympy.Rational(920075, 10**6)}  # 1 / xi rounded up, so that a bound stays a bound

_MASS = Hypothesis("mass is the integral of the norm of the generator, or the sum of the norms of the tokens (taken as given)")
_SUBMULTIPLICATIVE = Hypothesis("the norm is submultiplicative, |AB| <= |A||B|, as operator norms are (taken as given)")

_SHARP = (
    "termwise |Omega_n| <= Theta_n s^n from the sum over permutations, Mielnik and Plebanski 1970, Strichartz 1987; "
    "Theta_(n+1) <= Theta_n / 2 and the tail derived here"
)
_WRITTEN = 8  # terms of a tail that are written out before the geometric series
_LARGEST = 200  # beyond it Theta is not computed but halved


def magnus(order: int, mass: Number | None = None) -> Bound:
    """Bound on the norm of the Magnus series beyond degree ``order``, for a generator of this mass below 2.

    Sharp term by term: no smaller constants hold in every algebra with a submultiplicative norm (see the module).

    Args:
        order: The last degree that is kept.
        mass: The integral of the norm of the generator; left symbolic when not given.

    Raises:
        ValueError: ``order < 1``, or a mass that is negative or not finite.

    >>> magnus(order=4, mass=0.5).at() < 0.0018, magnus(order=4, mass=1.2).at() < 0.243
    (True, True)
    >>> 0 < magnus(order=4, mass=1e-200).at() < 1e-300
    True
    """
    order = positive_integer("order", order, "the last degree of the series that is kept")
    s = sympy.Symbol("mass", nonnegative=True)
    return Bound(
        expr=_sharp_tail(order, s),
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(_SUBMULTIPLICATIVE, _MASS, Hypothesis("mass < 2", s < 2)),
        source=_SHARP,
        values=_given({s: mass}),
    )


def magnus_recent(order: int, mass: Number | None = None) -> Bound:
    """The tail of ``4 q^n / n^2``, ``q = mass / xi``: weaker than `magnus` and on a smaller disc, which is closed.

    Raises:
        ValueError: ``order < 1``, or a mass that is negative or not finite.

    >>> magnus_recent(order=4, mass=0.5).at() > 3 * magnus(order=4, mass=0.5).at()
    True
    """
    order = positive_integer("order", order, "the last degree of the series that is kept")
    s = sympy.Symbol("mass", nonnegative=True)
    q = s / _XI
    closed = 4 * q ** (order + 1) / order
    inside = sympy.Min(4 * q ** (order + 1) / ((order + 1) ** 2 * (1 - q)), closed)
    return Bound(
        expr=sympy.Piecewise((inside, s < _XI), (closed, True)),  # type: ignore[arg-type]
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(_SUBMULTIPLICATIVE, _MASS, Hypothesis("mass <= xi, where 1/xi = 0.920075", s <= _XI)),
        source="termwise |Omega_n| <= 4 (s/xi)^n / n^2, Apel, Cubitt, Onorati, arXiv 2509.18312, brought to the integral of "
        "the norm by a constant-speed time; summed here",
        values=_RADIUS | _given({s: mass}),
    )


def magnus_classical(order: int, mass: Number | None = None) -> Bound:
    """The classical tail ``pi q^(order+1) / (1-q)``, ``q = mass / xi``: weaker still, and open at the radius.

    Raises:
        ValueError: ``order < 1``, or a mass that is negative or not finite.

    >>> magnus_classical(order=4, mass=0.5).at() > magnus_recent(order=4, mass=0.5).at()
    True
    """
    order = positive_integer("order", order, "the last degree of the series that is kept")
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

    The tail of `magnus` for two tokens, ``x + y < 2``. It is never above the majorant ``-log(2 - e^s)``, whose terms bound
    those of every product of exponentials that is expanded word by word.

    Raises:
        ValueError: ``order < 1``, or a norm that is negative or not finite.

    >>> bch(order=3, x=0.1, y=0.1).at() < 1e-3
    True
    """
    order = positive_integer("order", order, "the last degree of the series that is kept")
    sx, sy = sympy.symbols("x y", nonnegative=True)
    return Bound(
        expr=_sharp_tail(order, sx + sy),
        quantity=f"the norm of log(exp X exp Y) beyond degree {order}",
        assumes=(
            _SUBMULTIPLICATIVE,
            Hypothesis("x and y are the norms of X and Y (taken as given)"),
            Hypothesis("x + y < 2", sx + sy < 2),
        ),
        source=_SHARP,
        values=_given({sx: x, sy: y}),
    )


def permutation_constant(degree: int) -> Fraction:
    """``Theta_n``, the largest norm of the term of degree n at mass one: at most ``2^(1-n)``.

    Cost: ``degree^2`` integer operations, for this degree and all below it together.

    Raises:
        ValueError: a degree that is not an integer >= 1.
        TooExpensive: too high a degree, see `theory.cost`.

    >>> [permutation_constant(n) for n in range(1, 5)]
    [Fraction(1, 1), Fraction(1, 2), Fraction(2, 9), Fraction(7, 72)]
    """
    degree = positive_integer("degree", degree, "a degree of the series")
    refuse(permutations(degree))
    return _constants(degree + -degree % 50)[degree - 1]


@lru_cache(maxsize=8)
def _constants(largest: int) -> tuple[Fraction, ...]:
    """``Theta_1 .. Theta_largest``, each from the ``g_i`` of its polynomial."""
    row, found = [1], []
    for n in range(1, largest + 1):
        if n > 1:  # the recurrence of the module, for the g_i
            row = [*row, 0]
            row = [(i + 1) * row[i] + (2 * (n - 2 * i) * row[i - 1] if i else 0) for i in range((n + 1) // 2)]
        integral = sum((g * Fraction(factorial(i) ** 2, factorial(2 * i + 1)) for i, g in enumerate(row)), Fraction(0))
        found.append(integral / factorial(n))
    return tuple(found)


def _sharp_tail(order: int, s: sympy.Expr) -> sympy.Expr:
    """Some terms, and a geometric series that is larger than all others together."""
    if order + 1 >= _LARGEST:
        constant = permutation_constant(_LARGEST) * 2**_LARGEST
        halves = sympy.UnevaluatedExpr(s / 2) ** (order + 1)  # evaluated it is a number of `order` digits times a power
        return _rational(constant) * halves / (1 - s / 2)
    last = order + _WRITTEN + 1
    written = sympy.Add(*(_rational(permutation_constant(n)) * s**n for n in range(order + 1, last)))
    return written + _rational(permutation_constant(last)) * s**last / (1 - s / 2)


def _rational(number: Fraction) -> sympy.Expr:
    return sympy.Rational(number.numerator, number.denominator)


def _given(numbers: dict[sympy.Symbol, Number | None]) -> dict[sympy.Symbol, sympy.Expr]:
    return {symbol: exact_number(symbol.name, number) for symbol, number in numbers.items() if number is not None}

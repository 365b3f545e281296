r"""Tails of the Magnus and BCH series: bounds on the norm of everything beyond degree `order`.

The mass s is the integral of the norm of the generator A, or the sum of the norms of the tokens; for BCH ``s = |X| + |Y|``.
The only assumption on the norm is ``|AB| <= |A||B|``. Three bounds on the term of degree n are known:

    sharp        Theta_n s^n                                                   (s < 2)
    recent       4 q^n / n^2         (n >= 2),   q = s / xi                    (q <= 1)
    classical    pi q^n,                         q = s / xi                    (q < 1)

Here ``1 / xi = 0.920075``, rounded up. The sharp constants are the smallest that hold in every algebra.

**The sharp terms.** The term of degree n is a sum over permutations p. With d(p) the number of descents of p,

    Omega_n = sum_p (-1)^d(p) d(p)! (n-1-d(p))! / n!  *  integral over t_1 > .. > t_n of A(t_p(1)) .. A(t_p(n)),

and the integral of ``|A(t_1)| .. |A(t_n)|`` over the ordered times is ``s^n / n!``. The Eulerian number A(n, d) counts the
permutations with d descents, so

    |Omega_n| <= Theta_n s^n,      Theta_n = (1/n!) sum_d A(n, d) d! (n-1-d)! / n!  =  1, 1/2, 2/9, 7/72, 13/300, ..

The free associative algebra attains this bound. Its elements have one coefficient for each word, and their norm is the sum of
the absolute values of the coefficients; words of different letters in different orders do not cancel. For m different tokens
of norm s/m these words alone give ``m (m-1) .. (m-n+1) / m^n`` of the bound, which tends to all of the bound as m grows.

**The tail.** ``d! (n-1-d)! / n!`` is the integral of ``x^d (1-x)^(n-1-d)`` over [0, 1], so ``Theta_n`` is the integral of
``P_n / n!`` with ``P_n = sum_d A(n, d) x^d (1-x)^(n-1-d)``. By Foata and Schuetzenberger ``P_n = sum_i g_i u^i`` in
``u = x (1-x)`` with integers ``g_i >= 0`` and ``2 i <= n-1``. The recurrence of the Eulerian numbers reads
``P_(n+1) = (1 + 2 (n-1) u) P_n + u (1-4u) dP_n/du``. As ``u (1-4u) d/du = x (1-x) (1-2x) d/dx``, integration by parts gives

    integral of P_(n+1) = 2 (n+2) * integral of u P_n,

and ``integral of u^(i+1) = (i+1) / (2 (2i+3)) * integral of u^i``, where ``(i+1)/(2i+3) <= (n+1)/(2 (n+2))`` for every i that
occurs. Hence ``Theta_(n+1) <= Theta_n / 2``, and a geometric series bounds everything after the first K terms:

    sum over n > N of Theta_n s^n  <=  sum_{n=N+1}^{N+K} Theta_n s^n + Theta_(N+K+1) s^(N+K+1) / (1 - s/2).

**Two tokens.** Let ``X`` and ``Y`` have the norms x and y, in this order. The generator is X and then Y, so the ordered times
with i tokens X and j tokens Y have the volume ``x^i y^j / (i! j!)`` in units of the norms. The sum over permutations is the
same for all of them. So the words of multidegree (i, j) add up to at most ``Theta_n C(n, i) x^i y^j``, n = i + j, and those of
all multidegrees to ``Theta_n (x + y)^n``. But ``log(exp X exp Y)`` has no words in X alone or in Y alone beyond degree one,
because it is X for Y = 0 and Y for X = 0. So the terms of degree n > 1 are at most

    Theta_n ((x + y)^n - x^n - y^n) = Theta_n sum_{0 < i < n} C(n, i) x^i y^(n-i) <= Theta_n min(s^2, 2 (n-1) x y) s^(n-2),

s = x + y, where the last step is ``s^n - x^n - y^n = x y sum_{j <= n-2} s^j (x^(n-2-j) + y^(n-2-j))``. With ``m = s^N - x^N -
y^N`` and the halving of Theta, the terms from degree N on are at most Theta_N times ``f(s) - f(x) - f(y)``, ``f(t) = t^N / (1 -
t/2)``, which is

    (m + x^N y / (2 - x) + y^N x / (2 - y)) / (1 - s/2).

So the tail is 0 at x = 0 and at y = 0. Where N is large, ``f(s)`` or the sum of the other bounds, at most ``2 (N-1) x y s^(N-2)
/ (1 - s/2)^2``, stands in its place.

**The other two bounds** are summed from ``n = N + 1``. With ``sum over n > N of 1/n^2 <= 1/N``, the recent series leaves at
most ``4 q^(N+1) / N`` for ``q <= 1``, and at most ``4 q^(N+1) / ((N+1)^2 (1-q))`` for ``q < 1``.

Sources: Mielnik and Plebanski 1970 and Strichartz 1987 for the sum over permutations; Moan and Oteo 2001 for the radius 2; the
tail is derived above.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

import sympy

from theory.bound import Assumption, Bound, Number, given
from theory.checks import positive_integer
from theory.cost import refuse
from theory.lie.cost import permutations
from theory.lie.goldberg import pair_constants
from theory.registry import registered

__all__ = ["bch", "magnus", "magnus_classical", "magnus_recent", "permutation_constant"]

_XI = sympy.Symbol("xi", positive=True)
_RADIUS = {_XI: 1 / sympy.Rational(920075, 10**6)}  # 1 / xi is rounded up, so that a bound stays a bound

_MASS = Assumption("mass is the integral of the norm of the generator, or the sum of the norms of the tokens (taken as given)")
_SUBMULTIPLICATIVE = Assumption("the norm is submultiplicative, |AB| <= |A||B|, as operator norms are (taken as given)")
_ORDER = "the last degree of the series that is kept"

_SHARP = (
    "termwise |Omega_n| <= Theta_n s^n from the sum over permutations, Mielnik and Plebanski 1970, Strichartz 1987; "
    "Theta_(n+1) <= Theta_n / 2 and the tail derived here"
)
_WRITTEN = 8  # number of terms of a tail that are written out before the geometric series
_PAIRS = 12  # largest degree in which a pair has constants of its own
_EXPANDED = 40  # largest degree of a pair whose multidegrees are written out beyond that
_LARGEST = 200  # largest degree whose Theta is computed; beyond it each Theta is taken as half of the one before


@registered
def magnus(order: int, mass: Number | None = None) -> Bound:
    """Bound the norm of the Magnus series beyond a degree, for a mass below 2.

    This is the sharpest of the tails: no smaller constants hold in every algebra with a submultiplicative norm.

    Args:
        order: Last degree that is kept, at least 1.
        mass: Integral of the norm of the generator; None leaves the mass open.

    Returns:
        The tail bound, in the norm in which the mass is measured.

    Raises:
        ValueError: `order` is below 1, or `mass` is negative or not finite.

    >>> round(magnus(order=4, mass=0.5).at(), 5)
    0.00176
    >>> 0 < magnus(order=4, mass=1e-200).at() < 1e-300
    True
    """
    order = positive_integer("order", order, _ORDER)
    s = sympy.Symbol("mass", nonnegative=True)
    return Bound(
        expr=_sharp_tail(order, s, lambda degree: _term(degree, s), lambda degree: _half(s, degree)),
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(_SUBMULTIPLICATIVE, _MASS, Assumption("mass < 2", s < 2)),
        source=_SHARP,
        values=given({s: mass}),
    )


@registered
def magnus_recent(order: int, mass: Number | None = None) -> Bound:
    """Bound the Magnus series beyond a degree by the tail of ``4 q^n / n^2``, with ``q = mass / xi``.

    The mass is at most xi = 1.0869.

    The bound is weaker than `magnus` and holds on a smaller disc, which is closed.

    Args:
        order: Last degree that is kept, at least 1.
        mass: Integral of the norm of the generator; None leaves the mass open.

    Raises:
        ValueError: `order` is below 1, or `mass` is negative or not finite.

    >>> magnus_recent(order=4, mass=0.5).at() > 3 * magnus(order=4, mass=0.5).at()
    True
    """
    order = positive_integer("order", order, _ORDER)
    s = sympy.Symbol("mass", nonnegative=True)
    q = s / _XI
    closed = 4 * q ** (order + 1) / order
    inside = sympy.Min(4 * q ** (order + 1) / ((order + 1) ** 2 * (1 - q)), closed)
    return Bound(
        expr=sympy.Piecewise((inside, s < _XI), (closed, True)),  # type: ignore[arg-type]
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(_SUBMULTIPLICATIVE, _MASS, Assumption("mass <= xi, where 1/xi = 0.920075", s <= _XI)),
        source="termwise |Omega_n| <= 4 (s/xi)^n / n^2, Apel, Cubitt, Onorati, arXiv 2509.18312; summed here",
        values=_RADIUS | given({s: mass}),
    )


@registered
def magnus_classical(order: int, mass: Number | None = None) -> Bound:
    """Bound the Magnus series beyond a degree by the classical tail, below mass 1.0869.

    The tail is ``pi q^(order+1) / (1-q)`` with ``q = mass / xi``. It is weaker than `magnus_recent`, infinite at the radius.

    Args:
        order: Last degree that is kept, at least 1.
        mass: Integral of the norm of the generator; None leaves the mass open.

    Raises:
        ValueError: `order` is below 1, or `mass` is negative or not finite.

    >>> magnus_classical(order=4, mass=0.5).at() > magnus_recent(order=4, mass=0.5).at()
    True
    """
    order = positive_integer("order", order, _ORDER)
    s = sympy.Symbol("mass", nonnegative=True)
    return Bound(
        expr=sympy.pi * (s / _XI) ** (order + 1) / (1 - s / _XI),
        quantity=f"the norm of the Magnus series beyond degree {order}",
        assumes=(_SUBMULTIPLICATIVE, _MASS, Assumption("mass < xi, where 1/xi = 0.920075", s < _XI)),
        source="termwise |Omega_n| <= pi (s/xi)^n, Blanes, Casas, Oteo, Ros 1998; summed here",
        values=_RADIUS | given({s: mass}),
    )


@registered
def bch(order: int, x: Number | None = None, y: Number | None = None) -> Bound:
    """Bound the norm of ``log(exp X exp Y)`` beyond a degree, for ``|X| + |Y| < 2``.

    Terms through degree 12 enter by the absolute coefficients of their words, the smallest constants that hold in every algebra
    with a submultiplicative norm. Further terms enter by the sum over permutations without the words in one letter, as in
    `magnus` for the mass ``|X| + |Y|`` but 0 where X or Y is 0. The bound for (X, Y) is that for (Y, X).

    Args:
        order: Last degree that is kept, at least 1.
        x: Norm of X; None leaves the norm open.
        y: Norm of Y; None leaves the norm open.

    Raises:
        ValueError: `order` is below 1, or a norm is negative or not finite.

    >>> bch(order=3, x=0.1, y=0.2).at() < 1e-3, bch(order=1, x=1.5, y=0).at()
    (True, 0.0)
    """
    order = positive_integer("order", order, _ORDER)
    sx, sy = sympy.symbols("x y", nonnegative=True)
    return Bound(
        expr=_sharp_tail(
            order, sx + sy, lambda degree: _pair_term(degree, sx, sy), lambda degree: _pair_rest(degree, sx, sy), _PAIRS
        ),
        quantity=f"the norm of log(exp X exp Y) beyond degree {order}",
        assumes=(
            _SUBMULTIPLICATIVE,
            Assumption("x and y are the norms of X and Y (taken as given)"),
            Assumption("x + y < 2", sx + sy < 2),
        ),
        source=f"absolute coefficients of Goldberg 1956 through degree {_PAIRS}; beyond it {_SHARP}",
        values=given({sx: x, sy: y}),
    )


def permutation_constant(degree: int) -> Fraction:
    """Return ``Theta_n``, the largest norm that the term of degree n has at mass one; at most ``2^(1-n)``.

    Cost: ``degree^2`` integer operations, for this degree and all lower ones together.

    Raises:
        ValueError: `degree` is not an integer >= 1.
        TooExpensive: The degree is too high, see `theory.cost`.

    >>> [permutation_constant(n) for n in range(1, 5)]
    [Fraction(1, 1), Fraction(1, 2), Fraction(2, 9), Fraction(7, 72)]
    """
    degree = positive_integer("degree", degree, "a degree of the series")
    refuse(permutations(degree))
    return _constants(degree + -degree % 50)[degree - 1]


@lru_cache(maxsize=8)
def _constants(largest: int) -> tuple[Fraction, ...]:
    """Return ``Theta_1 .. Theta_largest``, each from the coefficients ``g_i`` of its polynomial."""
    row, found = [1], []
    for n in range(1, largest + 1):
        if n > 1:  # the recurrence of P_n in the module docstring, for its coefficients g_i
            row = [*row, 0]
            row = [(i + 1) * row[i] + (2 * (n - 2 * i) * row[i - 1] if i else 0) for i in range((n + 1) // 2)]
        integral = sum((g * Fraction(factorial(i) ** 2, factorial(2 * i + 1)) for i, g in enumerate(row)), Fraction(0))
        found.append(integral / factorial(n))
    return tuple(found)


def _sharp_tail(
    order: int, s: sympy.Expr, term: Callable[[int], sympy.Expr], rest: Callable[[int], sympy.Expr], through: int = 0
) -> sympy.Expr:
    """Return the first terms of the tail and a geometric series that is larger than all further terms together.

    Args:
        order: Last degree that is kept.
        s: The mass.
        term: The term of a degree.
        rest: A degree N to what stands in the geometric series for ``(s / 2)^N``.
        through: Last degree that is written out in any case.
    """
    if order + 1 >= _LARGEST:
        return _rational(permutation_constant(_LARGEST) * 2**_LARGEST) * rest(order + 1) / (1 - s / 2)
    last = max(order + _WRITTEN, through) + 1
    written = sympy.Add(*(term(n) for n in range(order + 1, last)))
    return written + _rational(permutation_constant(last) * 2**last) * rest(last) / (1 - s / 2)


def _term(degree: int, s: sympy.Expr) -> sympy.Expr:
    return _rational(permutation_constant(degree)) * s**degree


def _pair_term(degree: int, x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    if degree > _PAIRS:
        return _rational(permutation_constant(degree) * 2**degree) * _mixed(degree, x, y)
    return sympy.Add(*(_rational(c) * x**i * y ** (degree - i) for i, c in enumerate(pair_constants(degree))))


def _pair_rest(degree: int, x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    if degree <= _EXPANDED:
        return _mixed(degree, x, y) + _half(x, degree) * y / (2 - x) + _half(y, degree) * x / (2 - y)
    q = (x + y) / 2
    return sympy.Min(q**2 * (1 - q), (degree - 1) * x * y / 2) * _half(x + y, degree - 2) / (1 - q)


def _mixed(degree: int, x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    """Return ``((x + y)^n - x^n - y^n) / 2^n`` without differences, or a bound on it beyond degree 40."""
    if degree <= _EXPANDED:
        halves = (_rational(Fraction(comb(degree, i), 2**degree)) * x**i * y ** (degree - i) for i in range(1, degree))
        return sympy.Add(*halves)
    s = x + y
    return sympy.Min(s**2, 2 * (degree - 1) * x * y) / 4 * _half(s, degree - 2)


def _half(s: sympy.Expr, degree: int) -> sympy.Expr:
    """Return ``(s / 2)^degree``; evaluated, it would be a number of `degree` digits times a power."""
    return sympy.UnevaluatedExpr(s / 2) ** degree


def _rational(number: Fraction) -> sympy.Expr:
    return sympy.Rational(number.numerator, number.denominator)

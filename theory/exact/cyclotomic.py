"""Sums of roots of unity, exactly: simple closed forms of character values, and a normal form of any such sum."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import numpy as np
import sympy

from depthjax.refusal import refusing
from theory.checks import exact_expression

__all__ = ["reduced", "root_sum"]


@refusing(lambda order, multiplicities: _for_each(order, multiplicities))
@cache
def root_sum(order: int, multiplicities: tuple[int, ...]) -> sympy.Expr:
    r"""The number :math:`\sum_k m_k e^{2\pi i k / n}` in a simple form: rational, quadratic, or cosines and roots of unity.

    Its Galois conjugates are the sums with k replaced by a k, a coprime to n. One conjugate means a rational integer. Two
    conjugates mean a quadratic number, which follows from their sum and product: both are integers, so rounding finds them.

    Args:
        order: n.
        multiplicities: The integers m_0 .. m_{n-1}.

    Raises:
        ValueError: There is not one integer for each root.

    >>> root_sum(5, (1, 1, 0, 0, 1))
    1/2 + sqrt(5)/2
    """
    m, k = np.array(multiplicities), np.arange(order)
    units = np.array([a for a in range(1, order + 1) if math.gcd(a, order) == 1])
    some = np.flatnonzero(m)
    conjugates = np.exp(2j * np.pi * (units[:, None] * k[None, some] % order) / order) @ m[some]
    value = conjugates[0]
    # two algebraic integers of the field that are this close are equal, because the norm of their difference is an integer
    distinct: list[complex] = []
    for conjugate in conjugates:
        if all(abs(conjugate - other) > 1e-7 for other in distinct):
            distinct.append(complex(conjugate))
        if len(distinct) == 3:
            break
    if len(distinct) == 1:
        return sympy.Integer(round(value.real))
    if len(distinct) == 2:
        trace, norm = round(sum(distinct).real), round((distinct[0] * distinct[1]).real)
        root = sympy.sqrt(sympy.Integer(trace * trace - 4 * norm)) / 2
        sign = 1 if (value - trace / 2).real + (value - trace / 2).imag > 0 else -1
        return sympy.expand(sympy.Rational(trace, 2) + sign * root)
    if abs(value.imag) < 1e-9:  # its conjugates are real too, because the field is abelian over the rationals
        return sympy.Add(*(int(m[j]) * sympy.cos(2 * sympy.pi * sympy.Rational(int(j), order)) for j in np.flatnonzero(m)))
    return sympy.Add(
        *(int(m[j]) * sympy.exp(2 * sympy.pi * sympy.I * sympy.Rational(int(j), order)) for j in np.flatnonzero(m))
    )


def reduced(expression: sympy.Expr) -> sympy.Expr:
    r"""The expression in normal form over the cyclotomic numbers: equal values give equal expressions.

    Roots of unity, I, cosines and sines of rational multiples of pi, and square roots of rationals are sums of roots of unity.
    The sum is written in the smallest cyclotomic field that holds it: in square roots if they suffice (if squares of the Galois
    group fix the number), else in the first phi(n) powers of :math:`e^{2\pi i/n}`. Coefficients may hold symbols. Anything
    else, nested roots included, is treated as a symbol.

    >>> z = sympy.exp(2 * sympy.pi * sympy.I / 5)
    >>> reduced(1 + z + z**2 + z**3 + z**4), reduced(z + 1 / z), reduced(sympy.exp(sympy.I * sympy.pi / 6) - sympy.sqrt(3) / 2)
    (0, -1/2 + sqrt(5)/2, I/2)
    """
    expression, total = exact_expression("expression", expression), dict[Fraction, sympy.Expr]()
    for term in sympy.Add.make_args(sympy.expand(expression)):
        _add(total, _product([_turns(factor) for factor in sympy.Mul.make_args(term)]))
    order, powers = _smallest(total)
    if order == 1:
        return powers.get(0, sympy.S.Zero)
    roots = _in_square_roots(order, powers)
    return _in_powers(order, powers) if roots is None else roots


_Sum = dict[Fraction, sympy.Expr]
"""A sum of roots of unity exp(2 pi i q) with 0 <= q < 1: the coefficient for each q."""
_Powers = dict[int, sympy.Expr]
"""The same sum by the exponents k = q n, for some n; the sum is reduced if every k < phi(n)."""


def _add(total: dict, part: dict, factor: sympy.Expr | int = 1) -> None:
    for key, coefficient in part.items():
        value = sympy.expand(total.get(key, 0) + factor * coefficient)
        if value == 0:
            total.pop(key, None)
        else:
            total[key] = value


def _product(factors: Iterable[_Sum]) -> _Sum:
    result: _Sum = {Fraction(0): sympy.S.One}
    for factor in factors:
        grown: _Sum = {}
        for q, coefficient in factor.items():
            _add(grown, {(p + q) % 1: other for p, other in result.items()}, coefficient)
        result = grown
    return result


def _turns(factor: sympy.Expr) -> _Sum:
    """A factor of an expanded term as a sum of roots of unity; any other factor is its own coefficient."""
    base, exponent = factor.as_base_exp()
    if factor is sympy.I:
        return {Fraction(1, 4): sympy.S.One}
    if base is sympy.E and isinstance(q := exponent / (2 * sympy.pi * sympy.I), sympy.Rational):
        return {Fraction(int(q.p), int(q.q)) % 1: sympy.S.One}
    if base is sympy.S.NegativeOne and isinstance(exponent, sympy.Rational):
        return {Fraction(int(exponent.p), 2 * int(exponent.q)) % 1: sympy.S.One}
    if isinstance(base, (sympy.cos, sympy.sin)) and exponent.is_Integer and exponent > 0:
        q = base.args[0] / (2 * sympy.pi)
        if isinstance(q, sympy.Rational):
            turn = Fraction(int(q.p), int(q.q))
            shift = Fraction(0) if isinstance(base, sympy.cos) else Fraction(1, 4)  # sin x = cos(x - pi/2)
            half: _Sum = {}
            for sign in (1, -1):
                _add(half, {sign * (turn - shift) % 1: sympy.S.Half})
            return _product([half] * int(exponent))
    if base.is_Integer and base > 0 and isinstance(exponent, sympy.Rational) and exponent.q == 2:
        whole = sympy.Pow(base, exponent - sympy.S.Half)
        return {q: whole * coefficient for q, coefficient in _square_root(int(base)).items()}
    return {Fraction(0): factor}


@cache
def _square_root(number: int) -> _Sum:
    """A square root as a sum of roots of unity, by the Gauss sums of its primes."""
    whole, parts = sympy.S.One, []
    for p, power in sympy.factorint(number).items():
        whole *= p ** (power // 2)
        if power % 2:
            parts.append(_prime_root(p))
    return {q: whole * coefficient for q, coefficient in _product(parts).items()}


def _prime_root(p: int) -> _Sum:
    if p == 2:
        return {Fraction(1, 8): sympy.S.One, Fraction(7, 8): sympy.S.One}
    # the Gauss sum is sqrt(p) if p is 1 modulo 4, and i sqrt(p) if p is 3 modulo 4
    shift = Fraction(0) if p % 4 == 1 else Fraction(3, 4)
    return {(Fraction(k, p) + shift) % 1: sympy.Integer(sympy.jacobi_symbol(k, p)) for k in range(1, p)}


@cache
def _residues(order: int) -> tuple[tuple[int, ...], ...]:
    """The powers 0 .. order - 1 of the root of unity as combinations of the first phi(order) powers: rows of coefficients."""
    lead = [int(c) for c in reversed(sympy.Poly(sympy.cyclotomic_poly(order, _Z), _Z).all_coeffs())][:-1]
    rows = [[int(i == 0) for i in range(len(lead))]]
    for _ in range(order - 1):
        last = rows[-1][-1]
        rows.append([x - last * c for x, c in zip([0, *rows[-1][:-1]], lead, strict=True)])
    return tuple(map(tuple, rows))


_Z = sympy.Dummy("z")


def _reduce(order: int, powers: _Powers) -> _Powers:
    rows, result = _residues(order), {}
    for k, coefficient in powers.items():
        _add(result, {i: sympy.Integer(c) for i, c in enumerate(rows[k % order]) if c}, coefficient)
    return result


def _smallest(total: _Sum) -> tuple[int, _Powers]:
    """The least order whose roots of unity span the number, and its reduced coefficients."""
    order = math.lcm(*(q.denominator for q in total)) if total else 1
    powers = _reduce(order, {int(q * order): coefficient for q, coefficient in total.items()})
    for p in sympy.primefactors(order):
        while order % p == 0 and (smaller := _without(order, p, powers)) is not None:
            order //= p
            powers = smaller
    return order, powers


def _without(order: int, p: int, powers: _Powers) -> _Powers | None:
    """The number by powers of the p-th power of the root of unity; None if it is not a sum of them."""
    below = order // p
    if below % p == 0:
        return None if any(k % p for k in powers) else {k // p: c for k, c in powers.items()}
    # exp(2 pi i k / order) = exp(2 pi i k u / below) exp(2 pi i k v / p)
    u, v = pow(p, -1, below) if below > 1 else 0, pow(below, -1, p)
    parts: list[_Powers] = [{} for _ in range(p)]
    for k, coefficient in powers.items():
        _add(parts[k * v % p], {k * u % below: coefficient})
    # the p-th roots of unity other than 1 are independent over the smaller field, and their sum is -1
    independent = []
    for part in parts[1:]:
        _add(part, parts[0], -1)
        independent.append(_reduce(below, part))
    if any(part != independent[0] for part in independent[1:]):
        return None
    return {k: -c for k, c in independent[0].items()}


def _in_square_roots(order: int, powers: _Powers) -> sympy.Expr | None:
    """The number in square roots; None if a square of the Galois group moves it."""
    units = [a for a in range(1, order) if math.gcd(a, order) == 1]
    conjugates = {a: _reduce(order, {a * k % order: c for k, c in powers.items()}) for a in units}
    if any(conjugates[a * a % order] != powers for a in units):
        return None
    value = sympy.S.Zero
    for radicand in _radicands(order):
        root = _reduce(order, {int(q * order): c for q, c in _signed_root(radicand).items()})
        part: _Powers = {}  # the component whose sign changes with that of the root
        for a in units:
            same = _reduce(order, {a * k % order: c for k, c in root.items()}) == root
            _add(part, conjugates[a], sympy.Rational(1 if same else -1, len(units)))
        if part:
            k = next(iter(root))
            value += part.get(k, sympy.S.Zero) / root[k] * sympy.sqrt(radicand)
    return sympy.expand(value)


@cache
def _radicands(order: int) -> tuple[int, ...]:
    """The square-free integers, including 1, whose square roots are sums of roots of unity of this order."""
    found = [1, -1] if order % 4 == 0 else [1]
    for p in sympy.primefactors(order):
        if p > 2:
            found += [r * (p if p % 4 == 1 or order % 4 == 0 else -p) for r in found]
        elif order % 8 == 0:
            found += [2 * r for r in found]
    return tuple(found)


def _signed_root(radicand: int) -> _Sum:
    root = _square_root(abs(radicand))
    return root if radicand > 0 else _product([root, {Fraction(1, 4): sympy.S.One}])


def _in_powers(order: int, powers: _Powers) -> sympy.Expr:
    return sympy.expand(
        sympy.Add(*(c * sympy.exp(2 * sympy.pi * sympy.I * sympy.Rational(k, order)) for k, c in sorted(powers.items())))
    )


def _for_each(order: int, multiplicities: tuple[int, ...]) -> None:
    if len(multiplicities) != order:
        raise ValueError(f"{len(multiplicities)} multiplicities for {order} roots of unity: expected one for each")

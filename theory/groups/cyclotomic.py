"""Sums of roots of unity, exactly: simplest closed forms of character values."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import sympy

__all__ = ["reduced", "root_sum"]


@cache
def root_sum(order: int, multiplicities: tuple[int, ...]) -> sympy.Expr:
    r"""The number :math:`\sum_k m_k e^{2\pi i k / n}` in its simplest form: rational, quadratic, or cosines and roots of unity.

    Its Galois conjugates are the sums with k replaced by a k, a coprime to n. One conjugate means a rational integer; two mean
    a quadratic number, found from their sum and product, which are integers and told apart from their neighbours by rounding.

    Args:
        order: n.
        multiplicities: m_0 .. m_{n-1}, integers.

    >>> root_sum(5, (1, 1, 0, 0, 1))
    1/2 + sqrt(5)/2
    """
    m, k = np.array(multiplicities), np.arange(order)
    units = np.array([a for a in range(1, order + 1) if math.gcd(a, order) == 1])
    some = np.flatnonzero(m)
    conjugates = np.exp(2j * np.pi * (units[:, None] * k[None, some] % order) / order) @ m[some]
    value = conjugates[0]
    # algebraic integers of one number field that are this close are equal: the product over all conjugates is an integer
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
    if abs(value.imag) < 1e-9:  # and so are its conjugates: the field is abelian over the rationals
        return sympy.Add(*(int(m[j]) * sympy.cos(2 * sympy.pi * sympy.Rational(int(j), order)) for j in np.flatnonzero(m)))
    return sympy.Add(
        *(int(m[j]) * sympy.exp(2 * sympy.pi * sympy.I * sympy.Rational(int(j), order)) for j in np.flatnonzero(m))
    )


def reduced(expression: sympy.Expr) -> sympy.Expr:
    """The expression expanded, its roots of unity exp(2 pi i q) brought to the normal form of their cyclotomic field.

    >>> z = sympy.exp(2 * sympy.pi * sympy.I / 5)
    >>> reduced(1 + z + z**2 + z**3 + z**4)
    0
    """
    expression = sympy.expand(expression)
    turns = {e: e.args[0] / (2 * sympy.pi * sympy.I) for e in expression.atoms(sympy.exp)}
    turns = {e: q for e, q in turns.items() if q.is_Rational}
    if not turns:
        return expression
    order = math.lcm(*(q.q for q in turns.values()))
    z = sympy.Dummy("z")
    powers = {e: z ** int(q * order % order) for e, q in turns.items()}
    polynomial = sympy.Poly(expression.xreplace(powers), z)
    remainder = polynomial.rem(sympy.Poly(sympy.cyclotomic_poly(order, z), z))
    back = (c * sympy.exp(2 * sympy.pi * sympy.I * sympy.Rational(k, order)) for (k,), c in remainder.terms())
    return sympy.expand(sympy.Add(*back))

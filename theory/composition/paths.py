r"""The plateaus of an irrep whose coefficient has two singular values, for words of two letters.

Let the irrep rho be of real type and dimension n, with the coefficient X = sum_b s_b u_b v_b^T. Of its singular values m are s
and n - m are a smaller t > 0. The code of g is X rho(g) in this irrep, so the target of the word (g, h) has the rows
s_b v_b^T rho(g) rho(h). It splits into paths (b, a), an output and a middle vector, with the entries

    s_b  (v_b^T rho(g) v_a)  (v_a^T rho(h) e_c),      c = 1 .. n.

They are orthogonal over words by the relations of Schur, and each adds s_b^2 / n to ||X||_F^2. A neuron with the blocks
u_b v_a^T, u_a e_c^T and the output u_b e_c^T has the utility of the path (b, a), proportional to s_a s_b^2.

**Which paths are learned.** Let B be the output and A the middle vectors of the active neurons: these learn all paths of B x A.
Near such a plateau the parts of a neuron outside grow in pairs, which a learned part multiplies: either a' of the second block
with (b, a') of the first, at the rate s_{a'} s_b^2 for b in B, or b' of the output with (b', a) of the first block, at the rate
s_a s_{b'}^2 for a in A. The first jump is at the largest utility, so A and B are then the m vectors of s. Outside, the rates
are t s^2 and s t^2, so A grows next, to all n vectors; then B does. Another path (b', a') grows by a product of three small
parts until a' or b' has been learned, so it comes with B. There are three jumps. What they take off the loss is half of
n / |G| times these powers:

    m^2 s^2 / n,      m (n - m) s^2 / n,      (n - m) t^2.

The levels are exact. That these directions are the first to grow is the linear stability of each plateau.

Source: derived here; paths: Marchetti et al. (arXiv 2602.03655), proof of Theorem 4.1.
"""

from __future__ import annotations

from typing import Any

import sympy

from theory.checks import exact_expression, integer
from theory.composition.spectrum import Component

__all__ = ["path_losses", "split"]


def path_losses(component: Component, order: int) -> list[sympy.Expr]:
    """Return what each jump of the irrep takes off the loss, for words of two letters; a scalar coefficient has one jump.

    Args:
        component: The irrep and its coefficient, with exact norms.
        order: Order of the group.

    Raises:
        ValueError: The coefficient has three singular values or more, is not invertible, or is not a scalar and not real.

    >>> path_losses(Component.scalar(2, "real", 1), 6)
    [1/3]
    >>> path_losses(split(Component.scalar(2, "real", 1), sympy.Rational(1, 2)), 6)
    [1/12, 1/12, 1/24]
    """
    n, order = component.dimension, integer("order", order, "of the group", least=1)
    large, small, total = (
        _square(component.norm),
        _square(component.smallest),
        exact_expression("square_norm", component.square_norm),
    )
    share = sympy.Rational(n, 2 * order)
    if large == small:
        return [share * total]
    many: Any = (total - n * small) / (large - small)
    if small == 0 or component.kind != "real" or not (many.is_Integer and 1 <= many < n):
        raise ValueError(
            f"an irrep of {component.kind} type and dimension {n} with singular values from {component.smallest} to "
            f"{component.norm}, of square sum {total}: expected a multiple of a unitary matrix, or real type and two singular "
            "values, both positive, because the order of other jumps is not known"
        )
    return [share * many**2 * large / n, share * many * (n - many) * large / n, share * (n - many) * small]


def split(component: Component, ratio: object) -> Component:
    """Return the component of which all singular values but the first are smaller by this ratio.

    >>> split(Component.scalar(2, "real", 1), sympy.Rational(1, 2)).square_norm
    5/4
    """
    norm, ratio = exact_expression("norm", component.norm), exact_expression("ratio", ratio)
    square = norm**2 * (1 + (component.dimension - 1) * ratio**2)
    return Component(component.dimension, component.kind, norm, square, ratio * norm)


def _square(norm: object) -> Any:
    return exact_expression("norm", norm) ** 2

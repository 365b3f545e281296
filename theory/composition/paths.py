r"""The plateaus of an irrep whose coefficient has two singular values, for words of two letters.

Let the irrep rho be of real type and dimension n, with the coefficient sum_b s_b u_b v_b^T. Of its singular values m are s and
n - m are a smaller t > 0. The target of the word (g, h) has the columns rho(g) rho(h) u_b s_b. It splits into paths (a, b),

    s_b  sum_c e_c rho(g)_{c a} rho(h)_{a b} v_b^T      (indices of a middle and an output vector, in the basis u).

They are orthogonal over words by the relations of Schur, and each adds s_b^2 / n to ||x^[rho]||_F^2. Neurons with the blocks
c v_a^T, u_a v_b^T and the output c v_b^T have the utility of the path (a, b), proportional to s_a s_b^2.

**Which paths are learned.** Let A be the middle and B the output vectors of the active neurons: these learn all paths of A x B.
Near such a plateau the parts of a neuron outside grow in pairs, which a learned part multiplies: either a' of the first block
with (a', b) of the second, at the rate s_{a'} s_b^2 for b in B, or b' of the output with (a, b') of the second block, at the
rate s_a s_{b'}^2 for a in A. The first jump is at the largest utility, so A and B are then the m vectors of s. Outside, the
rates are t s^2 and s t^2, so A grows next, to all n vectors; then B does. Another path (a', b') grows by a product of three
small parts until a' or b' has been learned, so it comes with B. There are three jumps. What they take off the loss is half of
n / |G| times these powers:

    m^2 s^2 / n,      m (n - m) s^2 / n,      (n - m) t^2.

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

r"""Separation rank of linearised attention: its definition, a closed form for any number of heads, and exact ranks.

**Network.** There is no softmax, nonlinearity or skip. With ``H`` heads of size ``a = d/H`` a layer maps ``x_1, .., x_N`` to
``y_i = sum_h sum_j <Q_h x_i, K_h x_j> O_h V_h x_j``. So with ``S = sum_j x_j x_j^T``

    y_i = G x_i,   S' = G S G^T,   G = sum_h O_h (V_h S K_h^T) Q_h,

and one output coordinate at position i after L layers is ``f = <c, G_L .. G_1 x_i>``: linear in ``x_i`` and a form of degree
``n = (3^L - 1)/2`` in S, because degrees obey ``n_1 = 1, n_{l+1} = 3 n_l + 1``.

**Definition.** ``sep(f; A, B)`` is the least r with ``f = sum_{s <= r} g_s(x_A) g'_s(x_B)`` for the tokens split into two
halves, i in A. It is the rank of the matrix ``f(a, b)`` over all pairs, hence at least the rank on any templates.

**One head (H = 1).** ``S = S_A + S_B``. Split f by its degree k in ``S_B``; the parts live in different degrees on both sides,
so their ranks add. Part k is a matrix between forms of degree k in the ``m = d(d+1)/2`` entries of ``S_B`` and products (linear
in ``x_i``) x (forms of degree n - k in ``S_A``), so its rank is at most ``min(C(m+k-1, k), d C(m+n-k-1, n-k))``.

**Several heads.** The heads of layer 1 see S only through the entries of their blocks ``V_h S K_h^T``: ``mu = d a`` linear
forms ("seen" variables; for H >= 2 fewer than m, and independent for generic weights; for one head all m). f lies in a power of
the ideal of the seen ones: ``G_1`` is linear in them, ``S' = G_1 S G_1^T`` has two seen factors and one free, and then every
layer triples. So f has degree at most ``t = (3^{L-1} - 1)/2`` in the other ``m - mu`` variables. Part k is therefore a matrix
with a *staircase of zeros*: a monomial of ``S_B`` of unseen degree j meets one of ``S_A`` of unseen degree j' only if ``j + j'
<= t``. Rows with ``j < s`` and columns with ``j' <= t - s`` cover all entries, whatever s, hence

    sep <= sum_k min_{0 <= s <= t+1} ( R_k(j < s) + d R_{n-k}(j' <= t - s) ),   R_k(j) = C(mu+k-j-1, k-j) C(m-mu+j-1, j).

With ``mu = m`` this is the one-head formula. **Status:** this count proves the upper bound for all weights. Equality for
generic weights is a theorem wherever a rank modulo a prime reaches the bound (`grid_rank`), and a conjecture elsewhere. Each
side needs at least d tokens: with d of them the only relation between x_i and S_A, ``x_i^T adj(S_A) x_i = det S_A``, is even
in x_i.

**Depth against width.** The growth of the rank changes where the degree passes the number of variables, n = m, that is at
``3^L = d^2 + d + 1`` (`turning_depth`):

- Below this depth, the gain from depth is doubly exponential. The middle term of the formula alone, ``k = floor(n/2)``, is
  ``C(m+k-1, k) >= (m/k)^k``, hence ``sep(d, L) >= (2 (d+1))^k`` while ``3^L <= d`` (then ``k <= d/4``). A network of l < L
  layers has ``sep <= C(m'+n', n') <= (m'+1)^n'``, the number of forms of degree up to n' in m' variables. So it needs
  ``m' + 1 >= (2 (d+1))^(k/n')``, with k/n' about ``3^(L-l)/2`` (`width_floor`).
- Beyond this depth ``sep <= C(m+n, m)`` is a polynomial of degree m in n, so ``log_3 sep <= m L + constant`` and width pays.

The published threshold ``log_3 d`` lies inside the first range; the exact rank turns at about twice that depth.

Source: definition and network of Levine et al., arXiv 2006.12467; both formulas derived here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate

import numpy as np
import sympy

from depthjax.refusal import refusing
from theory.attention.cost import forms as cost_of_forms
from theory.attention.linear_attention import LinearAttention, grid_tensor, head_size
from theory.checks import integer
from theory.cost import Estimate, digits, power, refuse
from theory.exact.modular import PRIMES, rank_modulo

__all__ = ["degree", "graded_ranks", "grid_rank", "matching_width", "separation_rank", "turning_depth", "unseen_degree"]
__all__ += ["width_floor"]


def degree(layers: int) -> int:
    """Return the degree of the network in the token sums S: ``(3^L - 1)/2``.

    >>> [degree(layers) for layers in (1, 2, 3)]
    [1, 4, 13]
    """
    layers = _positive("layers", layers)
    refuse(digits(f"the degree of {layers:.6g} layers" if layers < 10**300 else "the degree", 1.6 * power(layers, 1)))
    return (3**layers - 1) // 2


def separation_rank(width: int, layers: int, heads: int = 1) -> int:
    """Return the separation rank of a generic network with at least `width` tokens a side; always an upper bound on the rank.

    Raises:
        ValueError: An argument is not an integer >= 1, or the width does not split into the heads.
        TooExpensive: The rank has too many digits, see `theory.cost`.

    >>> separation_rank(1, 2), [separation_rank(d, 1) for d in (1, 2, 3)], separation_rank(3, 3)
    (5, [2, 3, 4], 3102)
    >>> separation_rank(4, 2), separation_rank(4, 2, heads=2), separation_rank(4, 2, heads=4)
    (110, 107, 85)
    """
    return sum(graded_ranks(width, layers, heads))


def unseen_degree(layers: int) -> int:
    """Return the largest degree in the variables that the heads of the first layer do not see: ``(3^(L-1) - 1)/2``.

    >>> [unseen_degree(layers) for layers in (1, 2, 3)]
    [0, 1, 4]
    """
    return degree(layers) // 3


@refusing(lambda width, layers, heads, unseen: _affordable(width, layers, heads, unseen))
def graded_ranks(width: int, layers: int, heads: int = 1, unseen: int | None = None) -> tuple[int, ...]:
    """Return the terms of `separation_rank` by their degree k in the token sums of side B.

    Args:
        width: Width of the network.
        layers: Number of attention layers.
        heads: Number of heads.
        unseen: Bound on the unseen degree, by default `unseen_degree`.

    Raises:
        ValueError: As for `separation_rank`.
        TooExpensive: As for `separation_rank`.

    >>> graded_ranks(2, 2), graded_ranks(2, 2, heads=2)
    ((1, 3, 6, 6, 2), (1, 3, 5, 6, 2))
    """
    width, heads = _positive("width", width), _positive("heads", heads)
    entries = width * (width + 1) // 2
    seen = entries if head_size(width, heads) == width else width * head_size(width, heads)
    total = degree(layers)
    free = unseen_degree(layers) if unseen is None else integer("unseen", unseen, "a degree", least=0)
    free = free if seen < entries else 0
    refuse(Estimate(f"the separation ranks of degree {power(total, 1):.6g}", 2e-6 * power(total, 1) * (power(free, 1) + 1)))
    # entry s of row k: forms of degree k whose unseen degree is below s
    below = [
        list(accumulate((_forms(seen, k - j) * _forms(entries - seen, j) for j in range(min(k, free) + 1)), initial=0))
        for k in range(total + 1)
    ]
    padded = [row + row[-1:] * (free + 2 - len(row)) for row in below]
    return tuple(min(padded[k][s] + width * padded[total - k][free + 1 - s] for s in range(free + 2)) for k in range(total + 1))


def matching_width(width: int, layers: int, shallower: int) -> int:
    """Return the least width at which one head and fewer layers reach the separation rank of `width` and `layers`.

    Raises:
        ValueError: An argument is not an integer >= 1, or `shallower` is not less than `layers`.

    >>> matching_width(2, 2, 1), matching_width(2, 3, 2), matching_width(3, 3, 2)
    (17, 6, 12)
    """
    layers, shallower = _shallower(layers, shallower)
    wanted = separation_rank(width, layers)
    return _least(lambda w: separation_rank(w, shallower) >= wanted)


def width_floor(width: int, layers: int, shallower: int) -> int:
    """Return a width below which fewer layers cannot reach the rank that the formula gives to `layers` at `width`.

    The derivation uses the formula for the deep network, with the status of that formula, and a count that holds for every
    shallow network.

    Raises:
        ValueError: An argument is not an integer >= 1, `shallower` is not less than `layers`, or ``3^layers > width``.
        TooExpensive: The rank has too many digits, see `theory.cost`.

    >>> width_floor(27, 3, 1), matching_width(27, 3, 1)
    (248359, 119885505386751)
    """
    width, layers, shallower = _positive("width", width), *_shallower(layers, shallower)
    if layers >= width.bit_length() or 3**layers > width:
        raise ValueError(
            f"width = {width!s:.60}: expected at least 3^layers = 3^{layers!s:.60}, where the floor is derived. Use "
            "`matching_width`, or fewer layers."
        )
    refuse(digits(f"the rank of degree {degree(layers)}", degree(layers) / 2 * width.bit_length()))
    # the least w with (w(w+1)/2 + 1)^n' >= (2 (d+1))^k, in integers
    root, exact = sympy.integer_nthroot((2 * (width + 1)) ** (degree(layers) // 2), degree(shallower))
    forms = root + (not exact) - 1  # w(w+1)/2 is at least this
    return (math.isqrt(8 * forms - 7) + 1) // 2


def turning_depth(width: int) -> float:
    """Return the depth ``log_3(d^2 + d + 1)`` at which the degree equals the number of variables; beyond it width pays.

    >>> [round(turning_depth(d), 2) for d in (1, 2, 3, 4, 81)]
    [1.0, 1.77, 2.33, 2.77, 8.01]
    """
    width = _positive("width", width)
    return math.log(width**2 + width + 1, 3)


def grid_rank(network: LinearAttention, left: np.ndarray, right: np.ndarray, prime: int = PRIMES[0]) -> int:
    """Return the exact rank modulo a prime of ``f(a, b)`` over all pairs of templates, a lower bound on the separation rank.

    Args:
        network: Weights of the network.
        left: Integers of shape ``(templates, tokens, width)``; the output is read at token 0 of this side.
        right: Integers for the other side, of the same shape.
        prime: A prime below ``2^31``.

    Returns:
        The rank. If it equals `separation_rank`, this proves that generic weights have that separation rank.

    Raises:
        ValueError: There are so few templates that their number limits the rank, or fewer than `width` tokens on a side.

    Cost: about ``layers * width^3`` products for each pair, and the elimination; (3, 3, 1) takes 3,110 templates and half a
    minute.

    >>> templates = np.random.default_rng(1).integers(0, PRIMES[0], (2, 20, 2, 2))
    >>> grid_rank(LinearAttention.random(2, 2), *templates), grid_rank(LinearAttention.random(2, 2, heads=2), *templates)
    (18, 17)
    """
    predicted = separation_rank(*network.shape)
    if min(len(left), len(right)) <= predicted:
        raise ValueError(
            f"{len(left)} and {len(right)} templates: expected more than {predicted} on each side, the rank that is "
            f"predicted for (width, layers, heads) = {network.shape}, because a rank saturates at the number of templates. "
            "Draw more of them."
        )
    if min(left.shape[1], right.shape[1]) < network.shape[0]:
        raise ValueError(
            f"{left.shape[1]} and {right.shape[1]} tokens a side: expected at least {network.shape[0]}, the width, because "
            "token sums of fewer have no full rank and hide part of the function. Draw longer templates."
        )
    return rank_modulo(grid_tensor(network, left, right, prime), prime)


def _least(holds: Callable[[int], bool]) -> int:
    """Return the least positive integer at which a monotone condition holds."""
    low, high = 0, 1
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _shallower(layers: int, shallower: int) -> tuple[int, int]:
    layers, shallower = _positive("layers", layers), _positive("shallower", shallower)
    if shallower >= layers:
        raise ValueError(
            f"shallower = {shallower}: expected fewer than {layers} layers, because the question is what width makes up for "
            f"depth."
        )
    return layers, shallower


def _forms(variables: int, order: int) -> int:
    """Return the dimension of the space of forms of this degree."""
    return math.comb(variables + order - 1, order) if variables else int(order == 0)


def _positive(name: str, number: int) -> int:
    return integer(name, number, f"because it counts {name}", least=1)


def _affordable(width: int, layers: int, heads: int, unseen: int | None) -> None:
    """Refuse ranks whose digits take too long; see `theory.attention.cost.forms`."""
    width, layers = _positive("width", width), _positive("layers", layers)
    free = unseen_degree(layers) if unseen is None else integer("unseen", unseen, "a degree", least=0)
    refuse(cost_of_forms(width, layers, 1 + (free if heads != 1 else 0)))

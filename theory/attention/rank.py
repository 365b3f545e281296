"""The separation rank of linearised attention as a bound, and the width at which fewer layers reach the same rank."""

from __future__ import annotations

import sympy

from theory.attention.cost import forms
from theory.attention.linear_attention import head_size
from theory.attention.separation import degree, matching_width, separation_rank
from theory.bound import Assumption, Bound
from theory.checks import positive_integer
from theory.cost import refuse
from theory.registry import registered

__all__ = ["rank", "rank_width"]

_NETWORK = Assumption(
    "linearised attention: no softmax, nonlinearity, skip or norm; heads of size width/heads (taken as given)"
)
_TOKENS = Assumption("both halves have at least `width` tokens (taken as given)")
_SOURCE = "count of monomials by degree (derived, theory.attention.separation), for the network of arXiv 2006.12467"


@registered
def rank(width: int, layers: int, heads: int = 1, shallower: int | None = None) -> Bound:
    """Return the separation rank of linearised attention, or the width at which fewer layers reach it.

    The rank is an upper bound for all weights, and every network tried has reached it. That generic weights reach it is proved
    wherever a rank modulo a prime was found equal (`theory.attention.separation.grid_rank`), and conjectured elsewhere.
    ``expr`` is the exact integer and ``at()`` its float.

    Args:
        width: Width of the network.
        layers: Number of attention layers, at most 8.
        heads: Number of heads, which divides the width.
        shallower: Return instead the least width at which this number of layers of one head has this rank (`rank_width`).

    Raises:
        ValueError: A number is not an integer >= 1, the width does not split into the heads, or there are more than eight
            layers (the rank then has thousands of digits).
        TooExpensive: The rank has too many digits, see `theory.cost`.

    >>> rank(width=3, layers=3).at()
    3102.0
    >>> rank(4, 2, heads=2).expr, rank(3, 3, shallower=2).at()
    (107, 12.0)
    """
    if shallower is not None:
        if heads != 1:
            raise ValueError(
                f"shallower = {shallower} with heads = {heads}: expected one head, because widths are compared for one head "
                "only; leave --heads out (in Python: heads=1)."
            )
        return rank_width(width, layers, shallower)
    _few(layers)
    value, n = sympy.Integer(separation_rank(width, layers, heads)), degree(layers)
    if heads == 1:
        formula = "sum_k min(C(m+k-1, k), d C(m+n-k-1, n-k))"
    else:
        formula = "sum_k min_s (R_k(j < s) + d R_(n-k)(j <= t-s)), t = (n-1)/3: see theory.attention.separation"
    side = f"3^layers = {3**layers} {'<=' if 3**layers <= width else '>'} width = {width}"
    turn = "no more than" if 2 * n <= width * (width + 1) else "more than"
    return Bound(
        expr=value,
        quantity=(
            f"the separation rank of {layers} layers of linearised attention, width {width}, heads {heads}: {formula} with "
            f"degree n = {n} in m = {width * (width + 1) // 2} variables; n is {turn} m, and {side}"
        ),
        assumes=(
            _NETWORK,
            _TOKENS,
            Assumption("equality for generic weights is certified case by case; the upper bound always holds (taken as given)"),
            _fits(value),
        ),
        source=_SOURCE,
    )


@registered
def rank_width(width: int, layers: int, shallower: int) -> Bound:
    """Return the width at which fewer layers reach the separation rank of a deeper network.

    The shallower network has one head. While ``3^layers <= width``, the formula gives about ``width^(3^(layers -
    shallower))``, which is doubly exponential in the number of missing layers.

    Args:
        width: Width of the deeper network.
        layers: Layers of the deeper network, at most 8.
        shallower: Layers of the shallower network, fewer than `layers`.

    Raises:
        ValueError: As for `rank`, or `shallower` is not below `layers`.

    >>> rank_width(width=3, layers=3, shallower=2).at()
    12.0
    >>> rank_width(2, 2, 1).at()
    17.0
    """
    _few(layers)
    refuse(forms(head_size(width, 1), layers, 2))
    value = sympy.Integer(matching_width(width, layers, shallower))
    return Bound(
        expr=value,
        quantity=(
            f"the least width at which {shallower} layers of one head reach the separation rank "
            f"{separation_rank(width, layers)} of {layers} layers of width {width}"
        ),
        assumes=(
            _NETWORK,
            _TOKENS,
            Assumption("both separation ranks are those of the formula (certified case by case; taken as given)"),
            _fits(value),
        ),
        source=_SOURCE,
    )


def _few(layers: int) -> None:
    if positive_integer("layers", layers, "because it counts layers") > 8:
        raise ValueError(
            f"layers = {layers}: expected at most 8, because the rank of 3^L factors has thousands of digits by then."
        )


def _fits(value: sympy.Integer) -> Assumption:
    digits = len(str(value))
    fits = sympy.true if value < 2**1023 else sympy.false
    return Assumption(f"the number ({digits} digits) fits a float; as an exact integer it is `.expr`", fits)

"""How many hops layers follow: `theory.attention.hops.hop` asked the other way round."""

from __future__ import annotations

from typing import Literal

import sympy

from theory.attention.hops import hop_reach
from theory.bound import Assumption, Bound, integral
from theory.registry import registered

__all__ = ["hops_reached"]


@registered
def hops_reached(layers: int, mask: Literal["strict", "causal"] = "strict") -> Bound:
    """Return the hops that explicit softmax weights compute with a number of layers.

    All of hop_1 .. hop_k fit: k is ``2^(L-1) - 1`` with the strict mask in layer 1, and ``2^(L-2)`` with the causal mask.

    Args:
        layers: Number L of attention layers, from 1 to 10,000.
        mask: Mask of layer 1: "strict" sees earlier positions, "causal" sees the position itself as well.

    Raises:
        ValueError: `layers` is not such an integer, or the mask is unknown.

    >>> hops_reached(4).at(), hops_reached(4, "causal").at(), hops_reached(1).at()
    (7.0, 4.0, 0.0)
    """
    if mask not in ("strict", "causal"):
        raise ValueError(f"mask = {mask!r}: expected 'strict' or 'causal', because the two routes need different depths.")
    number = hop_reach(layers, mask)
    symbol = sympy.Symbol("layers", positive=True)
    causal = sympy.floor(2 ** (symbol - 2))  # one causal layer follows none
    return Bound(
        expr=2 ** (symbol - 1) - 1 if mask == "strict" else causal,
        quantity=f"the largest k for which so many attention layers suffice for hop_1, .., hop_k with the {mask} mask "
        f"({number if number < 10**9 else 'a large number'})",
        assumes=(
            integral(symbol),
            Assumption("one head a layer, constant width, numbers rounded in every layer (taken as given)"),
        ),
        source="arXiv 2402.09268, Theorem 4.2, solved for k; the mask that each route needs: derived by construction",
        values={symbol: sympy.Integer(layers)},
        side="below",
    )

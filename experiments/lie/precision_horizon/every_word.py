"""The first step at which some word of all is misread by a unit complex number of few bits, by listing every state.

Rounded states are finitely many, and the words of length t reach a finite set of them. While all are read rightly, a state has
one count, so a set of pairs of numbers is enough. Breadth first, a state is kept once.

Every operation is computed in float64 and rounded once to the type under test, ties to even, with gradual underflow, as in
`phases`.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, UInt

from depthjax.checks import at_least

__all__ = ["EveryWord", "every_word"]


class EveryWord(NamedTuple):
    """What all words together do.

    Attributes:
        misread: Least number of letters after which some word is misread; 0 if no word ever is.
        states: Number of states that words of fewer letters reach, the first one included.
    """

    misread: int
    states: int


def every_word(order: int, dtype: jnp.dtype, offset: float = 0.0, most: int = 4_000_000) -> EveryWord:
    """List the states of z <- exp(2 pi i a / m) z, all operations rounded, until one is misread or no new one appears.

    Args:
        order: Modulus m.
        dtype: Type of both components after every operation, of at most 24 bits.
        offset: Error of the angle of every letter, before its cosine and sine are rounded.
        most: Number of states beyond which the listing is given up.

    Raises:
        ValueError: `order` is no integer >= 1, the type has more than 24 bits, or there are more than `most` states.

    Cost: states * order complex products, and a sort of them: about a second for 500,000 states in bfloat16.

    >>> every_word(12, jnp.dtype("bfloat16")), every_word(16, jnp.dtype("bfloat16"))
    (EveryWord(misread=0, states=108), EveryWord(misread=120, states=147852))
    """
    order, kind = at_least("order", order, 1, "the modulus"), jnp.finfo(dtype)
    if kind.nmant > 23:
        raise ValueError(f"{dtype} has {kind.nmant + 1} bits: float64 can stand in only for types of at most 24")

    def near(x: np.ndarray) -> np.ndarray:
        exponent = np.maximum(np.frexp(x)[1] - 1 - kind.nmant, int(np.log2(float(kind.smallest_subnormal))))
        return np.ldexp(np.rint(np.ldexp(x, -exponent)), exponent) + 0.0  # no negative zero

    letters = np.arange(order)
    angles = 2 * np.pi * (letters / order) + offset
    cos, sin = (near(np.round(part * 2.0**50) / 2**50) for part in (np.cos(angles), np.sin(angles)))
    x, y, counts = np.ones(1), np.zeros(1), np.zeros(1, int)
    seen, step = _packed(x, y), 0
    while len(x):
        step += 1
        x, y = x[:, None], y[:, None]
        x, y = near(near(x * cos) - near(y * sin)), near(near(x * sin) + near(y * cos))
        counts = (counts[:, None] + letters) % order
        if (np.rint(np.arctan2(y, x) * (order / (2 * np.pi))).astype(int) % order != counts).any():
            return EveryWord(step, len(seen))
        states, first = np.unique(_packed(x, y), return_index=True)
        first = first[~np.isin(states, seen, assume_unique=True)]
        x, y, counts = x.ravel()[first], y.ravel()[first], counts.ravel()[first]
        seen = np.concatenate([seen, _packed(x, y)])
        if len(seen) > most:
            raise ValueError(
                f"order = {order}: {step} letters reach more than {most} states in {dtype}. All states are listed, so give "
                "`most` = a larger number, or search with `phases.earliest_failure`."
            )
    return EveryWord(0, len(seen))


def _packed(x: Float[np.ndarray, "*n"], y: Float[np.ndarray, "*n"]) -> UInt[np.ndarray, " states"]:
    """Both components as one integer; types of at most 24 bits are float32's own numbers."""
    high, low = (part.ravel().astype(np.float32).view(np.uint32).astype(np.uint64) for part in (x, y))
    return (high << np.uint64(32)) | low

"""Generic tokens and attention weights with rational entries: one of each, on which a law for almost all of them is evaluated.

Entries are ``k/8`` with k drawn from -8, .., 8 by numpy's generator with a fixed seed, so that exact and floating-point
evaluations see the same numbers.
"""

from fractions import Fraction

import numpy as np

from theory.attention.cost import entries
from theory.attention.expansion import centred
from theory.checks import positive_integer
from theory.cost import refuse

__all__ = ["fractions", "shared_row", "tokens_and_weights"]

PARTS = 8


def fractions(seed: int, *shape: int) -> np.ndarray:
    """Return Fractions of absolute value at most one, of this shape and dtype object.

    Raises:
        TooExpensive: There are too many of them, see `theory.cost`.

    >>> fractions(0, 3).tolist()
    [Fraction(3, 4), Fraction(1, 4), Fraction(0, 1)]
    """
    refuse(entries("a generic array", *shape))
    numerators = np.random.default_rng(seed).integers(-PARTS, PARTS + 1, shape)
    return np.vectorize(lambda numerator: Fraction(int(numerator), PARTS), otypes=[object])(numerators)


def shared_row(width: int) -> np.ndarray:
    """Return a row for all tokens to share; its features differ, and its entries are of order one. Shape ``(width,)``.

    Raises:
        ValueError: `width` is not an integer >= 1.
        TooExpensive: The row is too long, see `theory.cost`.

    >>> shared_row(4).tolist()
    [Fraction(-3, 4), Fraction(-1, 4), Fraction(1, 4), Fraction(3, 4)]
    """
    width = positive_integer("width", width, "the size of a token")
    refuse(entries("a row", width))
    return np.array([Fraction(2 * i - 3, 4) for i in range(width)], dtype=object)


def tokens_and_weights(seed: int, tokens: int, width: int, *stack: int, shared: bool) -> dict[str, np.ndarray]:
    """Return the tokens ``1 offset^T + eps direction`` and attention weights.

    Args:
        seed: Seed of the direction; those of the weights follow it.
        tokens: Number of tokens.
        width: Size of a token.
        stack: Leading axes of the weights: heads, or layers and heads.
        shared: The tokens share `shared_row`; otherwise their offset is zero.

    Returns:
        ``offset`` of shape ``(width,)``, the centred ``direction`` of shape ``(tokens, width)``, and ``query_key`` and
        ``value`` of shape ``(*stack, width, width)``.
    """
    return {
        "offset": shared_row(width) * int(shared),
        "direction": centred(fractions(seed, tokens, width)),
        "query_key": fractions(seed + 1, *stack, width, width),
        "value": fractions(seed + 2, *stack, width, width),
    }

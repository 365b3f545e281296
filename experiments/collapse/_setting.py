"""Rational tokens and weights that the claims on collapse share: exact for `theory`, floats for `depthjax`."""

from fractions import Fraction

import jax.numpy as jnp
import numpy as np

from depthjax.probe.collapse import Weights

SCALE = Fraction(1, 2)  # 1/sqrt(d): queries and keys have size 4


def rational(seed: int, *shape: int, parts: int = 8) -> np.ndarray:
    """Fractions of absolute value at most one, dtype object."""
    numbers = np.random.default_rng(seed).integers(-parts, parts + 1, shape)
    return np.vectorize(lambda number: Fraction(int(number), parts), otypes=[object])(numbers)


def offset(given: int, width: int) -> np.ndarray:
    """What all tokens share: a fixed generic row, or zero."""
    return np.array([Fraction(given * (2 * i - 3), 4) for i in range(width)], dtype=object)


def weights(query_key: np.ndarray, value: np.ndarray) -> Weights:
    """The same as floats."""
    return Weights(jnp.asarray(query_key.astype(float)), jnp.asarray(value.astype(float)))

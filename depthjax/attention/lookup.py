r"""Exact lookup: one softmax head reads whole numbers at a position that the query names.

The score of position p for the target t is beta (2 t p - p^2), that is -beta (p - t)^2 up to a constant of the row. Values are
rounded to the nearest integer, so a lookup is exact as long as the weights off the target move them by less than 1/2, and as
long as the scores themselves are exact: they are integers up to length^2 times a power of two.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer

from depthjax.attention.heads import softmax
from depthjax.checks import in_alphabet, marked

LARGEST = 4096  # value that `look_up` reads exactly in float32, and its number of rows


def look_up(targets: Integer[Array, " rows"], values: Integer[Array, "rows fields"]) -> Int[Array, "rows fields"]:
    """Return the values at the targeted rows (0-based), exactly. O(rows^2) scores.

    The sharpness is the smallest power of two that suffices for values up to 2^12.

    Raises:
        ValueError: More than 4096 rows, whose scores float32 does not hold, or a target or a value out of range. Under jit such
            a target yields -1, and such a value is read as -1.
    """
    rows = len(targets)
    exact_dtype(jnp.float32, rows)
    targets, values = in_alphabet("targets", targets, rows), in_alphabet("values", values, LARGEST + 1)
    position = jnp.arange(rows, dtype=jnp.float32)
    target = targets.astype(jnp.float32)[:, None]
    scores = default_sharpness(LARGEST) * (2 * target * position[None, :] - (position * position)[None, :])
    found = jnp.matmul(softmax(scores), values.astype(jnp.float32), precision="highest")
    return marked(jnp.round(found).astype(values.dtype), targets < 0)


def default_sharpness(span: int, dtype: Any = jnp.float32) -> float:
    """Return the smallest power of two beta at which every retrieved number in 0 ... span rounds correctly.

    The error of the weights (`lookup_error`) and the rounding of their arithmetic together stay below 1/2.

    Raises:
        ValueError: The rounding alone reaches 1/2, at every sharpness; the message names a type that suffices.
    """
    rounding = _rounding(span, dtype)
    if rounding >= 0.5:
        wider = next((str(jnp.dtype(d)) for d in (jnp.float32, jnp.float64) if _rounding(span, d) < 0.5), "no float type")
        raise ValueError(
            f"numbers up to {span} that one head averages round by {rounding:.2g} in {jnp.dtype(dtype)}, and are read exactly "
            f"below 1/2; {wider} suffices"
        )
    beta = 2.0
    while lookup_error(span, beta) + rounding >= 0.5:
        beta *= 2
    return beta


def _rounding(span: int, dtype: Any) -> float:
    """Of a weighted mean of numbers up to `span`: a few roundings of the sums and one of the exponential."""
    return 16 * float(jnp.finfo(dtype).eps) * span


def lookup_error(span: int, beta: float) -> float:
    """Return the largest error of a retrieved number in 0 ... span: span s / (1 + s), s = sum of exp(-beta d^2) over d != 0."""
    leak = 2 * sum(math.exp(-beta * d * d) for d in range(1, 40))
    return span * leak / (1 + leak)


def longest_length(dtype: Any) -> int:
    """Return the largest N at which all scores 2 t p - p^2 are exact: N^2 may not exceed 2^(mantissa bits)."""
    return math.isqrt(2 ** (jnp.finfo(dtype).nmant + 1))


def exact_dtype(dtype: Any, length: int) -> np.dtype:
    """Return the dtype if lookups among `length` positions are exact in it.

    Raises:
        ValueError: The dtype is not a floating point type, is disabled, or is too narrow; the message names one that suffices.
    """
    kind = jnp.dtype(dtype)
    if not jnp.issubdtype(kind, jnp.floating):
        raise ValueError(f"dtype must be a floating point type, got {kind}")
    if kind == jnp.float64 and not jax.config.read("jax_enable_x64"):
        raise ValueError("float64 is switched off in JAX: call jax.config.update('jax_enable_x64', True) first")
    limit = longest_length(kind)
    if length > limit:
        wider = next((str(jnp.dtype(d)) for d in (jnp.float32, jnp.float64) if longest_length(d) >= length), "no float type")
        raise ValueError(
            f"length {length} exceeds the limit {limit} of {kind}: its scores are integers up to length^2, which must fit "
            f"{jnp.finfo(kind).nmant + 1} bits; {wider} suffices"
        )
    return kind

r"""The log-signature of a path in the Lyndon basis.

For increments x_1, ..., x_T of a piecewise linear path the signature is the product exp(x_1) exp(x_2) ... exp(x_T) in
the truncated tensor algebra, and the log-signature is its logarithm: the Baker-Campbell-Hausdorff series of T letters,
and the Magnus series of a piecewise constant generator. It is a Lie element, given here by its coefficients on the
Lyndon *brackets* P_w (not by the coefficients at the Lyndon words that some packages return;
`depthjax.lyndon.words_from_brackets` converts).

Source: Chen, Annals of Mathematics 65 (1957); Lyons, Caruana and Levy, Differential Equations Driven by Rough Paths
(2007).
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.checks import at_least, floating
from depthjax.lyndon import brackets_from_words
from depthjax.tensor_algebra import exponential, log_at_lyndon_words, times_exponential


def log_signature(
    increments: Float[Array, "... length channels"], order: int, *, stream: bool = False
) -> Float[Array, "... dim"]:
    """Return log(exp(x_1) ... exp(x_T)) up to brackets of `order` letters, on the Lyndon brackets ordered by degree, then word.

    The number of coordinates is the sum of the Witt numbers of degrees 1 to `order`. With `stream` the result has a
    time axis, (..., length, dim): the log-signature of every prefix.

    Args:
        increments: steps of the path (not its points), at least one; any leading batch axes.
        order: highest degree kept.
        stream: return every prefix.

    Raises:
        TypeError: the increments are not real floating point, or `order` is not an integer.
        ValueError: `order` below 1, or no increment or no channel.
    """
    floating("increments", increments)
    at_least("order", order, 1, "degree 1 is the sum of the increments; order 0 has no coordinates")
    at_least("number of axes of increments", increments.ndim, 2, "the last two axes are length and channels")
    at_least("length", increments.shape[-2], 1, "pass increments, the differences of the points of the path")
    at_least("channels", increments.shape[-1], 1)
    return _log_signature(increments, order, stream)


@partial(jax.jit, static_argnums=(1, 2))
def _log_signature(increments: Array, order: int, stream: bool) -> Array:
    *batch, length, channels = increments.shape
    steps = jnp.moveaxis(increments.reshape(-1, length, channels), 0, -1)  # (length, channels, columns)
    first = exponential(steps[0], order)
    final, after = jax.lax.scan(
        lambda levels, x: 2 * (times_exponential(levels, x),) if stream else (times_exponential(levels, x), None),
        first,
        steps[1:],
    )
    if not stream:
        return _coordinates(final, channels).reshape(*batch, -1)
    every = jax.tree.map(lambda a, b: jnp.moveaxis(jnp.concatenate([a[None], b]), 0, -1).reshape(a.shape[0], -1), first, after)
    every = _coordinates(every, channels).reshape(-1, length, _dimension(channels, order))
    return every.reshape(*batch, length, -1)


def _coordinates(levels: tuple[Array, ...], channels: int) -> Array:
    """Bracket coordinates, shape (columns, dim), of the logarithm of 1 + levels."""
    words = log_at_lyndon_words(levels, channels)
    parts = [jnp.asarray(brackets_from_words(channels, m), part.dtype) @ part for m, part in enumerate(words, 1)]
    return jnp.concatenate(parts).T


def _dimension(channels: int, order: int) -> int:
    return sum(len(brackets_from_words(channels, degree)) for degree in range(1, order + 1))

r"""The log-signature of a path in the Lyndon basis.

For increments x_1, ..., x_T of a piecewise linear path the signature is the product S_T = exp(x_1) exp(x_2) ...
exp(x_T) in the truncated tensor algebra, and the log-signature is its logarithm z: the Baker-Campbell-Hausdorff series
of T letters, and the Magnus series of a piecewise constant generator. It is a Lie element, given here by its
coefficients on the Lyndon *brackets* P_w, unless another basis is asked for (`depthjax.lie.coordinates`).

**Gradient.** It needs only z and the increments, no signature, and nothing is stored along the path. Write B_t = exp(x_{t+1})
... exp(x_T) and d exp(x) = exp(x) psi(ad x) dx, psi(a) = (1 - e^{-a}) / a. Then

    S_T^{-1} dS_T = sum_t Ad(B_t^{-1}) psi(ad x_t) dx_t,        dz = psi(ad z)^{-1} (S_T^{-1} dS_T),

all inside the Lie algebra, whose dimension is about `order` times smaller than the tensor algebra's. Backwards: mu_T =
psi(ad z)^{-T} g for the cotangent g of z, the gradient of x_t is psi(ad x_t)^T mu_t on the letters, and mu_{t-1} =
exp(-ad x_t)^T mu_t.

A small batch is enlarged: each path is cut into pieces that run side by side, and their signatures are multiplied at the end.
Longer pieces run as two halves, which takes half as many steps; the gradient runs on whole pieces.

Source: Chen, Annals of Mathematics 65 (1957); Reutenauer, Free Lie Algebras (1993), for the Lyndon basis; the gradient
is derived here.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.checks import at_least, floating
from depthjax.cost import power, refuse
from depthjax.lie.brackets import coadjoint_series, coadjoint_step, never
from depthjax.lie.coordinates import BASES, in_basis
from depthjax.lie.lyndon import lyndon_basis
from depthjax.lie.series import exponential_series, inverse_derivative_series
from depthjax.lie.tensor_algebra import LANES, deal, exponential, log_brackets, multiply, times_exponential
from depthjax.scans import prefix_sum

Tensors = tuple[Array, ...]  # levels of the tensor algebra

_WORD = 1.6e4  # bytes of tables for a word of the highest degree, measured
_HALVED = 16  # steps of a path, from which on its two halves run side by side


def log_signature(
    increments: Float[Array, "... length channels"] | None = None,
    order: int = 0,
    *,
    path: Float[Array, "... points channels"] | None = None,
    basis: str = "lyndon",
    stream: bool = False,
    forward: bool = False,
    limit: float = 1.0,
) -> Float[Array, "... dim"]:
    """Return log(exp(x_1) ... exp(x_T)) up to brackets of `order` letters, on the Lyndon brackets.

    The brackets are ordered by degree, then word; their number is the sum of the Witt numbers of degrees 1 to `order`. With
    `stream` the result has a time axis, (..., length, dim): the log-signature of every prefix.

    The function works under jit, vmap and (repeated) reverse-mode differentiation, in the dtype of `increments`. Its gradient
    is a custom rule, which forward mode cannot use: set `forward` for `jax.jvp` and `jax.jacfwd`. Paths of a batch are
    independent: a path that is not finite, or overflows, has gradient NaN and does not affect the others.

    Cost: about 2 * channels ** order multiply-adds for each increment, and half as many numbers of memory for each path, or for
    each increment with `stream`.

    Args:
        increments: Steps of the path, at least one; any leading batch axes, which may be empty.
        order: Highest degree kept, 1 or more; it must be given.
        path: Points of the path, at least two, in place of its steps.
        basis: The coordinates: "lyndon" brackets, coefficients at Lyndon "words", or right-normed "brackets" of all words
            (see `depthjax.lie.coordinates`); the number of coordinates of the last is channels + ... + channels ** order.
        stream: Return the log-signature of every prefix.
        forward: Allow forward-mode differentiation; reverse mode then keeps the signatures of all prefixes in memory.
        limit: Memory that the tables of words may take, as a multiple of 4 GiB. The tables do not depend on the paths.

    Raises:
        TypeError: The increments are not real floating point, or `order` is not an integer.
        ValueError: `order` is below 1, there is no increment or no channel, the basis is unknown, or increments and path are
            both given, or neither.
        TooLarge: channels ** order exceeds the limit; refused before any work.

    >>> square = jnp.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    >>> log_signature(path=square, order=2).round(6).tolist()  # a closed path has no displacement, but an area
    [0.0, 0.0, 1.0]
    """
    if basis not in BASES:
        raise ValueError(f"basis = {basis!r}: expected one of {', '.join(map(repr, BASES))}")
    increments = _steps(increments, path)
    at_least("order", order, 1, "degree 1 is the sum of the increments; order 0 has no coordinates")
    at_least("number of axes of increments", increments.ndim, 2, "the last two axes are length and channels")
    *batch, length, channels = increments.shape
    at_least("length of the increments", length, 1, "pass increments, the differences of the points of the path")
    at_least("channels of the increments", channels, 1)
    if channels > 1:
        words = power(channels, order)
        refuse(f"a log-signature of order {order} in {channels} channels", _WORD * words / 2**30, limit)
    if 0 in batch:
        dimension = lyndon_basis(channels, order).dimension
        if basis == "brackets":
            dimension = sum(channels**degree for degree in range(1, order + 1))
        return jnp.zeros((*batch, length, dimension) if stream else (*batch, dimension), increments.dtype)
    steps = jnp.moveaxis(increments.reshape(-1, length, channels), 0, -1)
    if order == 1 or channels == 1:
        # no bracket beyond the letters
        every = prefix_sum(steps) if stream else jnp.sum(steps, axis=0, keepdims=True)
    else:
        every = _plain(steps, order, stream) if forward else _reverse_mode(steps, order, stream)
    result = in_basis(jnp.moveaxis(every, -1, 0), channels, order, basis)
    return result.reshape(*batch, length, -1) if stream else result.reshape(*batch, -1)


def _reverse_mode(steps: Array, order: int, stream: bool) -> Array:
    """Apply the function with the custom gradient; forward mode is refused in words that name the way out."""
    try:
        return _log_signature(steps, order, stream)
    except TypeError as error:
        if "forward-mode" not in str(error):
            raise
        raise TypeError(
            "log_signature was differentiated in forward mode (jax.jvp, jax.jacfwd), which its gradient rule does not support: "
            "call log_signature(..., forward=True), or reverse mode (jax.grad, jax.jacrev). A JAX custom_vjp allows no other."
        ) from error


def _steps(increments: Array | None, path: Array | None) -> Array:
    if path is None and increments is not None:
        return floating("increments", increments)
    if path is not None and increments is None:
        return jnp.diff(floating("path", path), axis=-2)
    raise ValueError("give the steps of the path (increments=) or its points (path=), one of the two")


@partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _differentiable(steps: Array, order: int, stream: bool) -> Array:
    """Steps (length, channels, columns) to brackets (length or 1, dim, columns)."""
    return _forward(steps, order, stream)[0]


def _forward(steps: Array, order: int, stream: bool) -> tuple[Array, tuple[Array, Tensors | None, Array]]:
    length, _, columns = steps.shape
    if stream:
        final, before = _signatures(steps, order, stream=True)
        every = jax.tree.map(lambda a, b: jnp.concatenate([a, b[None]]), before, final)
        # as many prefixes of a path side by side as fill the lanes of a block
        blocks, lanes = len(final[0]), final[0].shape[-1]
        group = LANES // lanes

        def grouped(level: Array) -> Array:
            padded = jnp.pad(level, [(0, -length % group)] + [(0, 0)] * (level.ndim - 1))
            groups = jnp.moveaxis(padded.reshape(-1, group, *level.shape[1:]), 1, -2)
            return groups.reshape(-1, *level.shape[2:-1], group * lanes)

        brackets = log_brackets(jax.tree.map(grouped, every))
        brackets = jnp.moveaxis(brackets.reshape(len(brackets), -1, blocks, group, lanes), (1, 3), (0, 1))
        brackets = brackets.reshape(-1, brackets.shape[2], blocks * lanes)[:length, :, :columns]
        return brackets, (steps, None, brackets)
    pieces = _pieces(length, columns)
    levels, _ = _signatures(_cut(steps, pieces), order)
    brackets = log_brackets(_product(levels, pieces, columns))[None, :, :columns]
    return brackets, (steps, levels if pieces > 1 else None, brackets)


def _backward(order: int, stream: bool, saved: tuple[Array, Tensors | None, Array], cotangent: Array) -> tuple[Array]:
    steps, levels, brackets = saved
    length, channels, columns = steps.shape
    series = partial(coadjoint_series, letters=channels, nilpotency=order)
    inverse = inverse_derivative_series(order)
    # A path without a finite logarithm has gradient NaN. The other paths are not affected.
    spoiled = ~jnp.isfinite(brackets[-1]).all(axis=0)
    cotangent = jnp.where(spoiled[None, None], jnp.nan, cotangent)
    barred = never(steps)
    if stream:
        columns_of = lambda array: jnp.moveaxis(array, 0, 1).reshape(array.shape[1], -1)  # noqa: E731
        sources = series(columns_of(brackets), columns_of(cotangent), inverse)
        sources = jnp.moveaxis(sources.reshape(-1, length, columns), 1, 0)
        return (_gradients(steps, jnp.zeros_like(sources[0]), sources, order, barred),)
    functional = series(brackets[0], cotangent[0], inverse)
    pieces = _pieces(length, columns)
    if levels is not None:
        # the functional at the end of every piece of the path
        logs = log_brackets(levels)[:, : pieces * columns]
        logs = jnp.moveaxis(logs.reshape(-1, pieces, columns), 1, 0)
        shrink = exponential_series(order, -1)
        _, ends = jax.lax.scan(lambda mu, z: (series(z, mu, shrink), mu), functional, logs, reverse=True)
        functional = jnp.moveaxis(ends, 0, 1).reshape(-1, pieces * columns)
    gradients = _gradients(_cut(steps, pieces), functional, None, order, barred)
    gradients = jnp.moveaxis(gradients.reshape(-1, channels, pieces, columns), 2, 0)
    return (gradients.reshape(-1, channels, columns)[:length],)


_differentiable.defvjp(_forward, _backward)
_log_signature = jax.jit(_differentiable, static_argnums=(1, 2))
_plain = jax.jit(lambda steps, order, stream: _forward(steps, order, stream)[0], static_argnums=(1, 2))


def _signatures(steps: Array, order: int, *, stream: bool = False) -> tuple[Tensors, Tensors | None]:
    """Signatures after the last step and, with `stream`, after every step but the last (leading axis)."""
    steps = jax.vmap(deal)(steps)
    halves = not stream and len(steps) >= _HALVED
    if halves:
        # each kernel is started for half as many steps (measured: a tenth less time, a third less at low orders)
        steps = jnp.pad(steps, [(0, len(steps) % 2)] + [(0, 0)] * 3)
        steps = jnp.concatenate(jnp.split(steps, 2), axis=1)
    first = exponential(steps[0], order)
    if len(steps) == 1:
        return first, jax.tree.map(lambda a: a[None][:0], first) if stream else None

    # The step travels in the carry: read as a slice inside the loops of the body it would keep LLVM from vectorising
    # them (measured: 3 times slower).
    def body(carry: tuple[Tensors, Array], following: Array) -> tuple[tuple[Tensors, Array], Tensors | None]:
        levels, x = carry
        return (times_exponential(levels, x), following), levels if stream else None

    (final, _), before = jax.lax.scan(body, (first, steps[1]), jnp.concatenate([steps[2:], steps[:1]]))
    if halves:
        front, back = zip(*(jnp.split(level, 2) for level in final), strict=True)
        final = multiply(front, back)
    return final, before


def _gradients(steps: Array, functional: Array, sources: Array | None, order: int, barred: Array) -> Array:
    """Gradients of the steps, from the functional after the last step and, with `sources`, those added after each step."""

    def body(carry: tuple[Array, Array], previous: tuple[Array, Array | None]) -> tuple[tuple[Array, Array], Array]:
        mu, x = carry
        mu, gradient = coadjoint_step(x, mu, order, barred)
        step, source = previous
        return (mu if source is None else mu + source, step), gradient

    shifted = jax.tree.map(lambda a: jnp.concatenate([a[-1:], a[:-1]]), (steps, sources))
    last = functional if sources is None else functional + sources[-1]
    return jax.lax.scan(body, (last, steps[-1]), shifted, reverse=True)[1]


def _product(levels: Tensors, pieces: int, columns: int) -> Tensors:
    """Multiply the signatures of the pieces of each path, which lie side by side in the lanes of one block.

    Each round doubles the number of pieces in the product that begins at a lane; lanes of zeros stand for the identity.
    """

    def double(k: Array, levels: Tensors) -> Tensors:
        shift = columns << k

        def following(level: Array) -> Array:
            padded = jnp.pad(level, [(0, 0)] * (level.ndim - 1) + [(0, level.shape[-1])])
            return jax.lax.dynamic_slice_in_dim(padded, shift, level.shape[-1], axis=-1)

        return multiply(levels, jax.tree.map(following, levels))

    return jax.lax.fori_loop(0, (pieces - 1).bit_length(), double, levels)


def _pieces(length: int, columns: int) -> int:
    """Number of pieces to cut each path into: as many as fill the lanes of a block, none shorter than four steps."""
    return max(1, min(LANES // columns, length // 4))


def _cut(steps: Array, pieces: int) -> Array:
    """Steps (length, channels, columns) to (length / pieces, channels, pieces * columns), with steps of zero at the end."""
    length, channels, columns = steps.shape
    padded = jnp.pad(steps, [(0, -length % pieces), (0, 0), (0, 0)])
    pieces_first = padded.reshape(pieces, -1, channels, columns)
    return jnp.moveaxis(pieces_first, 0, 2).reshape(-1, channels, pieces * columns)

r"""Pure attention with its residual kept apart from the common part of the tokens, so rounding does not drown it at any depth.

Tokens are ``X = 1 c^T + r U`` with ``|U| = 1`` and ``log r`` a number. A row of attention is ``P_ij = p_j exp(M_ij) / sum_k p_k
exp(M_ik)`` with ``M = r^2 U A U^T s``, p = softmax of the part of the logits that all rows share (s: scale). So

    P X W = 1 (c + r U^T p)^T W + r^3 [(P - p) / r^2] U W,
    (P - p)_ij / r^2 = p_j (g_ij - sum_k p_k g_ik) / (1 + r^2 sum_k p_k g_ik),

``g = expm1(r^2 u)/r^2``, ``u = U A U^T s``: every factor is of order one and computed to relative accuracy. This is the exact
layer, not its leading term; if ``r^2`` underflows, the leading term is exact to all digits. Under a mask the rows see different
tokens, and the residual is ``r P U W``.
"""

import itertools
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from depthjax.attention import softmax, visible

Scale = float | Float[Array, ""]
TINY = 1e-200  # below this r^2, expm1(r^2 u)/r^2 equals u to the last digit


class Weights(NamedTuple):
    """Attention without skip, norm or feed-forward part; leading axes of layers are scanned over."""

    query_key: Float[Array, "*layers heads width width"]  # W_Q W_K^T
    value: Float[Array, "*layers heads width width"]  # W_V, output projection included


class Tokens(NamedTuple):
    """Tokens as ``1 common^T + exp(log_size) direction``."""

    common: Float[Array, " width"]
    direction: Float[Array, "tokens width"]
    log_size: Float[Array, ""]


class LayerReport(NamedTuple):
    """The effect of one layer. Norms are ``|.|_1`` (columns), ``|.|_inf`` (rows) and the root of their product."""

    log_frobenius: Float[Array, ""]  # log of the residual after the layer, Frobenius norm
    log_composite: Float[Array, ""]  # the same in the composite size
    coefficient: Float[Array, ""]  # composite size after, over the cube of that before
    largest_share: Float[Array, ""]  # largest entry of p
    spread: Float[Array, ""]  # sum_i max_j |M_ij| / |M|_1
    log_largest_logit: Float[Array, ""]  # log max |M|


def composite(matrix: Float[Array, "rows columns"]) -> Float[Array, ""]:
    """Return the root of the largest column sum times the largest row sum of absolute values; no triangle inequality holds."""
    size = jnp.abs(matrix)
    return jnp.sqrt(size.sum(axis=0).max() * size.sum(axis=1).max())


def separated(tokens: Float[Array, "tokens width"], common: Float[Array, " width"]) -> Tokens:
    """Return the tokens with the row `common` subtracted."""
    difference = tokens - common[None]
    size = jnp.linalg.norm(difference)
    return Tokens(common, difference / size, jnp.log(size))


@partial(jax.jit, static_argnames="recentre")
def collapse(weights: Weights, start: Tokens, scale: Scale, recentre: bool = True) -> tuple[Tokens, LayerReport]:
    """Run pure attention through all layers of `weights` in the rescaled form.

    Args:
        weights: Weights with one leading axis of layers.
        start: Tokens; their direction should be centred if `recentre`.
        scale: Scale of the logits, 1/sqrt(size of a query).
        recentre: Move the mean of the residual into the common row after every layer (the smallest Frobenius residual).
            Otherwise the residual is the sum over heads of (P - 1 p^T) E W, as in the doubly exponential bound.

    Returns:
        The tokens after the last layer, and the stacked reports of all layers.
    """

    def step(state: Tokens, layer: Weights) -> tuple[Tokens, LayerReport]:
        return _layer(layer, state, scale, recentre)

    return jax.lax.scan(step, start, weights)


@partial(jax.jit, static_argnames="mask")
def masked_collapse(weights: Weights, start: Tokens, scale: Scale, mask: str) -> tuple[Tokens, Float[Array, " layers"]]:
    """Run masked attention; `start.common` must be token 1, whose direction is 0 and stays 0 under "causal" and "window".

    Returns:
        The tokens after the last layer, and the factor by which each layer multiplied the Frobenius distance to token 1.

    Raises:
        ValueError: The mask is not "full", "causal" or "window".
    """
    if mask not in ("full", "causal", "window"):
        raise ValueError(f"mask must be 'full', 'causal' or 'window', got {mask!r}: every token must see at least itself")

    def step(state: Tokens, layer: Weights) -> tuple[Tokens, Array]:
        r, u = jnp.exp(state.log_size), state.direction
        seen = visible(jnp.arange(len(u)), jnp.arange(len(u)), mask)
        logits = scale * r * jnp.einsum("id,hde,je->hij", state.common[None] + r * u, layer.query_key, u)
        attention = softmax(logits, seen)
        moved = jnp.einsum("hij,jd,hde->ie", attention, u, layer.value)
        common = jnp.einsum("d,hde->e", state.common, layer.value) + r * moved[0]
        moved = moved - moved[:1]
        growth = jnp.linalg.norm(moved)
        return Tokens(common, moved / growth, state.log_size + jnp.log(growth)), growth

    return jax.lax.scan(step, start, weights)


def attention_matrices(
    tokens: Float[Array, "tokens width"], query_key: Float[Array, "heads width width"], scale: Scale
) -> Float[Array, "heads tokens tokens"]:
    """Return the matrices of softmax attention, one for each head."""
    return softmax(scale * jnp.einsum("id,hde,je->hij", tokens, query_key, tokens))


def attend(tokens: Float[Array, "tokens width"], weights: Weights, scale: Scale) -> Float[Array, "tokens width"]:
    """Return one layer of pure attention on plain tokens, the sum over heads."""
    return jnp.einsum("hij,jd,hde->ie", attention_matrices(tokens, weights.query_key, scale), tokens, weights.value)


def centred(tokens: Float[Array, "*batch tokens width"]) -> Float[Array, "*batch tokens width"]:
    """Return the tokens minus their mean."""
    return tokens - tokens.mean(axis=-2, keepdims=True)


def layer_norm(tokens: Float[Array, "tokens width"]) -> Float[Array, "tokens width"]:
    """Return the rows minus their mean, divided by their standard deviation; no gain, bias or epsilon."""
    tokens = tokens - tokens.mean(axis=-1, keepdims=True)
    return tokens / jnp.sqrt((tokens**2).mean(axis=-1, keepdims=True))


def _layer(layer: Weights, state: Tokens, scale: Scale, recentre: bool) -> tuple[Tokens, LayerReport]:
    common, u, log_size = state
    r, square = jnp.exp(log_size), jnp.exp(2 * log_size)
    shared = softmax(scale * r * jnp.einsum("d,hde,je->hj", common, layer.query_key, u))
    score = scale * jnp.einsum("id,hde,je->hij", u, layer.query_key, u)
    tiny = square < TINY
    grown = jnp.where(tiny, score, jnp.expm1(square * score) / jnp.where(tiny, 1.0, square))
    mean = jnp.einsum("hj,hij->hi", shared, grown)[..., None]
    change = shared[:, None, :] * (grown - mean) / (1 + square * mean)
    moved = jnp.einsum("hij,jd,hde->ie", change, u, layer.value)
    row = jnp.einsum("hde,hd->e", layer.value, common[None] + r * jnp.einsum("hj,jd->hd", shared, u))
    if recentre:
        row, moved = row + r * square * moved.mean(axis=0), centred(moved)
    size, magnitude = jnp.linalg.norm(moved), jnp.abs(score)
    log_after = 3 * log_size + jnp.log(size)
    report = LayerReport(
        log_frobenius=log_after,
        log_composite=3 * log_size + jnp.log(composite(moved)),
        coefficient=composite(moved) / composite(u) ** 3,
        largest_share=shared.max(),
        spread=(magnitude.max(axis=2).sum(axis=1) / magnitude.sum(axis=1).max(axis=1)).max(),
        log_largest_logit=2 * log_size + jnp.log(magnitude.max()),
    )
    return Tokens(row, moved / size, log_after), report


def concentrated_attention(tokens: int, share: float, logit: float) -> Float[Array, ""]:
    r"""Return a coefficient of one layer in units of beta/sqrt(d); one token holds `share` of p, others raise their own column.

    ``X = 1 x^T + I`` in ``tokens`` dimensions, ``M = E A E^T / sqrt(d) = logit diag(0, 1, 0, 1, ..)``, x such that p has its
    first entry equal to `share` and the others equal (the zeros stand for arbitrarily small numbers, which x compensates), and
    W keeps the first coordinate. Then ``|M|_1 = logit`` is small against ``sum_i max_j |M_ij|``, the case of the entry factor.
    Rows of one kind are permutations of each other, so one of each is computed. The smallest composite size of ``I - 1 y^T`` is
    one, at y = 0.

    Returns:
        A lower bound, over all rows y, of the composite size of ``SA(X) - 1 y^T``, divided by ``|M|_1``: the least column sum
        times the least row sum. A bound without entry factor says at most 4.
    """
    row = jnp.log(jnp.where(jnp.arange(tokens) == 0, share, (1 - share) / (tokens - 1)))
    raised = row + jnp.where(jnp.arange(tokens) == 1, logit, 0.0)
    plain, moved = softmax(row)[0], softmax(raised)[0]
    # half of the rows hold one value and half the other: any y between them gives the same column sum
    gap = jnp.abs(plain - moved)
    return jnp.sqrt((tokens // 2) * gap * (gap / 2)) / logit


def paths(layers: int, heads: int, skip: bool) -> Int[np.ndarray, "paths layers"]:
    """Return all paths through the layers, one row of heads 1, .., H each; with skips also 0, for a layer that is skipped."""
    return np.array(list(itertools.product(range(0 if skip else 1, heads + 1), repeat=layers)))


@jax.jit
def path_sum(
    tokens: Float[Array, "tokens width"],
    weights: Weights,
    bias: Float[Array, "layers width"],
    scale: Scale,
    walks: Int[Array, "paths layers"],
    skip: bool | Bool[Array, ""],
    identity_attention: bool | Bool[Array, ""] = True,
) -> tuple[Float[Array, "tokens width"], Float[Array, "paths tokens width"]]:
    """Run a network of pure attention, and the contribution of each path with the attention of that run.

    Args:
        tokens: Input of the network.
        weights: Weights with one leading axis of layers.
        bias: Added to every token after each layer; paths ignore it.
        scale: Scale of the logits.
        walks: Paths, as from `paths`.
        skip: Whether the network adds the input of a layer to its output.
        identity_attention: Whether head 0 of a path is P = I, W = I; otherwise W = I with the attention of the first head.

    Returns:
        The output of the network, and the terms of the paths.

    Cost: ``(H + 1)^L`` or ``H^L`` products of matrices; small networks only.
    """

    def layer(carry: tuple[Array, Array], parts: tuple[Weights, Array, Array]) -> tuple[tuple[Array, Array], None]:
        current, walked = carry
        own, shift, head = parts
        attention = attention_matrices(current, own.query_key, scale)
        first = jnp.where(identity_attention, jnp.eye(len(tokens)), attention[0])
        left = jnp.concatenate([first[None], attention])[head]
        right = jnp.concatenate([jnp.eye(tokens.shape[1])[None], own.value])[head]
        output = attend(current, own, scale) + shift[None] + jnp.where(skip, current, 0.0)
        return (output, jnp.einsum("pij,pjd,pde->pie", left, walked, right)), None

    start = jnp.broadcast_to(tokens, (len(walks), *tokens.shape))
    return jax.lax.scan(layer, (tokens, start), (weights, bias, walks.T))[0]


def term_ranks(
    walks: Int[np.ndarray, "paths layers"], terms: Float[np.ndarray, "paths tokens width"], floor: float, longest: int
) -> tuple[Int[np.ndarray, "2 lengths"], int]:
    """Return the smallest and the largest rank of a path of each length up to `longest`, and the dimension of the span of all.

    Terms, as from `path_sum`, are scaled to norm one, and singular values above the rounding of the smallest term count.
    `floor` is the rounding of a term before this. Ranks are 0 where no path exists.
    """
    sizes = np.linalg.norm(terms, axis=(1, 2), keepdims=True)
    unit, noise = terms / sizes, len(terms) ** 0.5 * floor / sizes.min()
    ranks, lengths = (np.linalg.svd(unit, compute_uv=False) > noise).sum(axis=-1), (walks > 0).sum(axis=1)
    found = [ranks[lengths == length] if (lengths == length).any() else np.zeros(1, int) for length in range(longest + 1)]
    ends = np.array([[some.min() for some in found], [some.max() for some in found]])
    return ends, int((np.linalg.svd(unit.reshape(len(unit), -1), compute_uv=False) > noise).sum())

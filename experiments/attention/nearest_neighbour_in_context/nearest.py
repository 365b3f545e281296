"""One softmax head that predicts the label of the nearest key, and contexts that make it err most."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depthjax.attention.heads import softmax


@jax.jit
def nearest_head(
    keys: Float[Array, "... context size"],
    labels: Float[Array, "... context"],
    query: Float[Array, "... size"],
    beta: Float[Array, ""] | float,
) -> Float[Array, "..."]:
    """Return the output of the head: labels weighed by the softmax of beta (2 <query, key> - |key|^2)."""
    scores = 2 * jnp.einsum("...nd,...d->...n", keys, query) - jnp.square(keys).sum(axis=-1)
    return (softmax(beta * scores) * labels).sum(axis=-1)


@partial(jax.jit, static_argnames=("size", "dimension", "count"))
def contexts(
    key: Key[Array, ""], size: int, dimension: int, count: int, margin: Float[Array, ""] | float
) -> tuple[Float[Array, "count context size"], Float[Array, "count context"], Float[Array, "count size"]]:
    """Return random keys, labels and queries: key 0 has label 1 and is nearest, by this margin before keys of another label.

    A negative margin makes some key of label 0 the nearest and puts the nearest key of label 1 that much farther out. Labels of
    other keys are 0 or 1, and at least one is 0.
    """
    places, marks, spots = jax.random.split(key, 3)
    keys = jax.random.normal(places, (count, size, dimension))
    query = jax.random.normal(spots, (count, dimension))
    labels = jax.random.bernoulli(marks, 0.5, (count, size)).astype(keys.dtype).at[:, 0].set(1.0).at[:, 1].set(0.0)
    return _placed(keys, labels, query, margin), labels, query


@partial(jax.jit, static_argnames=("size", "dimension", "count", "steps"))
def worst_errors(
    key: Key[Array, ""],
    size: int,
    dimension: int,
    count: int,
    margin: Float[Array, ""] | float,
    beta: Float[Array, ""] | float,
    steps: int,
) -> Float[Array, " count"]:
    """Return the errors of the head in contexts that ascent from random ones has made worse.

    The right key is at distance one. Directions, distances beyond the margin and labels in [0, 1] of all other keys are free,
    and follow the signs of the gradient.
    """
    towards, beyond, marks = jax.random.split(key, 3)
    shape = count, size - 1
    free = (
        jax.random.normal(towards, (*shape, dimension)),
        jax.random.normal(beyond, shape),
        jax.random.normal(marks, shape),
    )

    def error(free: tuple[Array, Array, Array]) -> Array:
        directions, excess, raw = free
        unit = directions / jnp.linalg.norm(directions, axis=-1, keepdims=True)
        others = unit * jnp.sqrt(1 + margin + jax.nn.softplus(excess))[..., None]
        right = jnp.zeros((count, 1, dimension)).at[..., 0].set(1.0)
        wrong = jnp.concatenate([jnp.zeros((count, 1)), jax.nn.sigmoid(-raw)], axis=1)  # less than an ulp of one is kept
        return nearest_head(jnp.concatenate([right, others], axis=1), wrong, jnp.zeros((count, dimension)), beta)

    def ascend(free: tuple[Array, Array, Array], _: None) -> tuple[tuple[Array, Array, Array], None]:
        slopes = jax.grad(lambda now: jnp.log(error(now)).sum())(free)
        return jax.tree.map(lambda x, g: x + 0.1 * jnp.sign(g), free, slopes), None

    free, _ = jax.lax.scan(ascend, free, length=steps)
    return error(free)


def _placed(keys: Array, labels: Array, query: Array, margin: Array | float) -> Array:
    """Keys moved along their rays from the query until the margin is kept: exactly so by the nearest key of another label."""
    away = keys - query[:, None]
    squares = jnp.square(away).sum(axis=-1)
    others = labels < 1
    nearest_other = jnp.where(others, squares, jnp.inf).min(axis=-1, keepdims=True)
    # the right label starts at one squared unit, or one beyond a negative margin; others lie at least a margin farther
    base = 1 + jnp.maximum(-margin, 0.0)
    wanted = jnp.where(others, base + margin + squares - nearest_other, base + squares)
    wanted = wanted.at[:, 0].set(base)
    return query[:, None] + away * jnp.sqrt(wanted / squares)[..., None]


def threshold(size: int, right: int, margin: float) -> float:
    """Return the inverse temperature at which the head gives half of its weight to the `right` nearest of `size` keys.

    All other keys are farther by the margin, in squared distance. Bisection to the last bit, between 0 and 100 / margin.

    Raises:
        ValueError: The margin is not positive, or no key or every key is among the nearest.
    """
    if not margin > 0 or not 0 < right < size:
        raise ValueError(
            f"margin {margin!r} and {right} nearest of {size} keys: expected a positive margin and at least one key on either "
            "side of it, because keys that tie, or have no rival, never pass half of the weight"
        )
    return float(_threshold(size, right, jnp.asarray(margin, float)))


@partial(jax.jit, static_argnames="size")
def _threshold(size: int, right: Int[Array, ""] | int, margin: Float[Array, ""]) -> Float[Array, ""]:
    nearer = jnp.arange(size) < right
    keys, labels = jnp.where(nearer, 1.0, -jnp.sqrt(1 + margin))[:, None], nearer.astype(margin.dtype)

    def halve(interval: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], None]:
        low, high = interval
        middle = (low + high) / 2
        enough = nearest_head(keys, labels, jnp.zeros(1), middle) >= 0.5
        return (jnp.where(enough, low, middle), jnp.where(enough, middle, high)), None

    (low, _), _ = jax.lax.scan(halve, (jnp.zeros_like(margin), 100.0 / margin), length=60)
    return low

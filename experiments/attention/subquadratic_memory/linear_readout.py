"""How many keys' bits are linear thresholds of the state of linear attention: of a constructed layer, and of trained ones."""

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key
from scipy.optimize import linprog

from depthjax.tasks.words import all_words
from experiments.attention.subquadratic_memory.subquadratic import digit_layer, linear_states

EXACT = 2**30  # a modulus that no sum of units reaches: the numbers of the state are whole


def separable(points: Float[np.ndarray, "points numbers"], labels: Bool[np.ndarray, " points"]) -> bool:
    """Return whether a hyperplane separates the points with a label from those without: a linear program is feasible."""
    signs = np.where(labels, 1.0, -1.0)[:, None]
    rows = -signs * np.concatenate([points, np.ones((len(points), 1))], axis=1)
    found = linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(rows)), bounds=(None, None))
    return found.status == 0


@cache
def keys_read_linearly(rank: int, width: int, most: int) -> int:
    """Return the largest number of keys, up to `most`, whose bits are linear thresholds of the state of a layer of units.

    Every key writes a unit to one number of the state. Cost: a linear program of 2^most rows for each key.
    """
    states = np.asarray(linear_states(*map(jnp.asarray, digit_layer(most, rank, width, 1)), EXACT.bit_length()))
    for keys in range(1, most + 1):
        seen, contexts = states[:: 2 ** (most - keys)], np.asarray(all_words(2, keys)) > 0
        if not all(separable(seen, bit) for bit in contexts.T):
            return keys - 1
    return most


class TrainedReadout(NamedTuple):
    """Several trained layers, and what their training was.

    Attributes:
        keys: How many of the keys each layer answers rightly in every context.
        steps: Steps that the optimiser has taken.
        moved: How many weights the first step moved.
        first: The farthest that the first step moved a weight.
    """

    keys: Int[Array, " starts"]
    steps: Int[Array, " starts"]
    moved: Int[Array, " starts"]
    first: Float[Array, " starts"]


@partial(jax.jit, static_argnames=("most_keys", "most_rank", "most_width", "starts", "steps"))
def keys_of_trained_layers(
    key: Key[Array, ""],
    keys: int | Int[Array, ""],
    rank: int | Int[Array, ""],
    width: int | Int[Array, ""],
    *,
    most_keys: int,
    most_rank: int,
    most_width: int,
    starts: int = 16,
    steps: int = 400,
) -> TrainedReadout:
    """Return how many of the keys each of several trained layers answers rightly in every context, and how it was trained.

    Features, values and linear readouts are trained together on all contexts, with a logistic loss. Sizes below the largest
    ones are masked, so that one program serves all. Cost: 2^most_keys contexts a step.
    """
    contexts = jnp.asarray(all_words(2, most_keys)).astype(float)
    real, numbers = (jnp.arange(most_keys) < keys).astype(float), most_rank * (most_width + 1)
    features_there, values_there = (jnp.arange(most_rank) < rank).astype(float), (jnp.arange(most_width) < width).astype(float)
    signs = 2 * contexts - 1

    def answers(layer: dict[str, Array]) -> Array:
        features = layer["features"] * features_there[None, None]
        values = layer["values"] * values_there[None, None]
        whole = jnp.concatenate([values, jnp.ones((most_keys, 2, 1))], axis=-1)
        writes = jnp.einsum("kbr,kbd->kbrd", features, whole).reshape(most_keys, 2, numbers) * real[:, None, None]
        state = writes[:, 0].sum(axis=0)[None] + contexts @ (writes[:, 1] - writes[:, 0])
        return state @ layer["readout"] + layer["threshold"][None]

    def loss(layer: dict[str, Array]) -> Array:
        return (jax.nn.softplus(-signs * answers(layer)) * real[None]).mean()

    optimiser = optax.adam(0.05)

    def trained(start: Array) -> TrainedReadout:
        shapes = {
            "features": (most_keys, 2, most_rank),
            "values": (most_keys, 2, most_width),
            "readout": (numbers, most_keys),
            "threshold": (most_keys,),
        }
        drawn = zip(shapes.items(), jax.random.split(start, len(shapes)), strict=True)
        layer = {name: jax.random.normal(one, shape) for (name, shape), one in drawn}

        def step(carry, _):
            layer, state = carry
            with jax.numpy_dtype_promotion("standard"):  # optax raises floats to integer powers
                change, state = optimiser.update(jax.grad(loss)(layer), state)
            moves = jnp.abs(jnp.concatenate([one.ravel() for one in jax.tree.leaves(change)]))
            return (optax.apply_updates(layer, change), state), ((moves > 0).sum(), moves.max())

        (ended, state), (moved, farthest) = jax.lax.scan(step, (layer, optimiser.init(layer)), None, length=steps)
        rightly = ((answers(ended) * signs > 0).all(axis=0) & (real > 0)).sum()  # type: ignore[arg-type]
        taken: Any = optax.tree_utils.tree_get(state, "count")
        return TrainedReadout(rightly, taken, moved[0], farthest[0])

    return jax.vmap(trained)(jax.random.split(key, starts))

"""Randomly named cycles, how many layers of labels count them, and labels that do not double."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer

from depthjax.attention.lookup import look_up


def named_cycles(draw: np.random.Generator, vertices: int, most: int, graphs: int) -> Int[np.ndarray, "two graphs most"]:
    """Return the successors of vertices in one cycle and in two, randomly named; other names follow themselves."""
    used = draw.permuted(np.tile(np.arange(most), (2, graphs, 1)), axis=-1)[..., :vertices]
    successors = np.tile(np.arange(most), (2, graphs, 1))
    for kind in (0, 1):
        following = np.roll(used[kind].reshape(graphs, kind + 1, -1), -1, axis=2).reshape(graphs, vertices)
        np.put_along_axis(successors[kind], used[kind], following, axis=1)
    return successors


def layers_that_count(
    graphs: Int[np.ndarray, "lengths two graphs most"], labels: Int[np.ndarray, "layers lengths two graphs most"]
) -> list[int]:
    """Return the first layer whose labels count one cycle and two in every graph; the number of layers where none does."""
    most = graphs.shape[-1]
    idle = graphs == np.arange(most)
    distinct = np.diff(np.sort(np.where(idle, most, labels), axis=-1), axis=-1) > 0
    cycles = distinct.sum(axis=-1) + 1 - idle.any(axis=-1)
    right = (cycles == np.array([1, 2])[:, None]).all(axis=(2, 3))
    return np.where(right.any(axis=0), right.argmax(axis=0), len(right)).tolist()


def one_step_labels(successor: Integer[Array, " vertices"], layers: Int[Array, ""] | int) -> Int[Array, " vertices"]:
    """Return the labels of `doubling.pointers.cycle_labels` where every layer reads one step ahead only."""

    def layer(_: Array, label: Array) -> Array:
        return jnp.minimum(label, look_up(successor, label[:, None])[:, 0])

    return jax.lax.fori_loop(0, layers, layer, jnp.arange(len(successor), dtype=successor.dtype))


def one_step_pointers(successor: Integer[Array, " vertices"], layers: Int[Array, ""] | int) -> Int[Array, " vertices"]:
    """Return the vertex ahead where every layer follows one edge."""
    return jax.lax.fori_loop(0, layers, lambda _, ahead: look_up(ahead, successor[:, None])[:, 0], successor)

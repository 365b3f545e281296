r"""Doubling by softmax attention: pointer chasing, labels of components, Boolean squaring.

One layer is one exact lookup (`depthjax.attention.lookup`) followed by a map at each position. After r layers a position knows
2^r steps of the composition, so ceil(log2 n) layers reach everything:

    pointers    p_i <- p_{p_i},        labels    m_i <- min(m_i, m_{p_i}).

Prefix products double in the same way (`depthjax.constructions.automaton_doubling`). Connectivity squares the reachability
matrix of a graph instead: row i attends uniformly to the vertices that it reaches, and the mean of their rows is positive
exactly where a path of twice the length ends. This costs n numbers for each position, not O(1).

Source: Sanford, Hsu and Telgarsky, arXiv 2402.09268; the weights are derived here.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Integer

from depthjax.attention import average
from depthjax.attention.lookup import look_up
from depthjax.checks import in_alphabet, marked, strange


def doubling_depth(length: int) -> int:
    """Return ceil(log2 length), the number of layers that cover every prefix or pointer chain of that length."""
    return max(length - 1, 0).bit_length()


def chase_pointers(successor: Integer[Array, " vertices"], layers: Int[Array, ""] | int) -> Int[Array, " vertices"]:
    """Return the vertex 2^layers steps ahead of every vertex; `layers` may be traced.

    Raises:
        ValueError: A successor is no vertex (under jit: -1 everywhere).
    """
    successor = in_alphabet("successor", successor, len(successor))
    ahead = jax.lax.fori_loop(0, layers, lambda _, ahead: look_up(ahead, ahead[:, None])[:, 0], successor)
    return marked(ahead, strange(successor))


def cycle_labels(successor: Integer[Array, " vertices"], layers: Int[Array, ""] | int) -> Int[Array, " vertices"]:
    """Return the least of the first 2^layers vertices from each vertex on; after ceil(log2 n) layers, the least of its cycle.

    Raises:
        ValueError: A successor is no vertex (under jit: -1 everywhere).
    """
    successor = in_alphabet("successor", successor, len(successor))

    def layer(_: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        ahead, label = state
        read = look_up(ahead, jnp.stack([ahead, label], axis=1))
        return read[:, 0], jnp.minimum(label, read[:, 1])

    labels = jax.lax.fori_loop(0, layers, layer, (successor, jnp.arange(len(successor), dtype=successor.dtype)))[1]
    return marked(labels, strange(successor))


def reachable(edges: Bool[Array, "vertices vertices"], layers: int) -> Bool[Array, "vertices vertices"]:
    """Return whether a path of at most 2^layers edges leads from row to column: each layer squares the reachability matrix.

    Row i attends with equal weights to all rows j that it reaches. The mean is at least 1 / n where one of them reaches k, and
    a threshold at 1 / (2 n) turns it into a bit. Residual width: n numbers for each vertex.
    """
    size = len(edges)
    known = edges | jnp.eye(size, dtype=bool)
    for _ in range(layers):
        weights = average(known, jnp.result_type(float))
        known = jnp.matmul(weights, known.astype(weights.dtype), precision="highest") > 0.5 / size
    return known

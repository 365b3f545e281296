r"""Doubling by softmax attention: pointer chasing, labels of components, Boolean squaring.

One layer is one exact lookup (`depthjax.attention.lookup`) followed by a map at each position. After r layers a position knows
2^r steps of the composition, so ceil(log2 n) layers reach everything:

    pointers    p_i <- p_{p_i},        labels    m_i <- min(m_i, m_{p_i}).

Prefix products double in the same way (`depthjax.constructions.doubling.automaton`). Connectivity squares the reachability
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
    known = edges | jnp.eye(len(edges), dtype=bool)
    for _ in range(layers):
        known = joined(known, known)
    return known


def joined(known: Bool[Array, "vertices vertices"], read: Bool[Array, "vertices vertices"]) -> Bool[Array, "vertices vertices"]:
    """Return which vertices the rows of `read` reach from the vertices that each row of `known` attends to: one layer."""
    weights = average(known, jnp.result_type(float))
    return jnp.matmul(weights, read.astype(weights.dtype), precision="highest") > 0.5 / len(known)


def joined_by_bits(
    pairs: Bool[Array, "vertices vertices"],
    triples: Bool[Array, "vertices vertices vertices"],
    read: Bool[Array, "vertices vertices"],
) -> tuple[Bool[Array, "vertices vertices"], Bool[Array, "vertices vertices vertices"]]:
    """Return pairs and triples after one layer with one bit a token, of which two do what `joined` does.

    Triple (i, j, k) attends with one head to pair (i, j) and with another to (j, k) of `read`, and holds their conjunction.
    Pair (i, k) attends with equal weights to the triples (i, j, k), and holds their disjunction with its own bit.

    Cost: vertices^5.
    """
    n, kind = len(pairs), jnp.result_type(float)
    i, j, k = (index.ravel() for index in jnp.indices((n, n, n)))
    token = jnp.arange(n * n)
    left, right = (average(to[:, None] == token[None, :], kind) for to in (i * n + j, j * n + k))
    back = average(token[:, None] == (i * n + k)[None, :], kind)
    both = left @ pairs.ravel().astype(kind) + right @ read.ravel().astype(kind) > 1.5
    some = back @ triples.ravel().astype(kind) > 0.5 / n
    return pairs | some.reshape(n, n), both.reshape(n, n, n)

r"""Doubling by softmax attention: prefix products of any semigroup, pointer chasing, labels of components, Boolean squaring.

One primitive: a position looks up whole numbers at another position, with scores beta (2 t p - p^2), and rounds what it gets.
A layer is one lookup and a map of what is known at the position. After r layers a position knows 2^r steps of whatever is being
composed, so ceil(log2 n) layers reach everything:

    prefix products    s_i <- s_{i - 2^r} s_i,            pointers    p_i <- p_{p_i},    labels    m_i <- min(m_i, m_{p_i}).

Connectivity of a graph squares its reachability matrix instead: row i attends uniformly to the vertices it reaches, and the
mean of their rows is positive exactly where a path of twice the length ends. This costs n numbers a position, not O(1).

Sources: Liu et al., arXiv 2210.10749 (prefix products); Sanford, Hsu and Telgarsky, arXiv 2402.09268 (pointers, graphs); the
weights are derived here.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Integer

from depthjax.checks import in_alphabet, marked, strange
from depthjax.constructions.hop import allowed_dtype, default_sharpness


def doubling_depth(length: int) -> int:
    """Return ceil(log2 length): the layers after which every prefix or pointer chain of that length has been covered."""
    return max(length - 1, 0).bit_length()


def look_up(targets: Integer[Array, " rows"], values: Integer[Array, "rows fields"]) -> Int[Array, "rows fields"]:
    """Return the values at the targeted rows (from 0) by one attention head, exactly. O(rows^2) scores.

    Sharpness is the smallest power of two that is enough for values up to 2^12.

    Raises:
        ValueError: more than 4096 rows, whose scores float32 does not hold, or a target or a value out of range (under jit: -1,
            or -1 in place of that value).
    """
    rows = len(targets)
    allowed_dtype(jnp.float32, rows)
    targets, values = in_alphabet("targets", targets, rows), in_alphabet("values", values, 4096 + 1)
    beta = default_sharpness(4096)
    position = jnp.arange(rows, dtype=jnp.float32)
    target = targets.astype(jnp.float32)[:, None]
    scores = beta * (2 * target * position[None, :] - (position * position)[None, :])
    weights = jax.nn.softmax(scores, axis=1)
    found = jnp.round(jnp.matmul(weights, values.astype(jnp.float32), precision="highest")).astype(values.dtype)
    return marked(found, targets < 0)


def prefix_products(
    table: Integer[Array, "order order"], word: Integer[Array, " length"], layers: int | None = None
) -> Int[Array, " length"]:
    """Return x_1 x_2 ... x_t for every t, by ceil(log2 length) layers of attention.

    Args:
        table: any semigroup's, table[g, h] = gh; an identity is not needed, the first positions simply keep what they have.
        word: elements.
        layers: fewer or more of them than needed.

    Raises:
        ValueError: an element that the table does not have (under jit: -1 everywhere).
    """
    word = in_alphabet("word", word, table.shape[0])
    length = len(word)
    position = jnp.arange(length)
    product = word
    for layer in range(doubling_depth(length) if layers is None else layers):
        before = position - 2**layer
        earlier = look_up(jnp.maximum(before, 0), product[:, None])[:, 0]
        # what an MLP with one unit for each pair of elements does
        product = jnp.where(before >= 0, table[earlier, product].astype(word.dtype), product)
    return marked(product, strange(word))


def chase_pointers(successor: Integer[Array, " vertices"], layers: Int[Array, ""] | int) -> Int[Array, " vertices"]:
    """Return the vertex 2^layers steps ahead of every vertex; `layers` may be traced.

    Raises:
        ValueError: a successor that is no vertex (under jit: -1 everywhere).
    """
    successor = in_alphabet("successor", successor, len(successor))
    ahead = jax.lax.fori_loop(0, layers, lambda _, ahead: look_up(ahead, ahead[:, None])[:, 0], successor)
    return marked(ahead, strange(successor))


def cycle_labels(successor: Integer[Array, " vertices"], layers: Int[Array, ""] | int) -> Int[Array, " vertices"]:
    """Return the least of the 2^layers vertices from every vertex onwards; after ceil(log2 n) layers that of its cycle.

    Raises:
        ValueError: a successor that is no vertex (under jit: -1 everywhere).
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

    Row i attends with equal weights to all rows j that it reaches, so the mean it gets is positive where one of them reaches k:
    at least 1 / n, which a threshold at 1 / (2 n) turns into a bit. Residual width: n numbers a vertex.
    """
    size = len(edges)
    known = edges | jnp.eye(size, dtype=bool)
    for _ in range(layers):
        weights = jax.nn.softmax(jnp.where(known, 0.0, -jnp.inf), axis=1)
        known = jnp.matmul(weights, known.astype(weights.dtype), precision="highest") > 0.5 / size
    return known

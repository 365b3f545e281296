"""Into how many reflections the letters of a group fall, and what words are read with so many."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.scans import householder_scan, prefix_products
from depthjax.tasks.words import uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.reflections_needed.common import length
from experiments.automata.reflections_needed.dihedral import followed_by_layers, pairs_of_letters, random_letters

ALIKE = 1e-9  # entries of matrices that differ by less are equal
STARTS, STEPS, RATE = 12, 300, 0.05  # of the search for the nearest factor
STRONG, WEAK = 2.0, 1.0


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Factors of the best faithful representation, letters that are followed, and how far letters are from a single factor."""
    table, matrices = given["table"], given["matrices"]
    keys = [reflections(part) for part in matrices]
    counts = [np.array([len(letter) for letter in part]) for part in keys]
    chosen, needed = _best(counts)
    own, other, third, search = jax.random.split(key, 4)
    words = _words(own, cell, len(table))
    largest = matrices[int(np.argmax([part.shape[1] for part in matrices]))]
    layers, layers_of_pairs = (
        followed_by_layers(letters, cell.corners)
        for letters in (
            random_letters(other, cell.corners, cell.words, length(2 * cell.corners)),
            pairs_of_letters(cell.corners),
        )
    )
    cover, open_in_cover = _covered(third, cell, given["cover"])
    fewer = _far(words, matrices, keys, chosen, needed, fewer=1)
    entries = len(table) * cell.words * sum(matrices[head].shape[1] ** 2 for head in chosen)
    return measured(
        factors=Quantity(needed, label="reflections for each letter"),
        all_factors=Quantity(sum(part.sum() for part in counts), label="reflections of all letters in all representations"),
        followed=Quantity(
            _right(table, words, _far(words, matrices, keys, chosen, needed)), label="letters after which a word is read right"
        ),
        followed_with_fewer=Quantity(_right(table, words, fewer), label="the same with one factor fewer"),
        off_by_fewer=Quantity(
            np.take_along_axis(fewer[0], np.asarray(words[:, :1]), axis=1).sum(),
            floor=rounding_floor(entries, fewer.dtype, 4.0),
            label="square distance of first letters from their states, of one factor fewer",
        ),
        from_one_factor=Quantity(
            np.asarray(_nearest(search, jnp.asarray(largest)))[1:].mean(),  # with the identity all traces add up to zero
            floor=1e-12,
            label="mean square distance of letters but the identity to one factor",
            unit="Frobenius norm",
        ),
        dihedral_followed=Quantity(
            layers[1].sum(), label="letters after which two layers of one reflection know a dihedral product"
        ),
        one_layer_followed=Quantity(layers[0].sum(), label="the same with one layer"),
        pairs_followed=Quantity(
            layers_of_pairs.reshape(2, 2 * cell.corners, -1).sum(axis=2),
            "layers first",
            label="the same of all words of two letters, by the first letter",
        ),
        covered_followed=Quantity(cover[1], label="letters after which two heads of 2 factors know a product in Q8"),
        one_head_followed=Quantity(cover[0], label="the same with the first head alone"),
        open_in_cover=Quantity(open_in_cover, "heads", label="elements that one head and two leave open, after all letters"),
    )


def weaker(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Words that are read with strengths of 1, which forget what the key held."""
    table, matrices = given["table"], given["matrices"]
    keys = [reflections(part) for part in matrices]
    chosen, needed = _best([np.array([len(letter) for letter in part]) for part in keys])
    words = _words(jax.random.split(key, 4)[0], cell, len(table))
    distance = _far(words, matrices, keys, chosen, needed, strength=WEAK)
    # matrices of a part add up to zero: their mean square distance is the state's square size, and the dimension
    means, sizes = distance[0].mean(axis=1), [matrices[head].shape[1] for head in chosen]
    floor = rounding_floor(len(table) * cell.words * sum(size**2 for size in sizes), distance.dtype, means.sum())
    return measured(
        followed=Quantity(_right(table, words, distance)),
        left=Quantity((means - sum(sizes)).sum(), floor=floor, label="square sizes of the states after one letter"),
    )


def _words(key: jax.Array, cell: Cell, order: int) -> jax.Array:
    """Random words that begin with all letters in turn, but for the identity."""
    words = uniform_words(key, order, cell.words, length(order))
    return words.at[:, 0].set(jnp.arange(cell.words) % (order - 1) + 1)


def reflections(matrices: np.ndarray) -> list[list[np.ndarray]]:
    """Return for each orthogonal matrix unit vectors whose reflections, the first one applied last, multiply to it.

    The reflection that exchanges A v and v fixes all that A fixes, and v becomes fixed.
    """
    found = []
    for matrix in matrices:
        rest, keys = matrix, []
        while np.abs(moved := rest - np.eye(len(rest))).max() > ALIKE and len(keys) <= len(rest):  # more are never needed
            key = moved[:, np.argmax(np.linalg.norm(moved, axis=0))]
            keys.append(key := key / np.linalg.norm(key))
            rest = rest - 2 * np.outer(key, key @ rest)
        found.append(keys)
    return found


def _best(counts: list[np.ndarray]) -> tuple[list[int], int]:
    """The representations whose letters take fewest reflections and that tell all elements apart together; that number."""
    most = np.array([part.max() for part in counts])
    for number in np.unique(most):
        chosen = [i for i in range(len(counts)) if most[i] <= number]
        if (np.sum([counts[i] for i in chosen], axis=0)[1:] > 0).all():
            return chosen, int(number)
    raise ValueError("the representations are not faithful together")


def _right(table: np.ndarray, words: jax.Array, distance: np.ndarray) -> int:
    """Letters after which the states of all heads are nearest to the right product."""
    products = np.asarray(prefix_products(jnp.asarray(table), words)).T
    return int((distance.argmin(axis=-1) == products).sum())


def _far(
    words: jax.Array,
    matrices: list[np.ndarray],
    keys: list[list[list[np.ndarray]]],
    chosen: list[int],
    number: int,
    *,
    fewer: int = 0,
    strength: float = STRONG,
) -> np.ndarray:
    """Square distances of the states of all heads to those of every element, shape (length, batch, elements)."""
    order = len(matrices[0])
    distance = np.zeros((*words.T.shape, order))
    for head in chosen:
        size = matrices[head].shape[1]
        padded, strengths = np.zeros((order, number, size)), np.zeros((order, number))
        for letter, own in enumerate(keys[head]):
            for place, one in enumerate(own[: number - fewer][::-1]):
                padded[letter, place], strengths[letter, place] = one, strength
        distance += np.asarray(_distances(words, *map(jnp.asarray, (padded, strengths, matrices[head]))))
    return distance


@jax.jit
def _distances(words: jax.Array, keys: jax.Array, strengths: jax.Array, matrices: jax.Array) -> jax.Array:
    """Square distances of the state after each letter to that of every element, shape (length, batch, elements).

    Letters multiply on the right, and the layer on the left, so it holds the inverse: letters are read as their inverses are.
    """
    size = matrices.shape[-1]
    taken = keys[words.T][..., ::-1, :], strengths[words.T][..., ::-1]  # the inverse takes the factors in the other order
    start = jnp.broadcast_to(jnp.eye(size)[None], (len(words), size, size))

    def column(query: jax.Array) -> jax.Array:
        shape = (*taken[0].shape[:2], size)
        return householder_scan(jnp.broadcast_to(query[None, None], shape), taken[0], jnp.zeros_like(taken[0]), taken[1], start)

    states = jnp.moveaxis(jax.vmap(column)(jnp.eye(size)), 0, -2)  # rows of the state
    inverses = jnp.swapaxes(matrices, 1, 2)
    return jnp.square(states[..., None, :, :] - inverses[None, None]).sum(axis=(-2, -1))


@jax.jit
def _nearest(key: jax.Array, matrices: jax.Array) -> jax.Array:
    """The least square distance to I - b k k^T that gradient steps from several starts find, for each matrix."""
    letters, size = matrices.shape[:2]
    begin = jax.random.normal(key, (STARTS, letters, size))

    def distance(vector: jax.Array, matrix: jax.Array) -> jax.Array:
        return jnp.square(matrix - jnp.eye(size) + vector[:, None] * vector[None]).sum()

    slope = jax.vmap(jax.vmap(jax.grad(distance)), (0, None))

    def step(vectors: jax.Array, _: None) -> tuple[jax.Array, None]:
        return vectors - RATE * slope(vectors, matrices), None

    ends = jax.lax.scan(step, begin / jnp.linalg.norm(begin, axis=-1, keepdims=True), None, STEPS)[0]
    return jax.vmap(jax.vmap(distance), (0, None))(ends, matrices).min(axis=0)


def _covered(key: jax.Array, cell: Cell, cover: dict) -> tuple[list[int], list[int]]:
    """Letters followed in Q8 with the first head alone and with both: quarter turns and reflections of two coordinates each.

    And how many elements of the group over it are as near to the states of the heads as the nearest one, after all letters.
    """
    exponents, down = cover["exponents"], cover["down"]
    turn, mirror = np.array([[0.0, -1.0], [1.0, 0.0]]), np.diag([1.0, -1.0])
    power = np.linalg.matrix_power
    heads = [
        np.stack([power(turn, i) @ power(mirror, j) for i, j in exponents]),
        np.stack([power(turn, j) for _, j in exponents]),
    ]
    letters = np.array([np.flatnonzero(down == n)[0] for n in range(8)])  # one lift of each letter
    words = jnp.asarray(letters)[uniform_words(key, 8, cell.words, length(8))]
    products = np.asarray(prefix_products(jnp.asarray(cover["table"]), words)).T
    distance, right, nearest = np.zeros((*products.shape, 16)), [], []
    for head in heads:
        padded, strengths = np.zeros((16, 2, 2)), np.zeros((16, 2))
        for letter, own in enumerate(reflections(head)):
            for place, one in enumerate(own[::-1]):
                padded[letter, place], strengths[letter, place] = one, STRONG
        distance = distance + np.asarray(_distances(words, *map(jnp.asarray, (padded, strengths, head))))
        right.append(int((down[distance.argmin(axis=-1)] == down[products]).sum()))
        nearest.append(int((distance < distance.min(axis=-1, keepdims=True) + ALIKE).sum()))
    return right, nearest

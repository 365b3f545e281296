"""Errors of affine recurrences between the centres of their classes: along return words, with noise, and with wrong maps.

States are points of a frame, and maps are permutations of coordinates there. A recurrence that was trained nearly right has
errors that are fixed in its maps; they add up where independent errors diffuse.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from depthjax.scans.tables import prefix_products


def permutation_matrices(permutations: Int[np.ndarray, "order n"]) -> Float[np.ndarray, "order n n"]:
    """Return the matrices P[x] that send e_i to e_{x(i)}."""
    return (permutations[:, None, :] == np.arange(permutations.shape[1])[:, None]).astype(float)


@jax.jit
def walked(
    maps: Float[Array, "letters n n"],
    shift: Float[Array, " n"],
    centres: Float[Array, "centres n"],
    table: Int[Array, "letters letters"],
    inverses: Int[Array, " letters"],
    words: Int[Array, "length words"],
    draws: Float[Array, "length words n"],
) -> tuple[Array, ...]:
    """Walk along words (length, words); one program for all that a cell needs.

    Returned: where the first word takes every centre if its last letter makes it a return word, and if it is another letter;
    the return word's Jacobian; the noisy states at the ends of all words, and those that were snapped before every step; the
    numbers of the centres that belong there, and whether each noisy state and each snapped one is nearest to its own.
    """
    centre = prefix_products(table, words.T)
    home = words[:, 0].at[-1].set(inverses[centre[0, -2]])
    astray = home.at[-1].set((home[-1] + 1) % len(table))

    def move(state, letters):
        return jnp.einsum("bij,bj->bi", maps[letters], state) + shift[None]

    def along(states, word):
        return jax.lax.scan(lambda states, x: (states @ maps[x].T + shift[None], None), states, word)[0]

    def step(pair, now):
        (free, before), (letters, drawn) = pair, now
        states = free, centres[nearest(before, centres)]
        return tuple(move(state, letters) + drawn for state in states), None

    begin = jnp.broadcast_to(centres[:1], draws.shape[1:])
    ends, _ = jax.lax.scan(step, (begin, begin), (words, draws))
    last = centre[:, -1]
    kept = (nearest(state, centres) == last for state in ends)
    jacobian = jax.jacfwd(lambda h: along(h[None], home)[0])(centres[0])
    return along(centres, home), along(centres, astray), jacobian, *ends, last, *kept


def nearest(states: Float[Array, "states n"], centres: Float[Array, "centres n"]) -> Int[Array, " states"]:
    """Return the number of the centre that is nearest to each state."""
    return jnp.argmin(jnp.square(states[:, None] - centres[None]).sum(axis=-1), axis=1)


@partial(jax.jit, static_argnames="fresh")
def drifted(
    key: Key[Array, ""],
    blocks: Float[Array, "order n n"],
    start: Float[Array, " n"],
    words: Int[Array, "length words"],
    size: Float[Array, ""],
    fresh: bool = False,
) -> tuple[Float[Array, " words"], Float[Array, "words n"]]:
    """Return the square error of each recurrence after its word, without its mean, and where the exact maps lead.

    The unit is the mean square of one step.
    Word i has a recurrence of its own, with the maps P_x + size N_x, N_x standard normal. With `fresh` N is drawn again at
    every step. Cost: order * words * n^2 random numbers, or length * words * n^2.
    """
    order, points = blocks.shape[:2]
    batch = jnp.arange(words.shape[1])
    fixed = jax.random.normal(key, (1 if fresh else order, len(batch), points, points))

    def step(pair: tuple[Array, Array], now: tuple[Array, Array]) -> tuple[tuple[Array, Array], None]:
        (exact, state), (letters, number) = pair, now
        wrong = jax.random.normal(jax.random.fold_in(key, number), fixed.shape[1:]) if fresh else fixed[letters, batch]
        moved = jnp.einsum("bij,bj->bi", blocks[letters] + size * wrong, state)
        return (jnp.einsum("bij,bj->bi", blocks[letters], exact), moved), None

    begin = jnp.broadcast_to(start[None], (len(batch), points))
    exact, state = jax.lax.scan(step, (begin, begin), (words, jnp.arange(len(words))))[0]
    error = state - exact
    error = error - error.mean(axis=1, keepdims=True)
    return (error**2).sum(axis=1) / (size**2 * (points - 1) * (start**2).sum()), exact


@partial(jax.jit, static_argnames=("count", "most", "fresh"))
def horizons(
    key: Key[Array, ""],
    letters: Float[Array, "length n n"],
    centres: Float[Array, "centres n"],
    sizes: Float[Array, " sizes"],
    *,
    count: int,
    most: int,
    fresh: bool = False,
) -> Int[Array, "sizes count"]:
    """Return how often each of several recurrences reads a return word before its state is nearest to a wrong centre.

    `letters` holds the exact maps of the word, first letter first; their errors are independent normal numbers of each size,
    and `fresh` draws them again for every reading. All start at the first centre. At most `most` readings are tried.
    """
    points = centres.shape[1]

    def word(key: Array, size: Array) -> Array:
        maps = letters[:, None] + size * jax.random.normal(key, (len(letters), count, points, points))
        whole = jnp.broadcast_to(jnp.eye(points)[None], (count, points, points))
        return jax.lax.scan(lambda whole, own: (jnp.einsum("bij,bjk->bik", own, whole), None), whole, maps)[0]

    def readings(size: Array) -> Array:
        fixed = None if fresh else word(key, size)

        def step(now: tuple[Array, Array, Array], number: Array) -> tuple[tuple[Array, Array, Array], None]:
            state, right, read = now
            own = word(jax.random.fold_in(key, number), size) if fixed is None else fixed
            state = jnp.einsum("bij,bj->bi", own, state)
            right = right & (nearest(state, centres) == 0)
            return (state, right, read + right.astype(read.dtype)), None

        begin = jnp.broadcast_to(centres[:1], (count, points)), jnp.ones(count, bool), jnp.zeros(count, int)
        return jax.lax.scan(step, begin, jnp.arange(most))[0][2]

    return jax.vmap(readings)(sizes)

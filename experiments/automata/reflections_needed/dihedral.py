"""Products in a dihedral group by two layers of one reflection a letter."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.scans import householder_scan


def random_letters(key: jax.Array, corners: int, words: int, length: int) -> jax.Array:
    """Return random words over the symmetries of a polygon, shape (length, words)."""
    return jax.random.randint(key, (length, words), 0, 2 * corners)


def pairs_of_letters(corners: int) -> jax.Array:
    """Return all words of two symmetries of a polygon, shape (2, words)."""
    return jnp.indices((2 * corners, 2 * corners)).reshape(2, -1)


def followed_by_layers(letters: jax.Array, corners: int) -> np.ndarray:
    """Return the letters of each word after which one layer, and two, know the product of symmetries, shape (2, words).

    A letter is r^i s^j, its angle i and its kind j. The one layer has no signs to tell it what to do.
    """
    return np.asarray(_followed(letters, corners))


@partial(jax.jit, static_argnums=1)
def _followed(letters: jax.Array, corners: int) -> jax.Array:
    words = letters.shape[1]
    angle, kind = letters % corners, letters // corners

    def multiply(now: tuple[jax.Array, jax.Array], letter: tuple[jax.Array, jax.Array]) -> tuple:
        (k, e), (i, j) = now, letter
        now = (k + jnp.where(e == 1, -i, i)) % corners, (e + j) % 2
        return now, now

    zero = jnp.zeros(words, letters.dtype)
    right = jax.lax.scan(multiply, (zero, zero), (angle, kind))[1]
    # the first layer: a sign for each kind of letter, turned by a reflection along its own axis
    signs = _reflected(jax.nn.one_hot(kind, 2, dtype=float), jnp.ones((words, 2)))
    before = jnp.concatenate([jnp.ones((1, words, 2)), signs[:-1]])
    known = _second(angle, kind, before, signs, corners)
    blind = _second(angle, kind, jnp.ones_like(before), jnp.ones_like(signs), corners)
    return jnp.stack([((k == right[0]) & (e == right[1])).sum(axis=0) for k, e in (blind, known)])


def _second(
    angle: jax.Array, kind: jax.Array, before: jax.Array, after: jax.Array, corners: int
) -> tuple[jax.Array, jax.Array]:
    """The second layer, a plane: the angle (-1)^t k, of which each letter makes minus itself plus a known angle."""
    flipped, parity = before[..., 1], after[..., 0] * after[..., 1]  # (-1)^e before the letter, (-1)^t after it
    turn = 2 * jnp.pi / corners
    axis = (parity * flipped * angle * turn + jnp.pi) / 2  # the mirror lies at half the angle, the key at right angles to it
    keys = jnp.stack([jnp.cos(axis), jnp.sin(axis)], axis=-1)
    plane = _reflected(keys, jnp.broadcast_to(jnp.array([[1.0, 0.0]]), (angle.shape[1], 2)))
    seen = jnp.round(parity * jnp.arctan2(plane[..., 1], plane[..., 0]) / turn).astype(angle.dtype) % corners
    return seen, (after[..., 1] < 0).astype(kind.dtype)


def _reflected(keys: jax.Array, start: jax.Array) -> jax.Array:
    """The vector after the reflections along the keys so far, shape (length, batch, size)."""
    length, batch, size = keys.shape
    state = start[..., None]  # one column of values
    values = jnp.zeros((length, batch, 1, 1))

    def entry(query: jax.Array) -> jax.Array:
        asked = jnp.broadcast_to(query[None, None], keys.shape)
        return householder_scan(asked, keys[:, :, None], values, jnp.full((length, batch, 1), 2.0), state)[..., 0]

    return jnp.moveaxis(jax.vmap(entry)(jnp.eye(size)), 0, -1)

"""Products in a dihedral group by two layers of one reflection a letter."""

from functools import partial

import jax
import jax.numpy as jnp

from depthjax.scans import householder_scan


def followed_by_layers(key: jax.Array, corners: int, words: int, length: int) -> tuple[int, int]:
    """Return the letters after which one layer, and two, know the product of symmetries of a polygon.

    A letter is r^i s^j, its angle i and its kind j. The one layer has no signs to tell it what to do.
    """
    alone, both = _followed(key, corners, words, length)
    return int(alone), int(both)


@partial(jax.jit, static_argnums=(1, 2, 3))
def _followed(key: jax.Array, corners: int, words: int, length: int) -> tuple[jax.Array, jax.Array]:
    letters = jax.random.randint(key, (length, words), 0, 2 * corners)
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
    same = [((k == right[0]) & (e == right[1])).sum() for k, e in (blind, known)]
    return same[0], same[1]


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

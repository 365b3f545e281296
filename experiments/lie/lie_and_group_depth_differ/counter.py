"""The dihedral tracker against the Cayley table, and when a counter that a floating-point type holds is first wrong."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from depthjax.scans.tables import prefix_products
from experiments.lie.lie_and_group_depth_differ.dihedral_tracker import dihedral_tracker, tracked_maps, tracker_start

BLOCK = 2**18  # counts that are tried at a time


def first_wrong_count(sides: int, step: int, dtype: str, farthest: int = 2**25) -> int:
    """Return the first letter at which the dihedral tracker's counter is wrong modulo the sides.

    One letter is tried after every exact count. All counts before the first failure are exact, so the first failure of these
    trials is that of one long word whose letters all add the same step.

    Args:
        sides: Order of the rotation, modulo which the counter is read.
        step: What each letter adds to the counter.
        dtype: Floating-point type of the counter.
        farthest: Number of letters that are tried.

    Returns:
        The number of the letter, from 1; `farthest` + 1 if no letter fails.

    Cost: O(farthest) additions in blocks of 2^18.
    """
    letters = jnp.broadcast_to(jnp.array([1, step], dtype), (1, BLOCK, 2))
    for first in range(0, farthest, BLOCK):
        counts = step * np.arange(first, first + BLOCK)
        found = np.asarray(tracked_maps(_one_letter(letters, jnp.asarray(counts).astype(dtype)), sides))[:, 1]
        if (wrong := found != (counts + step) % sides).any():
            return first + 1 + int(np.argmax(wrong))
    return farthest + 1


def right_elements(
    words: Int[Array, "batch length"],
    letters: Int[np.ndarray, "order 2"],
    table: Int[np.ndarray, "padded padded"],
    sides: int,
    dtype: str,
) -> Bool[np.ndarray, "length batch"]:
    """Return where the tracker, kept in this type, names the same element as the Cayley table.

    Args:
        words: Elements of the dihedral group.
        letters: The sign and the step of every element.
        table: Cayley table, perhaps padded.
        sides: Order of the rotation.
        dtype: Floating-point type of the tracker.
    """
    start = tracker_start(len(words), jnp.dtype(dtype))
    found = tracked_maps(_tracked(jnp.asarray(letters[np.asarray(words).T], dtype), start), sides)
    codes = 2 * letters[:, 1] + (letters[:, 0] < 0)
    element = np.argsort(codes)[np.asarray(found[..., 1] * 2 + found[..., 0])]
    return element == np.asarray(prefix_products(jnp.asarray(table), words)).T


@jax.jit
def _tracked(letters: jax.Array, start: tuple[jax.Array]) -> jax.Array:
    """The state after every letter; in pieces, so that the program stays small."""
    return dihedral_tracker().run(letters, start, chunk=64, stream=True)[0]


@jax.jit
def _one_letter(letters: jax.Array, counts: jax.Array) -> jax.Array:
    start = jnp.stack([jnp.ones_like(counts), counts], axis=-1)
    return dihedral_tracker().run(letters, (start,))[0]

r"""One restricted layer that tracks every dihedral group, by a counter that grows.

A letter is an affine map h -> s h + j with s = +-1 and j an integer; the layer composes the maps of a word:

    (sigma, n) <- (s sigma, s n + j).

The linear parts commute (they are signs), and with n kept modulo m the maps are the dihedral group of order 2m: the layer
tracks it exactly as long as n is an exact integer. The group that the layer itself generates is the *infinite* dihedral
one, and |n| can grow by m - 1 a letter: log2((m - 1) T) bits after T letters.

Source: derived here.
"""

import jax.numpy as jnp
from jaxtyping import Array, Int, Num

from depthjax.scans.cascade import ScanCascade, Stage, folding


def dihedral_tracker() -> ScanCascade:
    """Return the one-stage cascade on letters (s, j), arrays of shape (length, batch, 2); its state is (sigma, n)."""
    return ScanCascade((Stage(lambda letters, below: letters, folding(_composed, jnp.array([1, 0]))),))


def tracker_start(batch: int, dtype: jnp.dtype, count: int = 0) -> tuple[Num[Array, "batch 2"]]:
    """Return the initial state: the map h -> h + count, in this dtype."""
    return (jnp.broadcast_to(jnp.array([[1, count]], dtype), (batch, 2)),)


def tracked_maps(state: Num[Array, "*shape 2"], sides: int) -> Int[Array, "*shape 2"]:
    """Return (0 for a rotation, 1 for a reflection; n modulo `sides`), the map as one of the dihedral group."""
    exact = state.astype(jnp.int32)
    return jnp.stack([(exact[..., 0] < 0).astype(jnp.int32), exact[..., 1] % sides], axis=-1)


def _composed(earlier: Array, later: Array) -> Array:
    """The map of two stretches of a word, the later one applied last."""
    return jnp.stack([earlier[..., 0] * later[..., 0], later[..., 0] * earlier[..., 1] + later[..., 1]], axis=-1)

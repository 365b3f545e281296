r"""One layer that tracks every dihedral group, by a counter that grows without bound.

A letter is an affine map h -> s h + j with s = +-1 and j an integer; the layer composes the maps of a word:

    (sigma, n) <- (s sigma, s n + j).

The linear parts are signs and commute. With n modulo m the maps form the dihedral group of order 2m, which the layer tracks
exactly as long as n is an exact integer. The layer itself generates the *infinite* dihedral group, and |n| can grow by m - 1 at
every letter: log2((m - 1) T) bits after T letters.

Source: derived here.
"""

import jax.numpy as jnp
from jaxtyping import Array, Int, Num

from depthjax.scans.cascade import ScanCascade, Stage, folding


def dihedral_tracker() -> ScanCascade:
    """Return the one-stage cascade on letters (s, j), arrays of shape (length, batch, 2); its state is (sigma, n)."""
    return ScanCascade((Stage(lambda letters, below: letters, folding(_composed, jnp.array([1, 0]))),))


def tracker_start(batch: int, dtype: jnp.dtype, count: int = 0) -> tuple[Num[Array, "batch 2"]]:
    """Return the initial state in this dtype: the map h -> h + count."""
    return (jnp.broadcast_to(jnp.array([[1, count]], dtype), (batch, 2)),)


def tracked_maps(state: Num[Array, "*shape 2"], sides: int) -> Int[Array, "*shape 2"]:
    """Return the map as an element of the dihedral group: (0 for a rotation or 1 for a reflection, n modulo `sides`)."""
    exact = state.astype(jnp.int32)
    return jnp.stack([(exact[..., 0] < 0).astype(jnp.int32), exact[..., 1] % sides], axis=-1)


def _composed(earlier: Array, later: Array) -> Array:
    """The map of two consecutive stretches of a word; the later stretch acts last."""
    return jnp.stack([earlier[..., 0] * later[..., 0], later[..., 0] * earlier[..., 1] + later[..., 1]], axis=-1)

r"""The principal logarithm of a matrix as a function of its excess over the identity, by square roots and a quadrature.

    log(1 + E) = int_0^1 E (1 + s E)^{-1} ds.

The quadrature with m nodes is the diagonal Pade approximant of order m. Its error is largest at the scalar -|E| (Kenney and
Laub): with |log(1 - |E|)| = z it is of the order of tanh(z / 4)^{2m}, below 1e-17 for 32 nodes and |E| <= 0.9. Larger matrices
are replaced by square roots first, log M = 2 log M^{1/2}. The excess of a root is E (1 + M^{1/2})^{-1}. E stands on the left
everywhere, so a small logarithm keeps its relative precision. Roots are those of Denman and Beavers, which converge from every
matrix without eigenvalues that are zero or negative.

The derivative in the direction D is the corner of log [[M, D], [0, M]].

Source: Higham, Functions of Matrices (2008), sections 3.2, 6.3 and 11.4; Kenney and Laub, SIAM J. Matrix Anal. Appl. 10 (1989).
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.checks import at_least, floating

_RADIUS = 0.9  # of |E|, for the quadrature
_ROOTS = 64  # at most: the excess halves with each
_STEPS = 128  # to a root at most; an eigenvalue at the angle pi - d takes about log2(1 / d) + 6


def logarithm_from_excess(excess: Float[Array, "*shape size size"], nodes: int = 32) -> Float[Array, "*shape size size"]:
    """Return log(1 + excess), principal; NaN for a matrix 1 + excess with an eigenvalue that is zero or negative.

    An eigenvalue at the angle pi - d loses log10(1 / d) digits, because the logarithm jumps at d = 0.

    Cost: `nodes` linear systems for each matrix, and about ten inverses for each halving of a norm above 0.9. Only forward-mode
    derivatives are defined, because the number of roots depends on the values; they take matrices of twice the size.

    Raises:
        TypeError: The entries are not real floating point.
        ValueError: `nodes` is below 1.
    """
    floating("excess", excess)
    at_least("nodes", nodes, 1, "the quadrature needs a node")
    own = jnp.asarray(excess)
    kind = own.dtype if own.dtype.itemsize >= 4 else jnp.float32  # inverses have 32 bits at least
    return _logarithm(own.astype(kind), nodes).astype(own.dtype)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _logarithm(excess: Array, nodes: int) -> Array:
    def large(excess: Array) -> Array:
        return jnp.linalg.norm(excess, axis=(-2, -1), keepdims=True) > _RADIUS

    def halve(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        count, excess, roots = carry
        wanted = large(excess)
        root = _square_root(excess, wanted)
        half = jnp.linalg.solve(root + _one(excess), excess)  # E commutes with the root
        return count + 1, jnp.where(wanted, half, excess), roots + wanted.astype(jnp.int32)

    start = jnp.zeros((), jnp.int32), excess, jnp.zeros((*excess.shape[:-2], 1, 1), jnp.int32)
    _, excess, roots = jax.lax.while_loop(lambda carry: (carry[0] < _ROOTS) & large(carry[1]).any(), halve, start)
    points, weights = np.polynomial.legendre.leggauss(nodes)
    points, weights = jnp.asarray((points + 1) / 2, excess.dtype), jnp.asarray(weights / 2, excess.dtype)
    systems = points.reshape(-1, *[1] * excess.ndim) * excess[None]
    systems = systems + _one(systems)
    # E commutes with the system, so it may be the right-hand side
    found = jnp.tensordot(weights, jnp.linalg.solve(systems, jnp.broadcast_to(excess[None], systems.shape)), axes=1)
    return jnp.where(large(excess), jnp.nan, found * jnp.exp2(roots.astype(excess.dtype)))  # roots of 0 stay at 0


@_logarithm.defjvp
def _derivative(nodes: int, point: tuple[Array], direction: tuple[Array]) -> tuple[Array, Array]:
    (excess,), (moved,) = point, direction

    norm = jnp.linalg.norm(moved, axis=(-2, -1), keepdims=True)
    scale = jnp.exp2(jnp.round(jnp.log2(jnp.where((norm > 0) & jnp.isfinite(norm), norm, 1.0))))
    size = excess.shape[-1]
    pair = jnp.block([[excess, moved / scale], [jnp.zeros_like(excess), excess]])
    return _logarithm(excess, nodes), _logarithm(pair, nodes)[..., :size, size:] * scale


def _square_root(excess: Array, wanted: Array) -> Array:
    """The principal square root of 1 + excess where it is wanted, by the steps X, Y <- (X + 1 / Y) / 2, (Y + 1 / X) / 2.

    Convergence is quadratic, so a step that moved by less than the root of a rounding is the last one. NaN if none was.
    """
    one, small = jnp.broadcast_to(_one(excess), excess.shape), 0.1 * float(jnp.finfo(excess.dtype).eps) ** 0.5

    def step(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        count, pair, going = carry
        new = (pair + jnp.linalg.inv(pair[::-1])) / 2
        moved = jnp.linalg.norm(new[0] - pair[0], axis=(-2, -1), keepdims=True)
        size = jnp.linalg.norm(new[0], axis=(-2, -1), keepdims=True)
        return count + 1, jnp.where(going, new, pair), going & ~(moved <= small * size) & jnp.isfinite(size)

    start = jnp.zeros((), jnp.int32), jnp.stack([one + excess, one]), wanted
    _, pair, going = jax.lax.while_loop(lambda carry: (carry[0] < _STEPS) & carry[2].any(), step, start)
    root = pair[0]
    wrong = jnp.linalg.norm(root @ root - start[1][0], axis=(-2, -1), keepdims=True)
    # a negative eigenvalue leads through 0 and infinity, and rounding may then lead to the root of another matrix
    right = wrong <= float(jnp.finfo(excess.dtype).eps) ** 0.5 * jnp.linalg.norm(root, axis=(-2, -1), keepdims=True) ** 2
    return jnp.where(going | (wanted & ~(right & jnp.isfinite(wrong))), jnp.nan, root)


def _one(matrices: Array) -> Array:
    return jnp.eye(matrices.shape[-1], dtype=matrices.dtype).reshape(*[1] * (matrices.ndim - 2), *matrices.shape[-2:])

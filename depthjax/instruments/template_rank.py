"""The rank that templates show of linearised attention: templates are added until the rank stays below their number.

Two arithmetics, as in `depthjax.instruments.separation`: residues modulo a prime, exact, and float64 with normal weights.
"""

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.instruments.separation import LinearWeights, float_rank, grid, modular_rank

FEW = (64, 256)  # templates that are tried first: few shapes, few compilations
WIDTH = 4  # up to which narrow networks are padded, for the same reason


def residue_rank(network: LinearWeights, left: np.ndarray, right: np.ndarray, prime: int) -> int:
    """Return the rank modulo a prime of the network's output on all pairs of templates.

    Args:
        network: Weights, integers.
        left: Integers of shape ``(templates, tokens, width)``; the output is read at token 0 of this half.
        right: The same for the other half.
        prime: Below 2^31.

    Returns:
        The rank of the first 64, 256 or all templates of both halves: of the fewest that outnumber it. It equals the number of
        templates if all of them are too few.

    Cost: attention over both halves for every pair, and an elimination.
    """
    rank = 0
    for count in (*(few for few in FEW if few < len(left)), len(left)):
        rank = modular_rank(_grid(network, left[:count], right[:count], prime), prime)
        if rank < count:
            break
    return rank


def residue_outputs(network: LinearWeights, left: np.ndarray, right: np.ndarray, prime: int) -> np.ndarray:
    """Return the network's outputs modulo a prime on all pairs of templates, ``(left, right)``; arguments as above."""
    return np.asarray(_grid(network, left, right, prime)).astype(np.int64)


def normal_rank(key: jax.Array, network: LinearWeights, templates: int) -> tuple[int, float]:
    """Return the rank in float64 of a network with normal weights on normal templates, and the gap that shows it, in decades.

    Args:
        key: Randomness of weights and templates.
        network: Gives the shapes of the weights; a half has as many tokens as the network has coordinates.
        templates: Number of templates of each half.
    """
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key))).standard_normal  # nothing to compile
    width = len(network.readout)
    weights = LinearWeights(*(jnp.asarray(_padded(draw(np.shape(part)))) for part in network))
    left, right = (jnp.asarray(_padded(draw((templates, width, width)))) for _ in range(2))
    return float_rank(grid(weights, left, right))


def _grid(network: LinearWeights, left: np.ndarray, right: np.ndarray, prime: int) -> jax.Array:
    weights = LinearWeights(*(_residues(np.asarray(part), prime) for part in network))
    return grid(weights, _residues(left, prime), _residues(right, prime), prime)


def _residues(array: np.ndarray, prime: int) -> jax.Array:
    return jnp.asarray(_padded(array % prime).astype(np.uint64))


def _padded(array: np.ndarray) -> np.ndarray:
    """Add coordinates, tokens and sizes of heads that are zero: they add nothing to any sum."""
    own = min(array.ndim, 2)
    missing = [max(WIDTH - size, 0) for size in array.shape[-own:]]
    return np.pad(array, [(0, 0)] * (array.ndim - own) + [(0, more) for more in missing])

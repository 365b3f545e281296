"""What the claims on separation rank share: generic weights and templates from `theory`, ranks measured by `depthjax`."""

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.probe.separation import LinearWeights, float_rank, grid, modular_rank
from depthjax.runs.compiler import common_size
from theory.attention.separation import LinearAttention, separation_rank
from theory.exact.modular import PRIMES

SPARE = 4  # templates beyond the predicted rank, which would otherwise be measured as their number
TEMPLATES = (64, 256)  # the same numbers for many cells: few shapes, few compilations
WIDTH = 4  # up to which cells are padded, for the same reason


def network(width: int, layers: int, heads: int) -> dict[str, np.ndarray]:
    """Residues: weights of a generic network, templates of as many tokens as the width for both halves, and two primes."""
    drawn = LinearAttention.random(width, layers, heads, seed=1000 * width + 100 * layers + heads)
    count = common_size(separation_rank(width, layers, heads) + SPARE, *TEMPLATES)
    halves = np.random.default_rng(width + layers).integers(0, PRIMES[0], (2, count, width, width))
    return {**drawn.__dict__, "left": halves[0], "right": halves[1], "primes": np.array(PRIMES)}


def exact_network(given: dict[str, np.ndarray]) -> LinearAttention:
    """The weights in `theory`'s type."""
    return LinearAttention(*(given[name] for name in ("query", "key", "value", "output", "readout")))


def measured_ranks(given: dict[str, np.ndarray], primes: int = 2) -> list[int]:
    """Ranks modulo so many primes of the network run token by token on all pairs of templates."""
    return [_measured_rank(given, prime) for prime in given["primes"].tolist()[:primes]]


def _measured_rank(given: dict[str, np.ndarray], prime: int) -> int:
    names = ("query", "key", "value", "output", "readout", "left", "right")
    *arrays, left, right = (jnp.asarray(_padded(name, given[name] % prime).astype(np.uint64)) for name in names)
    return modular_rank(grid(LinearWeights(*arrays), left, right, prime), prime)


def measured_float_rank(given: dict[str, np.ndarray], key: jax.Array) -> tuple[int, float]:
    """Rank in float64 of a network with normal weights on normal templates of the same shapes, and the gap in decades."""
    names = ("query", "key", "value", "output", "readout", "left", "right")
    sizes = [given[name].size for name in names]
    drawn = np.random.default_rng(np.asarray(jax.random.key_data(key))).standard_normal(sum(sizes))  # nothing to compile
    flat = np.split(drawn, np.cumsum(sizes)[:-1])
    parts = (_padded(name, part.reshape(given[name].shape)) for part, name in zip(flat, names, strict=True))
    *arrays, left, right = map(jnp.asarray, parts)
    return float_rank(grid(LinearWeights(*arrays), left, right))


def _padded(name: str, array: np.ndarray) -> np.ndarray:
    """Narrow networks with coordinates and tokens that are zero, which add nothing to any sum."""
    own = {"readout": 1}.get(name, 2)  # trailing axes: coordinates, and tokens or the size of a head
    missing = [max(WIDTH - size, 0) for size in array.shape[-own:]]
    return np.pad(array, [(0, 0)] * (array.ndim - own) + [(0, more) for more in missing])

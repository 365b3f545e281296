"""Generic networks of linearised attention with templates for both halves of their tokens, as residues modulo a prime."""

from collections.abc import Mapping

import numpy as np

from theory.attention.cost import entries
from theory.attention.separation import LinearAttention, grid_rank, separation_rank
from theory.checks import integer, positive_integer
from theory.cost import refuse
from theory.exact.modular import PRIMES

__all__ = ["exact_rank", "generic_network"]

SPARE = 4  # templates beyond the predicted rank, without which their number would be measured instead


def generic_network(width: int, layers: int, heads: int, templates: int, seed: int = 0) -> dict:
    """Return a network, templates for both halves with as many tokens as the width, and two primes.

    Returns:
        ``network``, the arrays of a `LinearAttention` by name; ``left`` and ``right``, integers of shape ``(templates, width,
        width)``; ``primes``.

    Raises:
        ValueError: The width does not split into the heads, or a size is not positive.
        TooExpensive: There are too many weights or templates, see `theory.cost`.

    >>> found = generic_network(2, 1, 1, 8)
    >>> LinearAttention(**found["network"]).shape, found["left"].shape
    ((2, 1, 1), (8, 2, 2))
    """
    templates = positive_integer("templates", templates, "the number of templates of each half")
    seed = integer("seed", seed, "the seed of the random residues", least=0)
    network = LinearAttention.random(width, layers, heads, seed=seed)
    refuse(entries("the templates", 2, templates, width, width, each=2e-8))
    left, right = np.random.default_rng(seed + 1).integers(0, PRIMES[0], (2, templates, width, width))
    return {"network": dict(vars(network)), "left": left, "right": right, "primes": PRIMES}


def exact_rank(network: Mapping[str, np.ndarray], left: np.ndarray, right: np.ndarray, primes: tuple[int, ...] = PRIMES) -> int:
    """Return the exact rank modulo the first prime over as few templates as can show the predicted rank and a larger one.

    Arguments as `generic_network` returns them.

    Raises:
        ValueError: There are not enough templates or tokens (`theory.attention.separation.grid_rank`).

    >>> exact_rank(**generic_network(2, 1, 1, 8))
    3
    """
    weights = LinearAttention(**network)
    enough = separation_rank(*weights.shape) + SPARE
    return grid_rank(weights, left[:enough], right[:enough], primes[0])

"""What a Lie tower misses of a product of exponentials, and what one layer more or fewer would miss."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Integer

from depthjax.constructions.towers.lie import LieTower
from depthjax.lie.exponential import excess_product
from depthjax.lie.products import word_excess


class TowerErrors(NamedTuple):
    """Differences of matrices for every mass and word.

    Attributes:
        left_out: The last factor minus 1, times the factors below it: what the layers below miss, without cancellation.
        error: The product of the factors below the last minus the product of exponentials.
        complete: The same with the last factor.
        fewer: The same with one factor fewer than in `error`.
    """

    left_out: Float[Array, "masses words size size"]
    error: Float[Array, "masses words size size"]
    complete: Float[Array, "masses words size size"]
    fewer: Float[Array, "masses words size size"]


@partial(jax.jit, static_argnames="tower")
def tower_errors(
    tower: LieTower,
    states: Sequence[Float[Array, "words _"]],
    words: Integer[Array, "words length"],
    weights: Float[Array, " words"],
    matrices: Float[Array, "letters size size"],
    masses: Float[Array, " masses"],
) -> TowerErrors:
    """Return what all but the last layer of a tower miss of the products of words.

    Args:
        tower: A tower of at least two layers.
        states: Its states after the words, with every letter weighted.
        words: Letters from 0 on; the letter after the last one is silent.
        weights: What each letter of a word is multiplied by.
        matrices: Generators, one for each letter.
        masses: Scales of the generators.

    Cost: one product of exponentials for each mass and word, and as many factors as layers.
    """
    *below, last = tower.factors(states, matrices, masses)
    reached = excess_product(*reversed(below))
    silent = jnp.concatenate([matrices, jnp.zeros_like(matrices[:1])])
    exact = jax.vmap(lambda word, weight: word_excess(word[None], silent, masses * weight)[:, 0], out_axes=1)(words, weights)
    left_out = last + last @ reached
    fewer = excess_product(*reversed(below[:-1])) if below[:-1] else jnp.zeros_like(exact)
    return TowerErrors(left_out, reached - exact, left_out + reached - exact, fewer - exact)

r"""Errors of a solvable tower, and the rounding below which an error says nothing.

Let S_t be the product of the sections of the states after letter t, and x_t the letter. What the tower leaves of letter t,

    R_t = S_(t-1) exp(x_t) S_t^(-1),

is 1 but for the roundings of this one step, whatever was rounded before, and

    exp(x_1) ... exp(x_T) = R_1 ... R_T S_T.

The error is therefore the sum of the R_t - 1, times the product. A rounding in layer j of step t is multiplied by the sections
sigma_i(u_i) before the letter and by their inverses after it: by at most

    c_t = prod_i |sigma_i(u_i(t-1))| |sigma_i(u_i(t))^(-1)|.

The product itself rounds by no more, because its parts before and after t are S_(t-1) and S_(t-1)^(-1) times the whole.
Roundings of different letters are independent, so the root mean square of c_t magnifies them. A bound by the largest states,
exp(2 sum_i max_t |u_i(t)|), would be useless: above the first layer sections are polynomials of their states, and it reaches
1e178 on 256 letters.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.lie.exponential import exponential_excess
from depthjax.rounding import spectral_distance
from experiments.lie.solvable_tower_exact.solvable_tower import SolvableTower


class SolvableErrors(NamedTuple):
    """What a solvable tower does to a batch of words.

    Attributes:
        errors: Distance of the product of the lowest 1, 2, ..., k sections from the product of the word, in operator norm.
        magnified: Factor by which a rounding of one step enters the error, in operator norm.
        states: The states of every layer after every letter.
    """

    errors: Float[Array, "layers words"]
    magnified: Float[Array, " words"]
    states: tuple[Float[Array, "length words _"], ...]


@jax.jit
def solvable_errors(
    tower: SolvableTower, letters: Float[Array, "length words size size"], products: Float[Array, "words size size"]
) -> SolvableErrors:
    """Return the errors of a tower on words, by its number of layers.

    Args:
        tower: The tower; a padded one has errors of layers that it lacks, equal to those of its last.
        letters: Elements x_t of the algebra.
        products: The products exp(x_1) ... exp(x_T), made by another route.

    Cost: one run of the tower, and an exponential for every letter, layer and sign.
    """
    path = tower.cascade().run(letters, tower.start(letters.shape[1]), chunk=1, stream=True)
    final = [state[-1] for state in path]
    target = products - jnp.eye(products.shape[-1])[None]
    reached = jnp.stack([tower.evaluate(final[: layer + 1]) for layer in range(tower.layers)])
    steps = jnp.prod(jnp.stack([section_growth(*layer) for layer in zip(path, tower.complements, strict=True)]), axis=0)
    magnified = jnp.sqrt((steps**2).mean(axis=0)) * jnp.linalg.norm(products, ord=2, axis=(-2, -1))
    return SolvableErrors(spectral_distance(reached, target[None]), magnified, tuple(path))


def section_growth(
    states: Float[Array, "length words dimension"], basis: Float[Array | np.ndarray, "dimension size size"]
) -> Float[Array, "length words"]:
    """Return the norm of one layer's section before each letter times the norm of its inverse after the letter."""
    elements = jnp.einsum("tbv,vij->tbij", states, jnp.asarray(basis))
    one = jnp.eye(elements.shape[-1])[None, None]
    after, inverse = (jnp.linalg.norm(one + exponential_excess(sign * elements), ord=2, axis=(-2, -1)) for sign in (1, -1))
    return jnp.concatenate([jnp.ones_like(after[:1]), after[:-1]]) * inverse

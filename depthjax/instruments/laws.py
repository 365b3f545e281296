"""What a law, a word that is trivial in every solvable group of some class, does to matrices and to cascades of prefix sums.

Words hold indices of signed letters: i + n is the inverse of letter i of n, and 2 n is silent.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from depthjax.constructions.towers.linear import linear_cascade_start, random_linear_cascade, signed_letters
from depthjax.lie.products import word_excess
from depthjax.rounding import rounding_floor


def signed_generators(
    generators: Float[np.ndarray, "letters rows rows"], size: int
) -> Float[np.ndarray, "signed_and_silence size size"]:
    """Return the generators, their negatives and zero, filled up with zeros to a size."""
    signed = np.concatenate([generators, -generators, np.zeros_like(generators[:1])])
    return np.pad(signed, ((0, 0), *[(0, size - generators.shape[-1])] * 2))


def followed_by_silence(word: Int[np.ndarray, " law"], letters: int, length: int) -> Int[np.ndarray, " length"]:
    """Return the word, filled up with silence to a length, so that words of all lengths share one program."""
    return np.pad(word, (0, length - len(word)), constant_values=2 * letters)


def law_excess(
    word: Int[np.ndarray, " length"], signed: Float[np.ndarray, "signed size size"], scales: Float[np.ndarray, " scales"]
) -> Float[np.ndarray, "scales size size"]:
    """Return the product of the exponentials of a word's signed letters at every scale, minus the identity."""
    return np.asarray(word_excess(jnp.asarray(word)[None], jnp.asarray(signed), jnp.asarray(scales))[:, 0])


def law_changes(
    key: Key[Array, ""], word: Int[np.ndarray, " law"], letters: int, layers: int, width: int, cascades: int
) -> tuple[Float[np.ndarray, "cascades layers"], Float[np.ndarray, " cascades"]]:
    """Return the largest change of every layer of random cascades after a word, and the rounding floor of each cascade.

    Args:
        key: Key of the fields of the cascades.
        word: Indices of signed letters.
        letters: Number of generators.
        layers: Layers of each cascade.
        width: Numbers in the state of a layer.
        cascades: Number of draws.

    Cost: as one run of a cascade for each draw.
    """
    increments = signed_letters(jnp.asarray(word)[:, None], letters)
    start = linear_cascade_start(letters, layers, width, 1)

    @jax.jit
    @jax.vmap
    def change(cascade_key: jax.Array) -> tuple[jax.Array, ...]:
        path = random_linear_cascade(cascade_key, letters, layers, width).run(increments, start, chunk=1, stream=True)
        return tuple(jnp.stack([jnp.abs(state).max() for state in stretch]) for stretch in ([s[-1] for s in path], path))

    final, reach = (np.asarray(values) for values in change(jax.random.split(key, cascades)))
    # rounding enters at every letter, and the fields (of Lipschitz constants about one) pass it on to the layers above
    return final, np.asarray(rounding_floor(len(word) * 8.0**layers * width, jnp.dtype(float), reach.max(axis=1)))

"""Towers of abelian layers on rotations of space, in floating point: what is left out after one layer, two, and more.

A rotation is exp of the cross product with a vector. Layer j + 1 is driven by ``log(e^u e^x e^{-(u + x)})``, where u is the
state of layer j before its increment x, and a tower of k layers stands for ``e^{u_k} ... e^{u_1}``, which misses the product of
the letters' rotations by the factor of the next layer.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial.transform import Rotation


def tower_squares(
    turns: Float[np.ndarray, "letters 3 3"],
    start: Float[np.ndarray, " 3"],
    words: Int[np.ndarray, "words length"],
    layers: int,
) -> Float[np.ndarray, " layers"]:
    """Return the mean square distance of M[w_t] ... M[w_1] v from what towers of 1, ..., `layers` layers give, mean over t.

    Args:
        turns: Rotation of each letter, by less than half a turn.
        start: The vector v.
        words: One a row.
        layers: Of the highest tower.
    """
    # words multiply on the right here, so letters are turned back: y is the transposed product applied to v
    vectors = Rotation.from_matrix(np.swapaxes(turns, 1, 2)).as_rotvec()
    states = np.zeros((layers, len(words), 3))
    product, found = _exp(states[0]), np.zeros(layers)
    for column in words.T:
        increment = vectors[column]
        product = product @ _exp(increment)
        for layer in range(layers):
            before = states[layer].copy()
            states[layer] += increment
            driven = _exp(before) @ _exp(increment) @ _exp(-states[layer])
            increment = Rotation.from_matrix(driven).as_rotvec()
        tower = _exp(0 * states[0])
        for layer, state in enumerate(states):
            tower = _exp(state) @ tower
            missed = np.swapaxes(tower - product, 1, 2) @ start
            found[layer] += np.square(missed).sum(axis=1).mean() / words.shape[1]
    return found


def _exp(vectors: Float[np.ndarray, "words 3"]) -> Float[np.ndarray, "words 3 3"]:
    return Rotation.from_rotvec(vectors).as_matrix()

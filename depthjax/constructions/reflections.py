r"""One DeltaProduct layer that follows a finite group exactly: every letter's orthogonal matrix as a product of reflections.

A matrix that moves a space of dimension r is the product of r reflections and of no fewer, and the determinant fixes their
parity. So the rotations of A5 take two Householder steps a token, with b = 2, the closure of the trained layer's range (0, 2);
one step cannot do: a reflection has determinant -1.

The layer starts from H = 0. A beginning-of-sequence token writes the first `steps` unit vectors into the columns of H (key
e_j, value e_j / 2, b = 2); letter x then multiplies H by M[x]^T from the left and writes nothing, so that after the word
x_1 ... x_t the columns of H are the first rows of M[x_1 ... x_t], the product appended on the right. There is one head for
every coordinate, all with the same H, and each reads one row of it. The nearest of the group's matrices is the answer.

(Grazzi et al., arXiv 2411.12537; Siems et al., arXiv 2502.10297. Number of reflections: Scherk, 1950.)
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer

from depthjax.checks import at_least, in_alphabet, marked, strange
from depthjax.scans import householder_scan


class Tracker(NamedTuple):
    """What the layer's projections give for each token, the last of which is the beginning of sequence.

    Attributes:
        keys: unit vectors. values: of size `steps`, zero but for the last token. codes: what H is in each element.
    """

    keys: Float[Array, "tokens steps n"]
    values: Float[Array, "tokens steps steps"]
    codes: Float[Array, "order n steps"]

    def states(self, words: Integer[Array, "batch length"], *, method: str = "auto", chunk: int = 16) -> Array:
        """Return what the heads read after each letter, all of H: (batch, length, n, steps). A chunk divides length + 1.

        Raises:
            ValueError: a letter that is no element (under jit: NaN throughout that word), or a chunk that does not divide.
        """
        words = in_alphabet("words", words, self.codes.shape[0])
        batch, order, size = words.shape[0], self.codes.shape[0], self.keys.shape[-1]
        tokens = jnp.concatenate([jnp.full((1, batch), order, words.dtype), words.T])
        heads = (*tokens.shape, size)
        key, value = (
            jnp.broadcast_to(part[tokens][:, :, None], (*heads, *part.shape[1:])) for part in (self.keys, self.values)
        )
        query = jnp.broadcast_to(jnp.eye(size, dtype=key.dtype)[None, None], (*heads, size))
        strength = jnp.full(key.shape[:-1], 2, key.dtype)
        states = jnp.swapaxes(householder_scan(query, key, value, strength, method=method, chunk=chunk), 0, 1)[:, 1:]
        return marked(states, strange(words))

    def decode(self, states: Float[Array, "batch length n steps"]) -> Int[Array, "batch length"]:
        """Return the nearest element; codes have equal norms, so it is the one with the largest inner product."""
        return jnp.einsum("blns,gns->blg", states, self.codes, precision="highest").argmax(axis=-1)


def reflection_tracker(
    matrices: Float[np.ndarray, "order n n"], steps: int, dtype: str = "float64", *, tolerance: float = 1e-9
) -> Tracker:
    """Return the layer for a representation by orthogonal matrices whose first `steps` rows tell elements apart.

    Raises:
        ValueError: `steps` reflections are too few for some matrix or have the wrong determinant, there are more steps than
            dimensions, or two elements share their first rows.
    """
    size = matrices.shape[-1]
    if at_least("steps", steps, 1) > size:
        raise ValueError(f"{steps} steps a token in dimension {size}: the first token writes one unit vector with each")
    turned = np.stack([reflections(matrix.T, steps, tolerance=tolerance) for matrix in matrices])
    keys = np.concatenate([turned, np.eye(size)[None, :steps]])
    values = np.concatenate([np.zeros((len(matrices), steps, steps)), np.eye(steps)[None] / 2])
    codes = np.swapaxes(matrices[:, :steps], -1, -2)
    gaps = np.abs(codes[:, None] - codes[None, :]).max(axis=(-2, -1)) + np.eye(len(codes))
    if gaps.min() <= tolerance:
        raise ValueError(
            f"two elements have the same first {steps} rows: use a representation that tells them apart, or more steps"
        )
    return Tracker(*(jnp.asarray(part, dtype) for part in (keys, values, codes)))


def reflections(matrix: Float[np.ndarray, "n n"], steps: int, *, tolerance: float = 1e-9) -> Float[np.ndarray, "steps n"]:
    """Return unit vectors k_1, k_2, ... with (I - 2 k_m k_m^T) ... (I - 2 k_1 k_1^T) = matrix, k_1 acting first.

    Each reflection sends some v back from Rv, and with it leaves one dimension more in place than before: k is along Rv - v,
    which is orthogonal to everything R leaves in place. Steps that are not needed repeat one vector in pairs.

    Raises:
        ValueError: the matrix is not orthogonal, moves more dimensions than there are steps, or has another determinant than
            so many reflections.
    """
    size = len(matrix)
    if np.abs(matrix @ matrix.T - np.eye(size)).max() > tolerance:
        raise ValueError("the matrix is not orthogonal, so it is no product of reflections")
    found: list[np.ndarray] = []
    rest = matrix
    while np.abs(rest - np.eye(size)).max() > tolerance:
        moved = rest - np.eye(size)
        key = moved[:, np.argmax(np.linalg.norm(moved, axis=0))]
        key = key / np.linalg.norm(key)
        rest = rest - 2 * np.outer(key, key @ rest)
        found.append(key)
    if len(found) > steps:
        raise ValueError(
            f"the matrix moves a space of dimension {len(found)}, so it takes {len(found)} reflections, not {steps}"
        )
    if (steps - len(found)) % 2:
        raise ValueError(
            f"{steps} reflections have determinant {(-1) ** steps} and the matrix {(-1) ** len(found)}: one more or less"
        )
    # rest = S_m ... S_1 R = I, so R = S_1 ... S_m: the last one found acts first
    spare = [np.eye(size)[0]] * (steps - len(found))
    return np.stack(spare + found[::-1])

"""Sequential composition in a finite group: elements encoded as vectors, words of them, and the encoded product.

The element g is encoded by the vector x_g with x_g[h] = x[gh]: the encoding x moved by g. A word (g_1, ..., g_k) has the target
x_{g_1 g_2 ... g_k}, the product **in reading order**: later letters multiply on the right. Words are integer arrays, and a
network reads `codes[words]`, so linear functions of codes are computed once for each element, not for each word.
"""

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Inexact, Int, Integer, Key

from depthjax.scans.tables import prefix_products


@dataclasses.dataclass(frozen=True)
class CompositionTask:
    """A task by its definitions, as arrays.

    Attributes:
        table: The Cayley table, shape (order, order).
        encoding: The encoding x, one number for each element.
        irreps: Kind and matrices, of shape (order, n, n), of the non-trivial irreps; one of each conjugate pair, or both.

    >>> signs = np.array([1.0, -1.0])
    >>> task = CompositionTask(np.array([[0, 1], [1, 0]]), signs, (("real", signs[:, None, None]),))
    >>> task.codes.tolist(), task.without_last_irrep().encoding.tolist()
    ([[1.0, -1.0], [-1.0, 1.0]], [0.0, 0.0])
    """

    table: Int[np.ndarray, "order order"]
    encoding: Float[np.ndarray, " order"]
    irreps: Sequence[tuple[str, Inexact[np.ndarray, "order _ _"]]]

    @property
    def codes(self) -> Float[np.ndarray, "order order"]:
        """The codes of all elements: row g holds x[gh] over h."""
        return self.encoding[self.table]

    def without_last_irrep(self) -> "CompositionTask":
        """The task whose encoding lacks the last irrep, together with its conjugate: a damage to try constructions with."""
        return dataclasses.replace(self, encoding=self.encoding - isotypic_part(self.encoding, *self.irreps[-1]))


def codes(encoding: Float[Array, " order"], table: Int[Array, "order order"]) -> Float[Array, "order order"]:
    """Return the code of every element: row g holds x[gh] over h."""
    return encoding[table]


def products(table: Int[Array, "order order"], words: Integer[Array, "batch length"]) -> Int[Array, " batch"]:
    """Return g_1 g_2 ... g_k for every word; `table[g, h]` is gh."""
    return prefix_products(table, words)[:, -1]


def one_hot_encoding(order: int, dtype: DTypeLike = jnp.float32) -> Float[Array, " order"]:
    """Return the indicator of the identity less its mean: every non-trivial Fourier coefficient is the identity matrix."""
    return jnp.zeros(order, dtype).at[0].set(1.0) - jnp.asarray(1 / order, dtype)


def spectral_encoding(
    irreps: Sequence[Inexact[np.ndarray, "order _ _"]], coefficients: Sequence[int | float | complex | np.ndarray]
) -> Float[np.ndarray, " order"]:
    """Return the real encoding with these Fourier coefficients, x[g] = (1/|G|) sum n tr(rho(g) x^[rho]), in float64.

    Args:
        irreps: Matrices of inequivalent irreducible representations; all others have coefficient zero.
        coefficients: Fourier coefficient of each; a number stands for that multiple of the identity.

    Raises:
        ValueError: The coefficients of conjugate irreps are not conjugate, so the encoding would not be real.
    """
    order = irreps[0].shape[0]
    total = np.zeros(order, complex)
    for matrices, coefficient in zip(irreps, coefficients, strict=True):
        size = matrices.shape[1]
        matrix = coefficient * np.eye(size) if np.ndim(coefficient) == 0 else coefficient
        total += size * np.einsum("gij,ji->g", matrices, matrix) / order
    imaginary, size = float(np.abs(np.imag(total)).max()), float(np.abs(total).max())
    if imaginary > 1e-9 * max(size, 1e-300):
        raise ValueError(
            f"these coefficients give an encoding with imaginary part {imaginary:.3g}, but encodings are real: conjugate"
            " irreps need conjugate coefficients; give both members of every complex pair"
        )
    return np.real(total)


def isotypic_part(
    encoding: Float[np.ndarray, " order"], kind: str, matrices: Inexact[np.ndarray, "order n n"]
) -> Float[np.ndarray, " order"]:
    """Return the part of an encoding in one irrep, together with its conjugate if the two differ."""
    coefficient = np.einsum("g,gji->ij", encoding, matrices.conj())
    both = 2 if kind == "complex" else 1
    return both * matrices.shape[1] / len(encoding) * np.einsum("gij,ji->g", matrices, coefficient).real


def random_isotypic(
    key: Key[Array, ""],
    kind: str,
    matrices: Inexact[np.ndarray, "order n n"],
    singular_values: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " order"]:
    """Return a random real encoding in one irrep, together with its conjugate if the two differ.

    The singular vectors of its Fourier coefficient are those of the coefficient of a Gaussian encoding, so their law does not
    depend on the basis of the irrep.

    Args:
        key: Key of the draw.
        kind: Kind of the irrep.
        matrices: Its unitary matrices.
        singular_values: Singular values of the coefficient, falling; those of a quaternionic one come in pairs.
    """
    gaussian = np.asarray(jax.random.normal(key, (len(matrices),), jnp.float64))
    left, _, right = np.linalg.svd(np.einsum("g,gji->ij", gaussian, matrices.conj()))
    both = 2 if kind == "complex" else 1
    return both * len(left) / len(matrices) * np.einsum("gij,ji->g", matrices, (left * singular_values) @ right).real


def faithful(
    codes: Inexact[np.ndarray, "order features"], table: Int[np.ndarray, "order order"]
) -> tuple[Float[np.ndarray, "letters features"], Int[np.ndarray, "letters letters"]]:
    """Return the task without repetitions: elements with equal codes are one letter.

    The letters are the cosets of a normal subgroup, the kernel of the irreps that take part, so they form a group. Uniform
    words in the group are uniform words of letters, so learning does not change.
    """
    scale = np.abs(codes).max()
    _, first, letter = np.unique(np.round(codes / scale, 9), axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))  # letters in the order of their first elements, the identity's first
    first, letter = np.sort(first), rank[letter]
    return codes[first], letter[table[np.ix_(first, first)]]


def coordinates(
    codes: Inexact[np.ndarray, "letters features"],
) -> tuple[Float[np.ndarray, "letters rank"], Float[np.ndarray, "features rank"]]:
    """Return the codes in an orthonormal basis of their span, and that basis: codes = coordinates basis^T.

    Weights orthogonal to the span meet no input: their gradient is zero, and they affect only the rate of a neuron.
    """
    _, values, rows = np.linalg.svd(codes, full_matrices=False)
    basis = rows[values > 10 * len(codes) * np.finfo(codes.dtype).eps * values[0]].T  # smaller values are rounding
    return codes @ basis, basis

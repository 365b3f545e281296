r"""Normal forms of self-conjugate representations: real or quaternionic matrices.

If :math:`\rho` and its conjugate are equivalent, then :math:`\rho(g) J = J \overline{\rho(g)}` for a unitary J, which is unique
up to a phase and found by averaging. Real type: J is symmetric, and if :math:`J = W W^T` with W unitary, then
:math:`W^* \rho W` is real. Quaternionic type: J is antisymmetric, :math:`\theta v = J \bar v` squares to -1, and in an
orthonormal basis :math:`v_1 .. v_m, \theta v_1 .. \theta v_m` the matrices are :math:`[[A, B], [-\bar B, \bar A]]`.
"""

from __future__ import annotations

import numpy as np

__all__ = ["quaternionic_form", "real_form"]


def real_form(matrices: np.ndarray) -> np.ndarray:
    """Equivalent real orthogonal matrices of a representation of real type."""
    j = _intertwiner(matrices)
    j = (j + j.T) / 2
    # J is unitary and symmetric: its real and imaginary parts commute, so a generic combination diagonalises both
    _, basis = np.linalg.eigh(j.real + np.sqrt(2) * j.imag)
    phases = np.diagonal(basis.T @ j @ basis)
    change = basis * np.sqrt(phases / np.abs(phases))
    return np.real(change.conj().T @ matrices @ change)


def quaternionic_form(matrices: np.ndarray) -> np.ndarray:
    """Equivalent matrices [[A, B], [-conj B, conj A]] of a representation of quaternionic type."""
    j = _intertwiner(matrices)
    j = (j - j.T) / 2
    size = len(j)
    first: list[np.ndarray] = []
    second: list[np.ndarray] = []
    for candidate in np.eye(size, dtype=complex):
        for _ in range(2):  # the second pass removes the rounding errors of the first
            for done in (*first, *second):
                candidate = candidate - done * (done.conj() @ candidate)
        norm = np.linalg.norm(candidate)
        if len(first) < size // 2 and norm > 1 / (4 * size):
            first.append(candidate / norm)
            second.append(j @ first[-1].conj())
    basis = np.stack([*first, *second], axis=1)
    half = size // 2
    moved = basis.conj().T @ matrices @ basis
    upper = moved[:, :half]
    return np.concatenate([upper, np.concatenate([-upper[..., half:].conj(), upper[..., :half].conj()], axis=2)], axis=1)


def _intertwiner(matrices: np.ndarray) -> np.ndarray:
    """The unitary J with rho(g) J = J conj(rho(g)) for irreducible matrices that are equivalent to their conjugates."""
    rng, size = np.random.default_rng(0), matrices.shape[1]
    random = rng.normal(size=(size, size)) + 1j * rng.normal(size=(size, size))
    average = np.tensordot(matrices @ random, matrices, axes=((0, 2), (0, 2)))
    return average * np.sqrt(size) / np.linalg.norm(average)

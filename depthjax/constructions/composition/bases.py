r"""Bases in which a self-conjugate representation has its standard form.

A unitary irrep equivalent to its conjugate commutes with an antilinear map sigma(v) = J conj(v), J unitary, unique up to a
phase: rho(g) J rho(g)^T = J. Then sigma^2 = 1 (real type: the fixed vectors are a real form) or sigma^2 = -1 (quaternionic
type: v and sigma v are orthogonal). Averaging any matrix over the group gives J.
"""

import numpy as np
from jaxtyping import Inexact

KINDS = ("real", "complex", "quaternionic")


def standard_form(matrices: Inexact[np.ndarray, "order n n"], kind: str) -> np.ndarray:
    """Return the representation in its standard form.

    Real type: real orthogonal matrices, as a real array. Quaternionic type: blocks [[a, b], [-conj b, conj a]]. Complex type:
    unchanged. Cost: O(order n^3).

    Raises:
        ValueError: The kind is unknown, or the representation is not of this kind.
    """
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r}: a representation is {', '.join(KINDS)} (its Frobenius-Schur indicator 1, 0, -1)")
    if kind == "complex":
        return matrices
    if kind == "real" and not np.iscomplex(matrices).any():
        return np.real(matrices)
    basis = _real_basis(_conjugation(matrices, 1)) if kind == "real" else _quaternionic_basis(_conjugation(matrices, -1))
    moved = np.einsum("ji,gjk,kl->gil", basis.conj(), matrices, basis, optimize=True)
    return moved.real if kind == "real" else moved


def _conjugation(matrices: np.ndarray, square: int) -> np.ndarray:
    """The unitary J with rho J rho^T = J; `square` is the sign of J conj(J)."""
    order, size, _ = matrices.shape
    # any matrix with a component along J serves
    seed = np.random.default_rng(0).normal(size=(size, size))
    mean = np.einsum("gij,jk,glk->il", matrices, seed + square * seed.T, matrices, optimize=True) / order
    scale = np.sqrt(np.vdot(mean, mean).real / size)
    if scale < 1e-8 or np.abs(mean @ mean.conj() / scale**2 - square * np.eye(size)).max() > 1e-8:
        kind = "real" if square == 1 else "quaternionic"
        raise ValueError(f"the representation of dimension {size} is not of {kind} type, or not irreducible and unitary")
    return mean / scale


def _real_basis(conjugation: np.ndarray) -> np.ndarray:
    """Orthonormal vectors fixed by sigma: real combinations of v + sigma v and i (v - sigma v)."""
    size = len(conjugation)
    fixed = np.concatenate([np.eye(size) + conjugation, 1j * (np.eye(size) - conjugation)], axis=1)
    values, vectors = np.linalg.eigh((fixed.conj().T @ fixed).real)
    return fixed @ vectors[:, -size:] / np.sqrt(values[-size:])


def _quaternionic_basis(conjugation: np.ndarray) -> np.ndarray:
    """Orthonormal v_1 .. v_m, -sigma v_1 .. -sigma v_m."""
    size = len(conjugation)
    first: list[np.ndarray] = []
    second: list[np.ndarray] = []
    rest = np.eye(size, dtype=complex)
    for _ in range(size // 2):
        vector = rest[:, np.argmax(np.linalg.norm(rest, axis=0))]
        first.append(vector / np.linalg.norm(vector))
        second.append(-conjugation @ first[-1].conj())
        known = np.stack(first + second, axis=1)
        rest = np.eye(size) - known @ known.conj().T
    return np.stack(first + second, axis=1)

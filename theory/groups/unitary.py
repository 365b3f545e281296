r"""Unitary matrices of the irreducible representations of any finite group, computed from its characters.

Dixon's idea: let H be a cyclic subgroup with a linear character :math:`\lambda` that :math:`\chi` contains r times. Then

.. math:: \varphi(g) = \tfrac1{|H|} \sum_{h \in H} \overline{\lambda(h)}\, \chi(g h) = \operatorname{tr}(\rho(g) P),

with P the projection onto the :math:`\lambda`-vectors of H, is positive definite of rank :math:`n r`. The vectors whose inner
products it gives carry r copies of :math:`\rho`. For elements :math:`p_1 .. p_{nr}` with Gram matrix
:math:`\varphi(p_i^{-1} p_j) = L L^*` the unitary matrices are :math:`L^{-1} [\varphi(p_i^{-1} g p_j)] L^{-*}`. Mostly r = 1;
otherwise a random Hermitian matrix that commutes with the representation splits the copies.

Source: J. D. Dixon, Constructing representations of finite groups, DIMACS 11 (1993).
"""

from __future__ import annotations

import numpy as np

from theory.caching import once_per_object
from theory.groups.characters import characters
from theory.groups.self_conjugate import quaternionic_form, real_form
from theory.groups.table import CayleyTable

__all__ = ["CERTIFIED", "homomorphism_defect", "unitary_matrices"]

CERTIFIED = 1e-12
"""Largest defect, as a homomorphism and as unitary matrices, of matrices that are handed out."""


@once_per_object
def unitary_matrices(group: CayleyTable, number: int) -> np.ndarray:
    """Unitary matrices of one irreducible representation; complex, shape ``(order, dimension, dimension)``.

    Real kind: all entries are real. Quaternionic kind: blocks [[A, B], [-conj B, conj A]]. Complex kind: the later
    representation of a conjugate pair is the conjugate of the earlier one.

    Args:
        group: The group.
        number: Row of the character table.

    Raises:
        ArithmeticError: The defect of the matrices exceeds `CERTIFIED`.
    """
    conjugate = int(characters(group).conjugates[number])
    if conjugate < number:
        return unitary_matrices(group, conjugate).conj()
    matrices = _matrices(group, number)
    defect = homomorphism_defect(group, matrices)
    if defect > CERTIFIED:
        raise ArithmeticError(f"representation {number} of {group.name} has defect {defect:.2g} > {CERTIFIED}")
    matrices.setflags(write=False)
    return matrices


def homomorphism_defect(group: CayleyTable, matrices: np.ndarray) -> float:
    """Largest entry of rho(g) rho(s) - rho(g s) and of rho(g)* rho(g) - 1 over all g and all generators s.

    The triangle inequality along a word for h bounds the defect of all products g h; the tests measure it over all pairs.
    """
    size = matrices.shape[1]
    unitary = np.abs(matrices.conj().transpose(0, 2, 1) @ matrices - np.eye(size)).max()
    products = (np.abs(matrices @ matrices[s] - matrices[group.table[:, s]]).max() for s in group.generators)
    return float(max([unitary, *products]))


def _matrices(group: CayleyTable, number: int) -> np.ndarray:
    table = characters(group)
    dimension, kind = int(table.degrees[number]), table.kind(number)
    if dimension == 1:
        return table.values[number][group.class_of].reshape(-1, 1, 1)
    positive, copies = _positive_function(group, number)
    matrices = _carried(group, positive, dimension * copies)
    if copies > 1:
        matrices = _split(matrices, dimension)
    if kind == "real" and np.iscomplexobj(matrices):
        matrices = real_form(matrices)
    if kind == "quaternionic":
        matrices = quaternionic_form(matrices)
    return matrices.astype(complex)


def _positive_function(group: CayleyTable, number: int) -> tuple[np.ndarray, int]:
    """The function phi on the group, real if possible, and the number of copies of the representation that it carries."""
    table = characters(group)
    real_kind = table.kind(number) == "real"
    choices = []
    for conjugacy_class in range(len(table.sizes)):
        counts = table.multiplicities(number, conjugacy_class)
        order = len(counts)
        for k in np.flatnonzero(counts):
            real = 2 * k % order == 0
            choices.append((counts[k], real_kind and not real, -order, conjugacy_class, k))
    copies, _, minus_order, conjugacy_class, k = min(choices)
    order = -minus_order
    generator = group.conjugacy_classes[conjugacy_class][0]
    phi, element = np.zeros(group.order, dtype=complex), np.zeros(group.order, dtype=int) + np.arange(group.order)
    chi = table.values[number][group.class_of]
    for j in range(order):
        phi += np.exp(-2j * np.pi * (j * k % order) / order) * chi[element]
        element = group.table[element, generator]
    phi /= order
    return (phi.real if real_kind and 2 * k % order == 0 else phi), int(copies)


def _carried(group: CayleyTable, positive: np.ndarray, rank: int) -> np.ndarray:
    """Unitary matrices on the span of vectors v_g with inner products phi(a^-1 b); shape ``(order, rank, rank)``."""
    inverses = group.inverses
    factor = np.zeros((group.order, rank), dtype=positive.dtype)
    left = np.full(group.order, positive[0].real)
    pivots = []
    for step in range(rank):  # Cholesky with pivots: the vector farthest from the span of the earlier vectors is next
        pivot = 0 if step == 0 else int(np.argmax(left))
        pivots.append(pivot)
        column = positive[group.table[inverses, pivot]] - factor[:, :step] @ factor[pivot, :step].conj()
        factor[:, step] = column / np.sqrt(column[pivot].real)
        left = left - np.abs(factor[:, step]) ** 2
    lower = factor[pivots]
    first = group.table[inverses[pivots]][:, np.arange(group.order)]  # p_i^-1 g
    gram = positive[group.table[first.T[:, :, None], np.array(pivots)[None, None, :]]]
    inverse = np.linalg.inv(lower)
    matrices = inverse @ gram @ inverse.conj().T
    if homomorphism_defect(group, matrices) > CERTIFIED / 10:
        matrices = _averaged(group, factor.conj())
    return matrices


def _averaged(group: CayleyTable, vectors: np.ndarray) -> np.ndarray:
    """The matrices that take v_a to v_ga, by least squares over all a, which averages the rounding errors of the vectors.

    The vectors are a tight frame, so no linear system has to be solved. O(order^2 rank^2): for badly conditioned cases only.
    """
    scale = vectors.shape[1] / (np.abs(vectors) ** 2).sum()
    matrices = np.stack([scale * vectors[group.table[g]].T @ vectors.conj() for g in range(group.order)])
    return matrices @ (1.5 * np.eye(len(matrices[0])) - 0.5 * matrices.conj().transpose(0, 2, 1) @ matrices)


def _split(matrices: np.ndarray, dimension: int) -> np.ndarray:
    """One of several equivalent copies: an eigenspace of a random Hermitian matrix averaged over the group."""
    rng, size = np.random.default_rng(0), matrices.shape[1]
    random = rng.normal(size=(size, size)) + 1j * rng.normal(size=(size, size)) * np.iscomplexobj(matrices)
    random = random.real if not np.iscomplexobj(matrices) else random
    average = np.tensordot(matrices @ (random + random.conj().T), matrices.conj(), axes=((0, 2), (0, 2))) / len(matrices)
    values, vectors = np.linalg.eigh((average + average.conj().T) / 2)
    gaps = np.diff(values.reshape(-1, dimension).mean(axis=1), prepend=-np.inf, append=np.inf)
    best = int(np.argmax(np.minimum(gaps[:-1], gaps[1:])))
    basis = vectors[:, best * dimension : (best + 1) * dimension]
    return basis.conj().T @ matrices @ basis

r"""Irreducible unitary representations of any finite group, from its characters.

Dixon's idea: let H be a cyclic subgroup with a linear character :math:`\lambda` that :math:`\chi` contains r times. Then

.. math:: \varphi(g) = \tfrac1{|H|} \sum_{h \in H} \overline{\lambda(h)}\, \chi(g h) = \operatorname{tr}(\rho(g) P),

P the projection onto the :math:`\lambda`-vectors of H, is positive definite of rank :math:`n r`, and the vectors it stands for
carry r copies of :math:`\rho`. For elements :math:`p_1 .. p_{nr}` with Gram matrix :math:`\varphi(p_i^{-1} p_j) = L L^*` the
unitary matrices are :math:`L^{-1} [\varphi(p_i^{-1} g p_j)] L^{-*}`. Mostly r = 1; otherwise a random Hermitian matrix that
commutes with everything splits the copies.

Source: J. D. Dixon, Constructing representations of finite groups, DIMACS 11 (1993).
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import sympy

from theory.groups.types import quaternionic_form, real_form

if TYPE_CHECKING:
    from theory.groups.group import FiniteGroup

__all__ = ["CERTIFIED", "Irrep", "homomorphism_defect", "irreps"]

CERTIFIED = 1e-12
"""No matrices are handed out whose defect, as a homomorphism or as unitary matrices, is larger."""

KINDS = {1: "real", 0: "complex", -1: "quaternionic"}


@dataclasses.dataclass(frozen=True, eq=False)
class Irrep:
    """An irreducible unitary representation.

    Attributes:
        group: the group.
        number: position in ``group.irreps()`` and row of the character table.
    """

    group: FiniteGroup
    number: int

    @property
    def dimension(self) -> int:
        """Size of the matrices."""
        return int(self.group.characters.degrees[self.number])

    @property
    def kind(self) -> str:
        """``"real"``, ``"complex"`` or ``"quaternionic"`` (Frobenius and Schur)."""
        return KINDS[int(self.group.characters.indicators[self.number])]

    @property
    def character(self) -> tuple[sympy.Expr, ...]:
        """The exact character, one value per conjugacy class."""
        table = self.group.characters
        return tuple(table.value(self.number, c) for c in range(len(table.sizes)))

    @property
    def conjugate(self) -> int:
        """Number of the complex conjugate representation; itself unless the kind is complex."""
        return int(self.group.characters.conjugates[self.number])

    @cached_property
    def matrices(self) -> np.ndarray:
        """Unitary matrices, complex, shape ``(order, dimension, dimension)``; defect at most `CERTIFIED`.

        Real kind: all entries real. Quaternionic: blocks [[A, B], [-conj B, conj A]]. Complex: the later of a conjugate pair
        is the conjugate of the earlier.
        """
        if self.conjugate < self.number:
            return self.group.irreps()[self.conjugate].matrices.conj()
        matrices = _matrices(self)
        defect = homomorphism_defect(self.group, matrices)
        if defect > CERTIFIED:
            raise ArithmeticError(f"representation {self.number} of {self.group.name} has defect {defect:.2g} > {CERTIFIED}")
        matrices.setflags(write=False)
        return matrices

    @property
    def exact(self) -> tuple[sympy.ImmutableMatrix, ...]:
        """Exact unitary matrices where a closed form is known, see :mod:`theory.groups.exact`.

        Raises:
            ValueError: none is known.
        """
        from theory.groups.exact import exact_matrices

        return exact_matrices(self)

    @cached_property
    def real_matrices(self) -> np.ndarray:
        """Real orthogonal matrices of the irreducible *real* representation that contains this one.

        Real kind: the matrices themselves. Otherwise ``[[Re, -Im], [Im, Re]]``, of twice the dimension.
        """
        re, im = np.real(self.matrices), np.imag(self.matrices)
        return re.copy() if self.kind == "real" else np.block([[re, -im], [im, re]])


def irreps(group: FiniteGroup) -> tuple[Irrep, ...]:
    """One representative of each class of irreducible representations, in the order of the character table."""
    return tuple(Irrep(group, number) for number in range(len(group.characters.degrees)))


def homomorphism_defect(group: FiniteGroup, matrices: np.ndarray) -> float:
    """Largest entry of rho(g) rho(s) - rho(g s) and of rho(g)* rho(g) - 1 over all g and all generators s.

    An upper bound for all products follows by the triangle inequality along the word of h; tests measure it over all pairs.
    """
    size = matrices.shape[1]
    unitary = np.abs(matrices.conj().transpose(0, 2, 1) @ matrices - np.eye(size)).max()
    products = (np.abs(matrices @ matrices[s] - matrices[group.table[:, s]]).max() for s in group.generators)
    return float(max([unitary, *products]))


def _matrices(irrep: Irrep) -> np.ndarray:
    group, table = irrep.group, irrep.group.characters
    if irrep.dimension == 1:
        return table.values[irrep.number][group.class_of].reshape(-1, 1, 1)
    positive, copies = _positive_function(irrep)
    matrices = _carried(group, positive, irrep.dimension * copies)
    if copies > 1:
        matrices = _split(matrices, irrep.dimension)
    if irrep.kind == "real" and np.iscomplexobj(matrices):
        matrices = real_form(matrices)
    if irrep.kind == "quaternionic":
        matrices = quaternionic_form(matrices)
    return matrices.astype(complex)


def _positive_function(irrep: Irrep) -> tuple[np.ndarray, int]:
    """The function phi on the group, real where it can be, and how many copies of the representation it carries."""
    group, table = irrep.group, irrep.group.characters
    choices = []
    for number in range(len(table.sizes)):
        counts = table.multiplicities(irrep.number, number)
        order = len(counts)
        for k in np.flatnonzero(counts):
            real = 2 * k % order == 0
            choices.append((counts[k], irrep.kind == "real" and not real, -order, number, k))
    copies, _, minus_order, number, k = min(choices)
    order = -minus_order
    generator = group.conjugacy_classes[number][0]
    phi, element = np.zeros(group.order, dtype=complex), np.zeros(group.order, dtype=int) + np.arange(group.order)
    chi = table.values[irrep.number][group.class_of]
    for j in range(order):
        phi += np.exp(-2j * np.pi * (j * k % order) / order) * chi[element]
        element = group.table[element, generator]
    phi /= order
    return (phi.real if irrep.kind == "real" and 2 * k % order == 0 else phi), int(copies)


def _carried(group: FiniteGroup, positive: np.ndarray, rank: int) -> np.ndarray:
    """Unitary matrices on the span of the vectors v_g with inner products phi(a^-1 b); shape ``(order, rank, rank)``."""
    inverses = group.inverses
    factor = np.zeros((group.order, rank), dtype=positive.dtype)
    left = np.full(group.order, positive[0].real)
    pivots = []
    for step in range(rank):  # Cholesky, the vector farthest from the span of the earlier ones next
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


def _averaged(group: FiniteGroup, vectors: np.ndarray) -> np.ndarray:
    """The matrices that take v_a to v_ga, by least squares over all a: rounding errors of the vectors average out.

    The vectors are a tight frame, so that no system is solved; O(order^2 rank^2), for large and badly conditioned cases.
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

r"""Irreducible representations in closed form: exact unitary matrices.

Five constructions are tried in this order:

- dimension 1: the character itself;
- direct products: Kronecker products of the factors' representations;
- symmetric and alternating groups: Young's orthogonal form (`theory.groups.young`);
- monomial representations (dihedral, quaternion, Heisenberg, every supersolvable group and more): induced from a linear
  character of a subgroup with two generators, as matrices of roots of unity :math:`\lambda(t_i^{-1} g t_j)` on cosets
  :math:`t_j H`. The induced character is :math:`\chi` if :math:`\chi` contains :math:`\lambda` on H and its degree is the
  index of H (Frobenius reciprocity);
- Clifford theory over a normal subgroup whose representations have a closed form (`theory.groups.clifford`): SL2_3, GL2_3 and
  other groups with a normal subgroup that is not central.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import sympy

from theory.caching import once_per_object
from theory.groups.characters import characters
from theory.groups.clifford import ExactMatrices, clifford_matrices
from theory.groups.subgroups import generated, restricted
from theory.groups.table import CayleyTable
from theory.groups.young import young_matrices

__all__ = ["exact_matrices"]

SEARCHED = 250
"""Largest order of a group whose subgroups with two generators are searched."""


def exact_matrices(group: CayleyTable, number: int) -> ExactMatrices:
    """Exact unitary matrices of an irreducible representation, one per element.

    They are equivalent to those of `theory.groups.unitary`, in general in another basis.

    Args:
        group: The group.
        number: Row of the character table.

    Raises:
        ValueError: No closed form is known here for this representation.

    >>> from theory.groups import group
    >>> exact_matrices(group("Q8"), 4)[1]
    Matrix([
    [I,  0],
    [0, -I]])
    >>> sum(abs(matrix.trace()) ** 2 for matrix in exact_matrices(group("SL2_3"), 3))
    24
    """
    found = _closed_form(group, number)
    if found is None:
        raise ValueError(
            f"representation {number} of {group.name}, of dimension {characters(group).degrees[number]}, has no closed form "
            "here: it is not known to be monomial, a product, a representation of a symmetric or alternating group given by "
            "permutations, or induced or extended from a normal subgroup. Its character is exact, and its .matrices are "
            "numerical and certified: a transform of floats uses them."
        )
    return found


@once_per_object
def _closed_form(group: CayleyTable, number: int) -> ExactMatrices | None:
    table = characters(group)
    if table.degrees[number] == 1:
        values = table.character(number)
        return tuple(sympy.ImmutableMatrix([[values[c]]]) for c in group.class_of)
    if group.factors:
        return _kronecker(group, number)
    return young_matrices(group, number) or _monomial(group, number) or clifford_matrices(group, number, _closed_form)


def _kronecker(group: CayleyTable, number: int) -> ExactMatrices | None:
    values = characters(group).values[number][group.class_of]
    for numbers in itertools.product(*(range(len(characters(factor).degrees)) for factor in group.factors)):
        parts = list(zip(group.factors, numbers, strict=True))
        product = np.ones(1)
        for factor, row in parts:
            product = np.multiply.outer(product, characters(factor).values[row][factor.class_of]).ravel()
        if np.abs(product - values).max() < 1e-6:
            exact = [matrices for factor, row in parts if (matrices := _closed_form(factor, row)) is not None]
            if len(exact) < len(parts):
                return None
            return tuple(sympy.ImmutableMatrix(sympy.kronecker_product(*choice)) for choice in itertools.product(*exact))
    return None


def _monomial(group: CayleyTable, number: int) -> ExactMatrices | None:
    table = characters(group)
    degree = int(table.degrees[number])
    if group.order % degree or group.order > SEARCHED:
        return None
    chi = table.values[number][group.class_of]
    for subgroup in _subgroups(group, group.order // degree):
        inside = restricted(group, subgroup)
        lower = characters(inside)
        for row in np.flatnonzero(lower.degrees == 1):
            linear = lower.values[row][inside.class_of]
            if abs((linear.conj() * chi[subgroup]).sum() / len(subgroup) - 1) < 1e-6:
                roots = [lower.value(int(row), int(c)) for c in inside.class_of]
                return _induced(group, subgroup, roots)
    return None


def _subgroups(group: CayleyTable, order: int) -> Iterator[np.ndarray]:
    """Subgroups of this order with at most two generators, of which one is the first element of its class."""
    if order == 1:
        yield np.array([0])
        return
    seen = set()
    for members in group.conjugacy_classes:
        for second in range(group.order):
            subgroup = generated(group, [members[0], second])
            if len(subgroup) == order and subgroup.tobytes() not in seen:
                seen.add(subgroup.tobytes())
                yield subgroup


def _induced(group: CayleyTable, subgroup: np.ndarray, roots: Sequence[sympy.Expr]) -> ExactMatrices:
    """The representation induced from a linear character, given by its values on the subgroup."""
    smallest = group.table[:, subgroup].min(axis=1)
    section = np.unique(smallest)
    place = np.full(group.order, -1)
    place[subgroup] = np.arange(len(subgroup))
    moved = group.table[
        group.inverses[section][:, None, None], group.table[:, section].T[None, :, :]
    ]  # t_i^-1 g t_j: [i, j, g]
    entries = place[moved]
    size = len(section)
    return tuple(
        sympy.ImmutableMatrix(size, size, lambda i, j, g=g: roots[entries[i, j, g]] if entries[i, j, g] >= 0 else sympy.S.Zero)
        for g in range(group.order)
    )

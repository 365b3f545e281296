r"""Irreducible representations in closed form, unitary and exact.

Five constructions, tried in this order:

- dimension 1: the character itself;
- direct products: Kronecker products of the factors' representations;
- symmetric and alternating groups: Young's orthogonal form (:mod:`theory.groups.young`);
- monomial representations (dihedral, quaternion, Heisenberg, every supersolvable group and more): induced from a linear
  character of a subgroup with two generators, matrices of roots of unity :math:`\lambda(t_i^{-1} g t_j)` on cosets
  :math:`t_j H`. The induced character is :math:`\chi` as soon as :math:`\chi` contains :math:`\lambda` on H and has
  the index of H as its degree (Frobenius reciprocity);
- Clifford theory over a normal subgroup, where one of those serves the smaller group (:mod:`theory.groups.clifford`): SL2_3,
  GL2_3 and other groups with a normal subgroup that is not central.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import sympy

from theory.groups.clifford import clifford_matrices
from theory.groups.subgroups import generated, restricted
from theory.groups.young import young_matrices

if TYPE_CHECKING:
    from theory.groups.group import FiniteGroup
    from theory.groups.irreps import Irrep

__all__ = ["exact_matrices"]

SEARCHED = 250
"""Subgroups with two generators are searched in groups up to this order."""


@lru_cache(maxsize=256)
def exact_matrices(irrep: Irrep) -> tuple[sympy.ImmutableMatrix, ...]:
    """Exact unitary matrices, one per element, equivalent to ``irrep.matrices`` (and in general in another basis).

    Raises:
        ValueError: no closed form is known here for this representation.

    >>> from theory.groups.named import group
    >>> exact_matrices(group("Q8").irreps()[4])[1]
    Matrix([
    [I,  0],
    [0, -I]])
    """
    group = irrep.group
    if irrep.dimension == 1:
        values = irrep.character
        found = [sympy.ImmutableMatrix([[values[c]]]) for c in group.class_of]
    elif group.factors:
        found = _kronecker(irrep)
    else:
        found = young_matrices(irrep) or _monomial(irrep) or clifford_matrices(irrep)
    if found is None:
        raise ValueError(
            f"representation {irrep.number} of {group.name}, of dimension {irrep.dimension}, has no closed form here: it is "
            "not known to be monomial, a product, one of a symmetric or alternating group given by permutations, or induced or "
            "extended from a normal subgroup. Its character is exact, and its .matrices are numerical and certified; a "
            "transform of numbers (floats) uses those"
        )
    return tuple(found)


def _kronecker(irrep: Irrep) -> list[sympy.ImmutableMatrix] | None:
    group, values = irrep.group, irrep.group.characters.values[irrep.number]
    for parts in itertools.product(*(factor.irreps() for factor in group.factors)):
        numbers = [part.group.characters.values[part.number][part.group.class_of] for part in parts]
        product = numbers[0]
        for other in numbers[1:]:
            product = np.multiply.outer(product, other).ravel()
        if np.abs(product - values[group.class_of]).max() < 1e-6:
            matrices = exact_matrices(parts[0])
            for part in parts[1:]:
                inner = exact_matrices(part)
                matrices = [sympy.ImmutableMatrix(sympy.kronecker_product(a, b)) for a in matrices for b in inner]
            return list(matrices)
    return None


def _monomial(irrep: Irrep) -> list[sympy.ImmutableMatrix] | None:
    group, degree = irrep.group, irrep.dimension
    if group.order % degree or group.order > SEARCHED:
        return None
    chi = irrep.group.characters.values[irrep.number][group.class_of]
    for subgroup in _subgroups(group, group.order // degree):
        inside = restricted(group, subgroup)
        table = inside.characters
        for row in np.flatnonzero(table.degrees == 1):
            linear = table.values[row][inside.class_of]
            if abs((linear.conj() * chi[subgroup]).sum() / len(subgroup) - 1) < 1e-6:
                roots = [table.value(int(row), int(c)) for c in inside.class_of]
                return _induced(group, subgroup, roots)
    return None


def _subgroups(group: FiniteGroup, order: int) -> Iterator[np.ndarray]:
    """Subgroups of this order with at most two generators, one of them the first of its class; abelian or not."""
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


def _induced(group: FiniteGroup, subgroup: np.ndarray, roots: Sequence[sympy.Expr]) -> list[sympy.ImmutableMatrix]:
    smallest = group.table[:, subgroup].min(axis=1)
    section = np.unique(smallest)
    place = np.full(group.order, -1)
    place[subgroup] = np.arange(len(subgroup))
    moved = group.table[
        group.inverses[section][:, None, None], group.table[:, section].T[None, :, :]
    ]  # t_i^-1 g t_j: [i, j, g]
    entries = place[moved]
    size = len(section)
    return [
        sympy.ImmutableMatrix(size, size, lambda i, j, g=g: roots[entries[i, j, g]] if entries[i, j, g] >= 0 else sympy.S.Zero)
        for g in range(group.order)
    ]

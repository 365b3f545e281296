r"""Irreducible representations in closed form, unitary and exact.

Four constructions, tried in this order:

- dimension 1: the character itself;
- direct products: Kronecker products of the factors' representations;
- symmetric groups: Young's orthogonal form, the transposition (i i+1) acting on standard tableaux by 1/r and
  :math:`\sqrt{1 - 1/r^2}`, r the axial distance of i and i + 1;
- monomial representations (dihedral, quaternion, Heisenberg, every supersolvable group and more): induced from a linear
  character of a subgroup with two generators, matrices of roots of unity :math:`\lambda(t_i^{-1} g t_j)` on cosets
  :math:`t_j H`. The induced character is :math:`\chi` as soon as :math:`\chi` contains :math:`\lambda` on H and has
  the index of H as its degree (Frobenius reciprocity).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import sympy

from theory.groups.subgroups import generated, restricted

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
        found = _young(irrep) if _is_symmetric(group) else _monomial(irrep)
    if found is None:
        raise ValueError(
            f"representation {irrep.number} of {group.name}, of dimension {irrep.dimension}, has no closed form here (it is "
            "not known to be monomial, a product, or one of a symmetric group); its .matrices are numerical and certified"
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


def _is_symmetric(group: FiniteGroup) -> bool:
    return bool(group.permutations) and group.order == sympy.factorial(len(group.permutations[0]))


def _young(irrep: Irrep) -> list[sympy.ImmutableMatrix] | None:
    group = irrep.group
    points = len(group.permutations[0])
    swaps = []
    for i in range(points - 1):
        image = list(range(points))
        image[i], image[i + 1] = i + 1, i
        swaps.append(group.index(tuple(image)))
    chi = group.characters.values[irrep.number][group.class_of]
    for shape in _partitions(points, points):
        tableaux = _tableaux(shape)
        if len(tableaux) != irrep.dimension:
            continue
        steps = [_transposition(tableaux, i) for i in range(points - 1)]
        found: dict[int, sympy.ImmutableMatrix] = {0: sympy.ImmutableMatrix(sympy.eye(len(tableaux)))}
        queue = [0]
        for g in queue:
            for swap, step in zip(swaps, steps, strict=True):
                product = int(group.table[g, swap])
                if product not in found:
                    found[product] = (found[g] * step).applyfunc(sympy.expand)
                    queue.append(product)
        if all(abs(complex(found[int(c[0])].trace()) - chi[c[0]]) < 1e-6 for c in group.conjugacy_classes):
            return [found[g] for g in range(group.order)]
    return None


def _partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in _partitions(total - first, first):
            yield (first, *rest)


def _tableaux(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Standard tableaux as the row of each number, in order: lattice words."""
    words: list[tuple[int, ...]] = [()]
    for _ in range(sum(shape)):
        words = [
            (*word, row)
            for word in words
            for row in range(len(shape))
            if word.count(row) < shape[row] and (row == 0 or word.count(row) < word.count(row - 1))
        ]
    return words


def _transposition(tableaux: list[tuple[int, ...]], i: int) -> sympy.ImmutableMatrix:
    matrix = sympy.zeros(len(tableaux), len(tableaux))
    for a, word in enumerate(tableaux):
        content = [word[:p].count(word[p]) - word[p] for p in (i, i + 1)]
        inverse = sympy.Rational(1, content[1] - content[0])
        matrix[a, a] = inverse
        other = (*word[:i], word[i + 1], word[i], *word[i + 2 :])
        if other in tableaux and other != word:
            matrix[a, tableaux.index(other)] = sympy.sqrt(1 - inverse**2)
    return sympy.ImmutableMatrix(matrix)

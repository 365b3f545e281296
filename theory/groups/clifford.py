r"""Exact representations from those of smaller groups, over a normal subgroup N (Clifford).

Let :math:`\chi` be an irreducible character of G and :math:`\sigma` one of N that it contains.

- **Extension.** If :math:`\chi` restricted to N is :math:`\sigma`, then :math:`\rho(g)` is the matrix, unique up to a number,
  with :math:`\rho(g)\, \sigma(n) = \sigma(g n g^{-1})\, \rho(g)`: the average :math:`\sum_n \sigma(g n g^{-1}) X \sigma(n)^*`,
  and its trace :math:`\chi(g)` fixes the number. Every coset of N has an element with :math:`\chi(g) \ne 0`, as
  :math:`|\chi|^2` sums to |N| over it.
- **Induction.** If :math:`\chi` contains other conjugates of :math:`\sigma` too, it is induced from the elements that fix
  :math:`\sigma`, a smaller group, and from the one character there that lies under :math:`\chi` and over :math:`\sigma`.

What is left, a multiple of one :math:`\sigma`, is the product of two projective representations and is not treated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import sympy

from theory.exact.cyclotomic import reduced
from theory.groups.subgroups import normal_closure, restricted

if TYPE_CHECKING:
    from theory.groups.group import FiniteGroup
    from theory.groups.irreps import Irrep

__all__ = ["clifford_matrices"]

LARGEST = 250
"""Order of the groups for which this is tried: there is a sympy matrix for every element."""


def clifford_matrices(irrep: Irrep) -> list[sympy.ImmutableMatrix] | None:
    """Exact unitary matrices, one per element; None if no normal subgroup serves.

    >>> from theory.groups.named import group
    >>> two = next(r for r in group("SL2_3").irreps() if r.kind == "quaternionic")
    >>> sum(abs(matrix.trace()) ** 2 for matrix in clifford_matrices(two))
    24
    """
    group = irrep.group
    if group.order > LARGEST:
        return None
    chi = group.characters.values[irrep.number][group.class_of]
    for normal in _normal_subgroups(group):
        inside = restricted(group, normal)
        table = inside.characters
        counts = np.rint((table.values[:, inside.class_of].conj() @ chi[normal]).real / len(normal)).astype(int)
        parts = np.flatnonzero(counts)
        found = None
        if len(parts) == 1 and counts[parts[0]] == 1:
            found = _extended(irrep, normal, inside.irreps()[parts[0]])
        elif len(parts) > 1:
            found = _induced(irrep, normal, inside, int(parts[0]))
        if found is not None:
            return found
    return None


def _normal_subgroups(group: FiniteGroup) -> Iterator[np.ndarray]:
    """Closures of single classes, largest first: those leave least to be done."""
    closures = {closure.tobytes(): closure for c in group.conjugacy_classes[1:] if len(closure := normal_closure(group, c[:1]))}
    for closure in sorted(closures.values(), key=len, reverse=True):
        if len(closure) < group.order:
            yield closure


def _exact(irrep: Irrep) -> tuple[sympy.ImmutableMatrix, ...] | None:
    try:
        return irrep.exact
    except ValueError:
        return None


def _extended(irrep: Irrep, normal: np.ndarray, part: Irrep) -> list[sympy.ImmutableMatrix] | None:
    group, sigma = irrep.group, _exact(part)
    if sigma is None:
        return None
    chi = group.characters.values[irrep.number][group.class_of]
    place = np.full(group.order, -1)
    place[normal] = np.arange(len(normal))
    numbers = np.array([np.array(matrix.evalf(), dtype=complex) for matrix in sigma])
    found: dict[int, sympy.ImmutableMatrix] = {}
    for g in np.argsort(-np.abs(chi), kind="stable"):
        if int(g) in found:
            continue
        moved = place[group.table[group.table[g, normal], group.inverses[g]]]  # g n g^-1
        # the average over n of sigma(moved) E_ab sigma(n)^*, for all a and b: take one that does not vanish
        sizes = np.abs(np.einsum("nia,njb->abij", numbers[moved], numbers.conj())).sum(axis=(2, 3))
        a, b = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        average = sympy.zeros(part.dimension, part.dimension)
        for m, n in zip(moved, range(len(normal)), strict=True):
            average += sigma[m].col(int(a)) * sigma[n].col(int(b)).H
        value = irrep.character[int(group.class_of[g])]
        ratio = sympy.radsimp(reduced(value) / reduced(average.trace()))
        matrix = average.applyfunc(lambda entry, ratio=ratio: _tidy(ratio * entry))
        for n, step in zip(normal, sigma, strict=True):
            found[int(group.table[g, n])] = sympy.ImmutableMatrix((matrix * step).applyfunc(_tidy))
    return [found[g] for g in range(group.order)]


def _induced(irrep: Irrep, normal: np.ndarray, inside: FiniteGroup, number: int) -> list[sympy.ImmutableMatrix] | None:
    group = irrep.group
    sigma = inside.characters.values[number][inside.class_of]
    # g fixes sigma if sigma(g^-1 n g) = sigma(n) for all n
    moved = np.searchsorted(normal, group.table[group.table[group.inverses[:, None], normal], np.arange(group.order)[:, None]])
    inertia = np.flatnonzero(np.abs(sigma[moved] - sigma).max(axis=1) < 1e-6)
    smaller = restricted(group, inertia)
    chi = group.characters.values[irrep.number][group.class_of]
    within = np.searchsorted(inertia, normal)
    for psi in smaller.irreps():
        values = smaller.characters.values[psi.number][smaller.class_of]
        under = abs((values.conj() * chi[inertia]).sum()) > 0.5
        if under and abs((sigma.conj() * values[within]).sum()) > 0.5 * len(normal):
            exact = _exact(psi)
            return None if exact is None else _blocks(group, inertia, exact)
    return None


def _blocks(group: FiniteGroup, subgroup: np.ndarray, exact: tuple[sympy.ImmutableMatrix, ...]) -> list[sympy.ImmutableMatrix]:
    """Induced matrices: block (i, j) of g is that of t_i^-1 g t_j where this lies in the subgroup, else zero."""
    section = np.unique(group.table[:, subgroup].min(axis=1))
    place = np.full(group.order, -1)
    place[subgroup] = np.arange(len(subgroup))
    zero = sympy.zeros(*exact[0].shape)
    result = []
    for g in range(group.order):
        entries = place[group.table[group.inverses[section][:, None], group.table[g, section][None, :]]]
        rows = [[exact[e] if e >= 0 else zero for e in row] for row in entries]
        result.append(sympy.ImmutableMatrix(sympy.BlockMatrix(rows).as_explicit()))
    return result


def _tidy(entry: sympy.Expr) -> sympy.Expr:
    return reduced(sympy.expand(entry))

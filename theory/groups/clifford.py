r"""Exact representations from those of smaller groups, over a normal subgroup N (Clifford).

Let :math:`\chi` be an irreducible character of G and :math:`\sigma` one of N that it contains.

- **Extension.** If :math:`\chi` restricted to N is :math:`\sigma`, then :math:`\rho(g)` is the matrix, unique up to a number,
  with :math:`\rho(g)\, \sigma(n) = \sigma(g n g^{-1})\, \rho(g)`: the average :math:`\sum_n \sigma(g n g^{-1}) X \sigma(n)^*`,
  and its trace :math:`\chi(g)` fixes the number. Every coset of N has an element with :math:`\chi(g) \ne 0`, as
  :math:`|\chi|^2` sums to |N| over it.
- **Induction.** If :math:`\chi` contains other conjugates of :math:`\sigma` too, it is induced from the elements that fix
  :math:`\sigma`, a smaller group, and from the one character there that lies under :math:`\chi` and over :math:`\sigma`.

The remaining case, a multiple of one :math:`\sigma`, is the product of two projective representations and is not treated.
The exact representations of the smaller groups come from the caller, `theory.groups.closed_form`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import sympy

from theory.exact.cyclotomic import reduced
from theory.groups.characters import characters
from theory.groups.subgroups import normal_closure, restricted
from theory.groups.table import CayleyTable

__all__ = ["ExactMatrices", "clifford_matrices"]

ExactMatrices = tuple[sympy.ImmutableMatrix, ...]
"""The matrices of a representation, one for each element of the group."""

LARGEST = 250
"""Largest order of a group for which this is tried, because every element gets a sympy matrix."""


def clifford_matrices(
    group: CayleyTable, number: int, smaller: Callable[[CayleyTable, int], ExactMatrices | None]
) -> ExactMatrices | None:
    """Exact unitary matrices of an irreducible representation; None if no normal subgroup yields them.

    Args:
        group: The group.
        number: Row of the character table.
        smaller: Exact matrices of a representation of a smaller group, or None.
    """
    if group.order > LARGEST:
        return None
    chi = characters(group).values[number][group.class_of]
    for normal in _normal_subgroups(group):
        inside = restricted(group, normal)
        table = characters(inside)
        counts = np.rint((table.values[:, inside.class_of].conj() @ chi[normal]).real / len(normal)).astype(int)
        parts = np.flatnonzero(counts)
        found = None
        if len(parts) == 1 and counts[parts[0]] == 1:
            sigma = smaller(inside, int(parts[0]))
            found = None if sigma is None else _extended(group, number, normal, sigma)
        elif len(parts) > 1:
            found = _induced(group, number, normal, inside, int(parts[0]), smaller)
        if found is not None:
            return found
    return None


def _normal_subgroups(group: CayleyTable) -> Iterator[np.ndarray]:
    """Normal closures of single elements, largest first, because over a large subgroup little is left to do."""
    closures = {closure.tobytes(): closure for c in group.conjugacy_classes[1:] if len(closure := normal_closure(group, c[:1]))}
    for closure in sorted(closures.values(), key=len, reverse=True):
        if len(closure) < group.order:
            yield closure


def _extended(group: CayleyTable, number: int, normal: np.ndarray, sigma: ExactMatrices) -> ExactMatrices:
    """The matrices of a representation whose restriction to the normal subgroup is sigma."""
    dimension, table = sigma[0].rows, characters(group)
    chi = table.values[number][group.class_of]
    place = np.full(group.order, -1)
    place[normal] = np.arange(len(normal))
    numbers = np.array([np.array(matrix.evalf(), dtype=complex) for matrix in sigma])
    found: dict[int, sympy.ImmutableMatrix] = {}
    for g in np.argsort(-np.abs(chi), kind="stable"):
        if int(g) in found:
            continue
        moved = place[group.table[group.table[g, normal], group.inverses[g]]]  # g n g^-1
        # the average over n of sigma(moved) E_ab sigma(n)^* for all a and b, of which the largest does not vanish
        sizes = np.abs(np.einsum("nia,njb->abij", numbers[moved], numbers.conj())).sum(axis=(2, 3))
        a, b = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        average = sympy.zeros(dimension, dimension)
        for m, n in zip(moved, range(len(normal)), strict=True):
            average += sigma[m].col(int(a)) * sigma[n].col(int(b)).H
        value = table.value(number, int(group.class_of[g]))
        ratio = sympy.radsimp(reduced(value) / reduced(average.trace()))
        matrix = average.applyfunc(lambda entry, ratio=ratio: _tidy(ratio * entry))
        for n, step in zip(normal, sigma, strict=True):
            found[int(group.table[g, n])] = sympy.ImmutableMatrix((matrix * step).applyfunc(_tidy))
    return tuple(found[g] for g in range(group.order))


def _induced(
    group: CayleyTable,
    number: int,
    normal: np.ndarray,
    inside: CayleyTable,
    part: int,
    smaller: Callable[[CayleyTable, int], ExactMatrices | None],
) -> ExactMatrices | None:
    """The matrices induced from the elements that fix character `part` of the normal subgroup."""
    sigma = characters(inside).values[part][inside.class_of]
    # g fixes sigma if sigma(g^-1 n g) = sigma(n) for all n
    moved = np.searchsorted(normal, group.table[group.table[group.inverses[:, None], normal], np.arange(group.order)[:, None]])
    inertia = np.flatnonzero(np.abs(sigma[moved] - sigma).max(axis=1) < 1e-6)
    stabiliser = restricted(group, inertia)
    chi = characters(group).values[number][group.class_of]
    within = np.searchsorted(inertia, normal)
    for psi, row in enumerate(characters(stabiliser).values):
        values = row[stabiliser.class_of]
        under = abs((values.conj() * chi[inertia]).sum()) > 0.5
        if under and abs((sigma.conj() * values[within]).sum()) > 0.5 * len(normal):
            exact = smaller(stabiliser, psi)
            return None if exact is None else _blocks(group, inertia, exact)
    return None


def _blocks(group: CayleyTable, subgroup: np.ndarray, exact: ExactMatrices) -> ExactMatrices:
    """Induced matrices: block (i, j) of g is the matrix of t_i^-1 g t_j if this lies in the subgroup, else zero."""
    section = np.unique(group.table[:, subgroup].min(axis=1))
    place = np.full(group.order, -1)
    place[subgroup] = np.arange(len(subgroup))
    zero = sympy.zeros(*exact[0].shape)
    result = []
    for g in range(group.order):
        entries = place[group.table[group.inverses[section][:, None], group.table[g, section][None, :]]]
        rows = [[exact[e] if e >= 0 else zero for e in row] for row in entries]
        result.append(sympy.ImmutableMatrix(sympy.BlockMatrix(rows).as_explicit()))
    return tuple(result)


def _tidy(entry: sympy.Expr) -> sympy.Expr:
    return reduced(sympy.expand(entry))

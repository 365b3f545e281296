"""The target of composition as matrices of irreps and their weights: what explicit networks read and write, from theory alone.

The code of a product P is the sum of Re tr(P W) over one irrep of each conjugate pair, P = rho(g_1) rho(g_2) .., with W[h] =
e n / |G| rho(h) x^ and e = 2 for complex type. So it is the sum over entries of Re P_ij Re W_ji - Im P_ij Im W_ji.
"""

from typing import NamedTuple

import numpy as np

from theory.groups import FiniteGroup, fourier

__all__ = ["TargetIrrep", "target_parts"]


class TargetIrrep(NamedTuple):
    """An irrep in the target.

    Attributes:
        known: Whether networks take this basis: not for quaternionic type, nor for real type where the matrices are complex.
        kind: "real", "complex" or "quaternionic".
        matrices: The matrices rho(g), shape (order, n, n).
        weights: What each entry of P has as its weight, W_ji[h] at h, i, j.
    """

    known: bool
    kind: str
    matrices: np.ndarray
    weights: np.ndarray

    @property
    def size(self) -> int:
        """Dimension n of the irrep."""
        return self.matrices.shape[-1]


def target_parts(group: FiniteGroup, encoding: np.ndarray) -> list[TargetIrrep]:
    """Return the non-trivial irreps in the target, the first one of each conjugate pair.

    >>> from theory.groups import group
    >>> [(part.kind, part.weights.real.ravel().tolist()) for part in target_parts(group("C2"), np.array([1.0, -1.0]))]
    [('real', [1.0, -1.0])]
    """
    coefficients, found = fourier(group, encoding), []
    for irrep in group.irreps[1:]:
        if irrep.number <= irrep.conjugate:
            matrices, both = np.asarray(irrep.matrices), 2 if irrep.kind == "complex" else 1
            known = irrep.kind == "complex" or (irrep.kind == "real" and not np.iscomplex(matrices).any())
            written = both * irrep.dimension / group.order * matrices @ np.asarray(coefficients[irrep.number], complex)
            found.append(TargetIrrep(known, irrep.kind, matrices, written.swapaxes(1, 2)))
    return found

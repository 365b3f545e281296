"""The part of an encoding that decides the order of learning: type, dimension and norms of its Fourier coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.groups import FiniteGroup, fourier

__all__ = ["Component", "invertible", "spectrum"]


@dataclass(frozen=True)
class Component:
    """An irrep and the size of its Fourier coefficient.

    Attributes:
        dimension: Dimension of the irrep over the complex numbers.
        kind: ``real``, ``complex`` or ``quaternionic``.
        norm: Operator norm of the coefficient; a number, or a sympy expression.
        square_norm: Sum of the squares of its singular values.
        smallest: Its smallest singular value.
    """

    dimension: int
    kind: str
    norm: object
    square_norm: object
    smallest: object

    @classmethod
    def scalar(cls, dimension: int, kind: str, size: object) -> Component:
        """Return the component of ``size >= 0`` times a unitary matrix; its norms are exact if `size` is."""
        return cls(dimension, kind, size, dimension * size**2, size)  # type: ignore[operator]


def spectrum(group: FiniteGroup, encoding: np.ndarray) -> list[Component]:
    """Return the components of a real encoding in the order of ``group.irreps``; norms below rounding are exactly zero.

    Cost: ``order * sum n^2`` operations and a singular value decomposition for each irrep, n the dimension of an irrep.
    """
    encoding = np.asarray(encoding)
    small = 1e-12 * float(np.linalg.norm(encoding.astype(float))) * len(encoding) ** 0.5
    components = []
    for irrep, coefficient in zip(group.irreps, fourier(group, encoding), strict=True):
        values = np.linalg.svd(np.asarray(coefficient, dtype=complex), compute_uv=False)
        values = np.where(values > small, values, 0.0)
        components.append(Component(irrep.dimension, irrep.kind, float(values[0]), float(values @ values), float(values[-1])))
    return components


def invertible(components: list[Component]) -> bool:
    """Return whether every coefficient is zero or invertible, hypothesis (b) of the theorem.

    >>> invertible([Component.scalar(2, "real", 3), Component(2, "real", 1.0, 1.0, 0.0)])
    False
    """
    return all(c.norm == 0 or float(c.smallest) > 1e-10 * float(c.norm) for c in components)  # type: ignore[arg-type]

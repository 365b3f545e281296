"""Which units of explicit networks can go, and what is missing where the last one is idle, from the matrices of the irreps.

The products of schemes are typed here again. The last one is the last of numbers with the last of matrices. For matrices it is
(a_12 - a_22)(b_21 + b_22), in c_11, by Strassen, and a_nn b_nn, in c_nn, by Laderman and with borders. For complex numbers it
is (a + b)(c + d), in the imaginary part, by Gauss. Its second unit is -(p - q)^2 / 4. The last unit of squared distances is
that of the constant, which makes up for all entries.
"""

import numpy as np

from experiments.composition._target import target_parts
from theory.groups import FiniteGroup

CORNERED = (1, 3, 5)  # sizes whose last product is that of the last entries
GAUSS = ((1, 0), (0, 1), (1, 1))  # of two complex numbers, by their components
STRASSEN = (  # of two matrices, by their rows
    ((1, 0, 0, 1), (1, 0, 0, 1)),
    ((0, 0, 1, 1), (1, 0, 0, 0)),
    ((1, 0, 0, 0), (0, 1, 0, -1)),
    ((0, 0, 0, 1), (-1, 0, 1, 0)),
    ((1, 1, 0, 0), (0, 0, 0, 1)),
    ((-1, 0, 1, 0), (1, 1, 0, 0)),
    ((0, 1, 0, -1), (0, 0, 1, 1)),
)


def independent_units(group: FiniteGroup, encoding: np.ndarray) -> int | None:
    """Return how many of the units (p + q)^2 and (p - q)^2 of all schemes are independent; None beyond matrices of size 2.

    >>> from theory.groups import group
    >>> independent_units(group("C2xC2"), np.array([3.0, 1, -2, -2]))  # three products of signs, and a constant
    4
    """
    functions: list[np.ndarray] = []
    for part in target_parts(group, encoding):
        if not part.known or part.size > 2:
            return None
        flat = part.matrices.reshape(group.order, -1)
        pairs = STRASSEN if part.size == 2 else (((1,), (1,)),)
        for real, imaginary in GAUSS if part.kind == "complex" else ((1, 0),):
            read = real * np.real(flat) + imaginary * np.imag(flat)
            for left, right in pairs:
                p, q = (read @ np.array(left))[:, None], read @ np.array(right)
                functions += [(p * q).ravel(), (p**2 + q**2).ravel()]
    return int(np.linalg.matrix_rank(np.array(functions)))


def missing_product(group: FiniteGroup, encoding: np.ndarray) -> float | None:
    """Return the largest share of a code that the last unit of a scheme brings, over all pairs; None where it is not known.

    >>> from theory.groups import group
    >>> missing_product(group("C2"), np.array([1.0, -1.0]))  # the squares of signs are 4, and a quarter of them is taken
    1.0
    """
    part = target_parts(group, encoding)[-1]
    if not part.known or part.size not in (2, *CORNERED):
        return None
    read, write = np.real(part.matrices), np.real(part.weights)
    if part.kind == "complex":
        read, write = read + np.imag(part.matrices), -np.imag(part.weights)
    if part.size in CORNERED:
        p = q = read[:, -1, -1]
        out = write[:, -1, -1]
    else:
        p, q, out = read[:, 0, 1] - read[:, 1, 1], read[:, 1, 0] + read[:, 1, 1], write[:, 0, 0]
    return float(np.square(p[:, None] - q).max() * np.abs(out).max() / 4 / np.abs(encoding).max())


def missing_constant(group: FiniteGroup, encoding: np.ndarray) -> float | None:
    """Return the largest share of a code that the last unit of squared distances brings; None where it is not known.

    >>> from theory.groups import group
    >>> missing_constant(group("C2"), np.array([1.0, -1.0]))
    1.0
    """
    parts = target_parts(group, encoding)
    if not all(part.known for part in parts):
        return None
    # an entry of the product has one square too many for each of its components
    weights = [np.real(part.weights) - (np.imag(part.weights) if part.kind == "complex" else 0) for part in parts]
    constant = sum(weight.sum(axis=(1, 2)) for weight in weights)
    shortest = min(parts, key=lambda part: part.size * (2 if part.kind == "complex" else 1))
    entry = (np.imag(shortest.matrices) if shortest.kind == "complex" else np.real(shortest.matrices))[:, 0, -1]
    return float(np.square(entry).max() * np.abs(constant).max() / np.abs(encoding).max())

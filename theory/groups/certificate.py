r"""A proof, modulo a prime, that given integers are the eigenvalue multiplicities of all irreducible characters.

Dixon: let p be a prime above :math:`2 \sqrt{|G|}` that is 1 modulo the exponent, and z a root of unity modulo p. Then

1. the homomorphisms of the class algebra to F_p are the reductions of :math:`\omega(C) = |C| \chi(C) / \chi(1)`, one for each
   character. If some class matrices act on vectors by scalars, and no two vectors have the same scalars, then the vectors are
   common eigenvectors of all class matrices;
2. a degree is below p / 2, and :math:`\sum_C |C| \chi(C) \chi(C^{-1}) = |G|` determines its square;
3. a multiplicity lies between 0 and the degree, so its residue modulo p determines it. The residue follows from the values on
   the powers of an element: :math:`m_k = \frac1o \sum_l \chi(g^l) z^{-kl}`, where z has the order o of the element.

So integers between 0 and their degree are right if their characters pass 1 and 2, whatever route proposed them. Each class
matrix costs one product of matrices modulo p, which is exact in floating point because no sum reaches 2^53.

Source: J. D. Dixon, High speed computation of group characters, Numer. Math. 10 (1967).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import sympy

from theory.groups.table import CayleyTable

__all__ = ["certified", "class_matrix"]

MATRICES = 3
"""Random combinations of class matrices that are tried: two characters agree on all of them with probability p^-3."""


def certified(group: CayleyTable, counts: Mapping[int, np.ndarray], rng: np.random.Generator) -> bool:
    """Whether these are the multiplicities of the irreducible characters. O(order * classes + classes^3).

    Args:
        group: The group.
        counts: For some classes, whose powers meet every class: how often each root of unity is an eigenvalue, one row for
            each character, shape ``(classes, element order)``.
        rng: Source of the random class matrices. They can make a correct proposal fail, but never a wrong one pass.
    """
    sizes = np.array([len(members) for members in group.conjugacy_classes])
    prime, root = _field(group)
    values = _reduced_values(group, counts, prime, root)
    if values is None:
        return False
    degrees = values[:, 0]
    inverse_class = group.class_of[group.inverses[[members[0] for members in group.conjugacy_classes]]]
    squares = ((values * values[:, inverse_class] % prime) * sizes % prime).sum(axis=1) % prime
    if (squares != group.order % prime).any():
        return False
    inverses = np.array([pow(int(d), -1, prime) for d in degrees])
    central = values * sizes % prime * inverses[:, None] % prime
    scalars = []
    for _ in range(MATRICES):
        images = _product(central, class_matrix(group, rng.integers(0, prime, len(sizes))).T, prime)
        scalars.append(images[:, 0])  # the class of the identity: a homomorphism is one there
        if (images != images[:, :1] * central % prime).any():
            return False
    return len(np.unique(np.stack(scalars, axis=1), axis=0)) == len(sizes)


def class_matrix(group: CayleyTable, weights: np.ndarray) -> np.ndarray:
    """The sum over classes s of ``weights[s]`` M_s, where M_s[t, u] counts the x in class t with x^-1 z_u in class s.

    M_s multiplies the vector of values of a central character by its value on s. The result is in floating point, exact for
    integer weights below 2^53 / order; shape ``(classes, classes)``; O(order * classes).
    """
    class_of, number = group.class_of, len(weights)
    representatives = np.array([members[0] for members in group.conjugacy_classes])
    partners = class_of[group.table[group.inverses[:, None], representatives[None, :]]]
    flat = class_of[:, None] * number + np.arange(number)[None, :]
    return np.bincount(flat.ravel(), weights[partners].ravel(), number**2).reshape(number, number)


def _field(group: CayleyTable) -> tuple[int, int]:
    """A prime, and a root of unity modulo the prime whose order is the exponent of the group."""
    exponent, prime = group.exponent, 2**16 // group.exponent * group.exponent + 1
    while not sympy.isprime(prime) or prime**2 <= 4 * group.order:
        prime += exponent
    if prime**2 * len(group.conjugacy_classes) >= 2**53:
        raise ArithmeticError(f"{group.name} is too large for exact products of matrices modulo {prime} in floating point")
    factors = sympy.primefactors(exponent)
    for a in range(2, prime):
        root = pow(a, (prime - 1) // exponent, prime)
        if all(pow(root, exponent // q, prime) != 1 for q in factors):
            return prime, root
    return prime, 1  # the trivial group


def _reduced_values(group: CayleyTable, counts: Mapping[int, np.ndarray], prime: int, root: int) -> np.ndarray | None:
    """The characters modulo the prime; None if the multiplicities are impossible or contradict each other."""
    number, exponent = len(group.conjugacy_classes), group.exponent
    degrees = next(iter(counts.values())).sum(axis=1)
    roots = np.array([pow(root, k, prime) for k in range(exponent)])
    values = np.full((number, number), -1)
    for c, rows in counts.items():
        generator, order = int(group.conjugacy_classes[c][0]), rows.shape[1]
        if rows.shape[0] != number or (rows < 0).any() or (rows.sum(axis=1) != degrees).any() or (2 * degrees >= prime).any():
            return None
        powers = [0]
        for _ in range(order - 1):
            powers.append(int(group.table[powers[-1], generator]))
        if group.table[powers[-1], generator] != 0 or len(set(powers)) < order:
            return None  # the number of eigenvalues is not the order of the element
        steps = np.outer(np.arange(order), np.arange(order)) % order * (exponent // order)
        found = _product(rows, roots[steps], prime)
        classes = group.class_of[np.array(powers)]
        known = values[:, classes] >= 0
        values[:, classes] = np.where(known, values[:, classes], found)
        if (values[:, classes] != found).any():
            return None
    return values if (values >= 0).all() else None


def _product(left: np.ndarray, right: np.ndarray, prime: int) -> np.ndarray:
    """The product of integer matrices modulo the prime."""
    return np.rint(left.astype(float) @ (right.astype(float) % prime)).astype(np.int64) % prime

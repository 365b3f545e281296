r"""The characters of a group modulo a prime, from its class algebra, and their exact lift (Dixon and Schneider).

Let p be a prime above :math:`2 \sqrt{|G|}` that is 1 modulo the exponent, and z a root of unity modulo p whose order is the
exponent.

1. The homomorphisms of the class algebra to F_p are the reductions of :math:`\omega(C) = |C| \chi(C) / \chi(1)`, one for each
   character. The vector of values of a homomorphism is an eigenvector of every class matrix. So if one combination of class
   matrices has as many eigenvalues in F_p as there are classes, its eigenvectors are all homomorphisms.
2. A degree is below p / 2, and :math:`\sum_C \omega(C) \omega(C^{-1}) / |C| = |G| / \chi(1)^2` determines its square.
3. The eigenvalues of an element of order o are o-th roots of unity. Their multiplicities :math:`m_k = \frac1o \sum_l \chi(g^l)
   z^{-kl}` lie between 0 and the degree, so the residues modulo p are the multiplicities.

**Eigenvectors.** Let v be a random vector and M a random combination. The rows :math:`v, vM, vM^2, ..` satisfy a recurrence
with characteristic polynomial m, which Berlekamp and Massey's algorithm finds from one entry of each row. A root r of m has the
eigenvector :math:`v (m / (x - r))(M)`. The values of m at all powers :math:`g^{i + Bj}` of a primitive root g are one product
of matrices. The result is checked, so chance decides the time alone.

Source: J. D. Dixon, High speed computation of group characters, Numer. Math. 10 (1967); G. J. A. Schneider, Dixon's character
table algorithm revisited, J. Symbolic Comput. 9 (1990).
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

import numpy as np
import sympy

from theory.exact.modular import checked_prime, product
from theory.groups.table import CayleyTable

__all__ = ["Field", "class_matrix", "field", "multiplicities", "residues"]

TRIES = 64
"""Random combinations of class matrices; one separates the characters with probability above one half."""

SPARE = 2**12
"""A prime above this costs nothing: a polynomial of the degree of a small table is evaluated on the whole field at once."""


class Field(NamedTuple):
    """A prime field with a root of unity.

    Attributes:
        prime: Its number of elements.
        root: A root of unity.
        order: The order of the root.
    """

    prime: int
    root: int
    order: int


def field(group: CayleyTable) -> Field:
    """A prime field in which residues determine the characters, and a root of unity of the order of the exponent.

    For a group that is not abelian the prime is large enough for random eigenvalues to be distinct with probability 3/4 or
    more: two of k eigenvalues coincide with a probability of about k^2 / 2p.

    Raises:
        ValueError: The prime would not be below 2^31.

    >>> from theory.groups.named import group
    >>> field(group("C6"))
    Field(prime=7, root=3, order=6)
    """
    exponent, classes = group.exponent, len(group.conjugacy_classes)
    least = isqrt(4 * group.order)
    if classes < group.order:
        least = max(least, 2 * classes**2, SPARE)
    prime = least // exponent * exponent + 1
    while prime <= least or not sympy.isprime(prime):
        prime += exponent
    prime = checked_prime(prime)
    return Field(prime, pow(_generator(prime), (prime - 1) // exponent, prime), exponent)


def residues(group: CayleyTable, over: Field) -> np.ndarray:
    """The irreducible characters modulo the prime, in any order; shape ``(characters, classes)``.

    Cost: O(order * classes + classes^3 + prime * classes).

    Raises:
        ArithmeticError: No random combination of class matrices had distinct eigenvalues.
    """
    prime, sizes = over.prime, np.array([len(members) for members in group.conjugacy_classes])
    inverse_class = group.class_of[group.inverses[[members[0] for members in group.conjugacy_classes]]]
    central = _homomorphisms(group, prime)
    shares = central * _inverses(sizes, prime) % prime
    squares = _inverses((central[:, inverse_class] * shares % prime).sum(axis=1) % prime, prime) * group.order % prime
    degree_of = {d * d % prime: d for d in range(isqrt(group.order), 0, -1)}
    degrees = np.array([degree_of[square] for square in squares.tolist()])
    return shares * degrees[:, None] % prime


def multiplicities(values: np.ndarray, over: Field) -> np.ndarray:
    """How often each root of unity exp(2 pi i k / o) is an eigenvalue.

    Args:
        values: Characters modulo the prime on the powers 0 .. o-1 of an element of order o; shape ``(characters, o)``.
        over: The field.
    """
    order, prime = values.shape[1], over.prime
    roots = np.array([pow(over.root, over.order // order * k, prime) for k in range(order)])
    exponents = -np.outer(np.arange(order), np.arange(order)) % order
    return product(values, roots[exponents], prime) * pow(order, -1, prime) % prime


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


def _homomorphisms(group: CayleyTable, prime: int) -> np.ndarray:
    """The homomorphisms of the class algebra to the field, one row of values on the class sums each."""
    number = len(group.conjugacy_classes)
    for seed in range(TRIES):
        rng = np.random.default_rng(seed)
        matrix = (class_matrix(group, rng.integers(0, prime, number)) % prime).astype(np.int64).T
        rows = [rng.integers(0, prime, number)]
        for _ in range(2 * number - 1):
            rows.append(product(rows[-1][None], matrix, prime)[0])
        polynomial = _recurrence([int(row[0]) for row in rows], prime)
        roots = _roots(polynomial, prime) if len(polynomial) == number + 1 else np.zeros(0, np.int64)
        if len(roots) == number:
            vectors = product(_quotients(polynomial, roots, prime), np.array(rows[:number]), prime)
            same = (product(vectors, matrix, prime) == roots[:, None] * vectors % prime).all()
            if same and vectors[:, 0].all():  # a homomorphism is one at the class of the identity
                return vectors * _inverses(vectors[:, 0], prime)[:, None] % prime
    raise ArithmeticError(f"the characters of {group.name} do not separate modulo {prime}; this has negligible probability")


def _recurrence(sequence: list[int], prime: int) -> np.ndarray:
    """The least monic polynomial, lowest power first, of a linear recurrence of the sequence (Berlekamp and Massey)."""
    current, previous = np.ones(1, np.int64), np.ones(1, np.int64)
    terms, length, shift, last = np.array(sequence), 0, 1, 1
    for n in range(len(sequence)):
        reach = min(len(current), n + 1)
        difference = int((current[:reach] * terms[n::-1][:reach] % prime).sum() % prime)
        if difference:
            grown = np.zeros(max(len(current), len(previous) + shift), np.int64)
            grown[: len(current)] = current
            grown[shift : shift + len(previous)] -= difference * pow(last, -1, prime) % prime * previous % prime
            if 2 * length <= n:
                previous, last, length, shift = current, difference, n + 1 - length, 0
            current = grown % prime
        shift += 1
    return np.pad(current, (0, max(0, length + 1 - len(current))))[length::-1]


def _roots(polynomial: np.ndarray, prime: int) -> np.ndarray:
    """All distinct roots in the field."""
    generator, block = _generator(prime), isqrt(prime - 1) + 1
    steps = np.array([pow(generator, i, prime) for i in range(block)])
    jumps = np.array([pow(generator, block * j, prime) for j in range(block)])
    small, large = (_powers(base, len(polynomial), prime) for base in (steps, jumps))
    values = product(large * polynomial % prime, small.T, prime).ravel()[: prime - 1]
    found = [pow(generator, int(exponent), prime) for exponent in np.flatnonzero(values == 0)]
    return np.array(([] if polynomial[0] else [0]) + found, np.int64)


def _generator(prime: int) -> int:
    generator = sympy.primitive_root(prime)
    assert generator is not None, "every prime has a primitive root"
    return int(generator)


def _powers(base: np.ndarray, count: int, prime: int) -> np.ndarray:
    """The powers 0 .. count-1 of each number; shape ``(numbers, count)``."""
    result = np.ones((len(base), count), np.int64)
    for k in range(1, count):
        result[:, k] = result[:, k - 1] * base % prime
    return result


def _quotients(polynomial: np.ndarray, roots: np.ndarray, prime: int) -> np.ndarray:
    """The coefficients of the polynomial divided by x - r, for each root r, lowest power first."""
    result = np.ones((len(roots), len(polynomial) - 1), np.int64)
    for k in range(len(polynomial) - 2, 0, -1):
        result[:, k - 1] = (polynomial[k] + roots * result[:, k]) % prime
    return result


def _inverses(numbers: np.ndarray, prime: int) -> np.ndarray:
    return np.array([pow(int(number), -1, prime) for number in numbers])

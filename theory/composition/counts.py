r"""Networks that compose by counting letters, with fewer units than there are counts: real points on a form.

A word of k letters of an abelian group has counts m = (m_1, .., m_n), n = |G|, with sum k, and its product depends on m alone.
A unit of z^k that reads all positions alike holds (a . m)^k for a point a. Its counts are read from the codes if they are
linearly independent (no coefficient is zero, the trivial one included), so that a constant is linear in a code too.

**One fewer than counts.** There are D = C(k+n-1, n-1) counts, and the functions (a . m)^k of m span all functions of them. A
linear functional phi on these functions is a form of degree k, Q(a) = phi((a . m)^k), and every form is one functional. Let phi
vanish on the n functions [product = h], whose sum is 1. Then the units of any points of Q = 0 hold them, provided that no other
form of degree k vanishes on these points: their span has dimension D - 1, so it is the kernel of phi. Such a Q is a product of
k real linear forms: L_1 with sum zero, so that Q(1, .., 1) = 0 and phi vanishes on constants; L_2, .., L_(k-1) at will; and the
last is a solution of the n - 1 other equations, which are linear in it, in n unknowns. If no two factors are proportional, the
real points of the k hyperplanes determine Q, and D - 1 of them do. Some choice has this: if the last factor were L_j for all
choices, phi would vanish on all forms with a square factor, which span. So C(k+n-1, n-1) - 1 units suffice.

The point (1, .., 1) may be one of them. Its unit is a constant, which networks of several quotients of a group share.

**Order 2** takes k units: a real binary form of degree k is a sum of k powers of real linear forms. Parity by count has k real
roots, because it changes sign between neighbouring counts, and such a form is no sum of fewer (Sylvester; Comon and Ottaviani
2012). So k is the least number of units that read all positions alike.

**Order 3** takes fewer at two lengths (`ORDER_THREE`). At k = 2 the units (cos A_j + cos B_j - 1/4)^2, A_j = 2 pi (g - j)/3,
B_j = 2 pi (h - j)/3, have no part of one letter, because cos(2 A) = cos(A), and their differences are those of cos(A + B + 2 pi
j/3). At k = 3, let w^(m_2 + 2 m_3) be the product. Its imaginary part is a multiple of (m_1 - m_2)(m_2 - m_3)(m_3 - m_1), the
only cubic that permutations of letters change by their sign, so it is the sum over any orbit of a point (x, y, z) with signs.
Its real part is invariant. It is the plain sum over the orbit and a constant if 8 p_3 - 3 m_21 - 6 m_111 = 0, p_3 the sum of
x^3, m_21 that of x^2 y in all orders, m_111 = x y z. This cubic curve has the rational point (10, 17, -18).

Source: derived here; forms and points after Sylvester 1851.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations, product
from math import comb, prod
from typing import Any

import numpy as np

from theory.checks import integer
from theory.cost import Estimate, power, refuse
from theory.exact.linear import coordinates, nullspace, rank
from theory.groups import FiniteGroup
from theory.groups import group as finite_group

__all__ = ["ORDER_THREE", "counting_forms", "counting_weights"]

ORDER_THREE: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((7, -5, -5), (-5, 7, -5), (-5, -5, 7)),
    3: ((1, 1, 1), *permutations((10, 17, -18))),
}
"""Points of the units that compose 2 or 3 elements of the group of order 3; those of k = 2 leave the mean of the code out."""


def counting_forms(group: str | FiniteGroup, length: int) -> tuple[tuple[int, ...], ...]:
    """Return points a of units (a . counts)^k that compose k elements of an abelian group: one fewer than there are counts.

    Args:
        group: An abelian group, or its name.
        length: Number of elements k, at least 2.

    Raises:
        ValueError: The group is not abelian or trivial, or `length` is not an integer >= 2.
        TooExpensive: There are too many counts, see `theory.cost`.

    Cost: elimination in a matrix of counts times counts.

    >>> counting_forms("C2", 2), len(counting_forms("C2", 8)), len(counting_forms("C3", 3))
    (((1, 1), (1, -1)), 8, 9)
    """
    g, length = finite_group(group), integer("length", length, "of a word", least=2)
    if not g.is_abelian or g.order == 1:
        raise ValueError(
            f"{g.name} is {'trivial' if g.order == 1 else 'not abelian'}: expected an abelian group of order >= 2."
        )
    counts, targets = _targets(g, length)
    for shift in range(1, 100):
        factors = [[int(i == 0) - int(i == 1) for i in range(g.order)]]
        factors += [[(shift + j) ** i for i in range(g.order)] for j in range(length - 2)]
        points = _points(_completed(factors, counts, targets), counts, length)
        if points is not None:
            return points
    raise ArithmeticError("no choice of factors gave distinct hyperplanes")  # pragma: no cover


def counting_weights(forms: Any, group: str | FiniteGroup, length: int) -> np.ndarray | None:
    """Return the exact output weights with which units (a . counts)^k hold every function [product = h] up to its mean.

    Returns None if there are none. The shape is (order, units).

    Raises:
        ValueError: `length` is not an integer >= 1.
        TooExpensive: There are too many counts, see `theory.cost`.

    >>> counting_weights(ORDER_THREE[2], "C3", 2) is not None, counting_weights(ORDER_THREE[2][:2], "C3", 2)
    (True, None)
    """
    length = integer("length", length, "of a word", least=1)
    counts, targets = _targets(finite_group(group), length)
    units = _units(forms, counts, length)
    centred = targets * len(targets) - 1  # the mean over all words is 1 / order
    basis = units if rank(units) == len(units) else None
    found = None if basis is None else coordinates(basis, centred)
    return None if found is None else found / np.array(len(targets), dtype=object)


def _targets(g: FiniteGroup, length: int) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """The counts of all words, and for each element h the function [product = h] of them."""
    size = comb(length + g.order - 1, length) if length + g.order < 10**4 else 10**9
    refuse(Estimate(f"the counts of {length} letters of {g.name}", 2e-7 * power(size, 3), power(size, 2) * 100 / 2**30))
    words = list(combinations_with_replacement(range(g.order), length))
    counts = [tuple(word.count(letter) for letter in range(g.order)) for word in words]
    answers = []
    for word in words:
        answer = 0
        for letter in word:
            answer = int(g.table[answer, letter])
        answers.append(answer)
    return counts, np.array([[int(answer == h) for answer in answers] for h in range(g.order)], dtype=object)


def _units(forms: Any, counts: list[tuple[int, ...]], length: int) -> np.ndarray:
    """The values of the units at all counts, shape (units, counts)."""
    return (np.array(forms, dtype=object) @ np.array(counts, dtype=object).T) ** length


def _completed(factors: list[list[int]], counts: list[tuple[int, ...]], targets: np.ndarray) -> list[list[int]]:
    """Append a linear form with which the product of all factors is a functional that vanishes on the targets."""
    samples, length = np.array(counts, dtype=object), len(factors) + 1
    basis = _units(counts, counts, length).T  # (a . m)^k, positive definite; rows are m
    order = len(counts[0])
    known = [prod(int(sample @ np.array(factor, dtype=object)) for factor in factors) for sample in samples]
    forms = np.array([[value * int(sample[i]) for value, sample in zip(known, samples, strict=True)] for i in range(order)])
    functionals = coordinates(basis, np.array(forms, dtype=object))
    assert functionals is not None, "the powers of counts are independent"
    last = nullspace(targets @ functionals.T)[0].tolist()
    return [*factors, last]


def _points(factors: list[list[int]], counts: list[tuple[int, ...]], length: int) -> tuple[tuple[int, ...], ...] | None:
    """Points of the hyperplanes whose units span all functionals but one; None if two hyperplanes coincide."""
    order = len(factors[0])
    if any(rank([a, b]) < 2 for i, a in enumerate(factors) for b in factors[:i]):
        return None
    found: list[tuple[int, ...]] = [(1,) * order]
    rows = _units(found, counts, length)
    for size in range(1, 2 * length + 2):
        for factor in factors:
            basis = nullspace([factor]).astype(object)
            for mixture in product(range(-size, size + 1), repeat=order - 1):
                point = tuple(int(x) for x in np.array(mixture, dtype=object) @ basis)
                if max(map(abs, mixture)) < size or next(x for x in mixture if x) < 0:
                    continue
                longer = np.concatenate([rows, _units([point], counts, length)])
                if rank(longer) == len(longer):
                    rows, found = longer, [*found, point]
                if len(found) == len(counts) - 1:
                    return tuple(found)
    return None  # pragma: no cover

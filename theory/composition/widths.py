"""The widths of explicit networks that compose k elements of a group, from the dimensions and types of its irreps.

A layer of z^k spends 2^(k-1) units on a real monomial of degree k, and an irrep of dimension n has n^(k+1) paths through k of
its matrices. A complex path costs k + 1 real monomials, but one member of a conjugate pair (or half of the paths of a
quaternionic irrep) is enough: (k+1)/2 monomials for each path. Quadratic recurrences and trees multiply two matrices at a time,
which is the case k = 2.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from math import comb

import sympy

from theory.checks import integer
from theory.composition.bilinear import Typed, least_products
from theory.composition.crossed import crossed_units
from theory.composition.dihedral import plane_and_signs
from theory.composition.lengths import word_length
from theory.cost import digits, refuse

__all__ = ["Typed", "counting_width", "least_two_layer_width", "least_units", "recurrent_width", "tree_widths"]
__all__ += ["two_layer_width", "two_layer_width_expr"]


def two_layer_width(irreps: Iterable[Typed], length: int) -> int:
    """Return the hidden units of one layer of z^k: ``2^(k-1) sum c n^(k+1)``, c = 1 for real type and (k+1)/2 otherwise.

    Args:
        irreps: The irreps whose Fourier coefficient is not zero, with both members of each complex pair.
        length: Number of elements k, at least 1.

    Raises:
        ValueError: `length` is not an integer >= 1, or a complex irrep comes without its conjugate.
        TooExpensive: The width has too many digits, see `theory.cost`.

    >>> from collections import namedtuple
    >>> Type = namedtuple("Type", "dimension kind")
    >>> two_layer_width([Type(1, "real"), Type(2, "real")], 2)  # D3
    18
    >>> two_layer_width([Type(1, "complex")] * 2, 2)  # one pair of characters: (k+1) 2^(k-1)
    6
    >>> two_layer_width([Type(2, "quaternionic")], 3)
    128
    """
    found = list(irreps)
    length = word_length(length, sizes=(2 * irrep.dimension for irrep in found))
    return int(two_layer_width_expr(found, sympy.Integer(length)))


def two_layer_width_expr(irreps: Iterable[Typed], length: sympy.Expr) -> sympy.Expr:
    """Return `two_layer_width` as a formula in the length, a symbol or a number; arguments and errors as there.

    >>> from collections import namedtuple
    >>> sympy.factor(two_layer_width_expr([namedtuple("Type", "dimension kind")(1, "complex")] * 2, sympy.Symbol("k")))
    2**(k - 1)*(k + 1)
    """
    found = list(irreps)
    if not isinstance(length, sympy.Expr) or length.is_number:
        length = sympy.Integer(word_length(length, sizes=(2 * irrep.dimension for irrep in found)))
    counts = Counter((irrep.kind, irrep.dimension) for irrep in found)
    if any(count % 2 for (kind, _), count in counts.items() if kind == "complex"):
        raise ValueError("a complex irrep came without its conjugate: expected both or neither, because encodings are real.")
    costs = {"real": sympy.Integer(1), "complex": (length + 1) / 2, "quaternionic": (length + 1) / 2}
    return sympy.Add(*(2 ** (length - 1) * count * costs[kind] * n ** (length + 1) for (kind, n), count in counts.items()))


def least_two_layer_width(irreps: Iterable[Typed], length: int) -> int:
    """Return a lower bound on the hidden units of one layer of z^k, whatever its weights: ``sum n^(k+1)``, ``n^k`` for even k.

    The part of a unit that depends on every letter is k! times the product of its centred inputs, a tensor of rank one. The
    target has no other part. It is a ring of k + 1 sites, the letters and the output, whose bonds have dimension n. The matrix
    with every other site as rows cuts all bonds for odd k and all but one for even k, and irreps add up: its rank is the sum.

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero, with both members of each complex pair.
        length: Number of elements k, at least 2.

    Raises:
        ValueError: `length` is not an integer >= 2.
        TooExpensive: The answer has too many digits, see `theory.cost`.

    >>> from theory.groups import group
    >>> [least_two_layer_width(group("S3").irreps[1:], length) for length in (2, 3, 4, 5)]
    [5, 17, 17, 65]
    """
    found = list(irreps)
    length = word_length(length, 2, sizes=(irrep.dimension for irrep in found))
    return int(sum(irrep.dimension ** (length + length % 2) for irrep in found))


def least_units(irreps: Iterable[Typed], length: int) -> int:
    """Return the best lower bound that is known on the hidden units of one layer of z^k, whatever its weights.

    It is `least_two_layer_width`, or `least_products` for k = 2 where that is more. To this comes one unit in two cases, and a
    second one for the codes of `theory.composition.dihedral`. For even k it is `crossed_units` where that is more still. A sign
    is a real irrep s of dimension 1.

    k > 2, with a sign or a complex irrep. At least two sites of the flattening have both their bonds cut: the positions 2, 4,
    .., k for even k, and 1, 3, .., k for odd k. The space of functions of these sites is the sum over irreps of the products of
    their entries. As many units as its dimension are a basis of it, so the product of the functions with which a unit reads
    these positions lies in the sum. Then it lies in the summand of one irrep, because it has no part whose factors belong to
    two. No product of real functions lies in that of a complex irrep. In that of s lies one unit, and by the same argument for
    the other sites (with a basis on one side, the other side of the unit is what stands beside s) it reads every position by s,
    and it alone has s in its output. So up to a constant factor s(g_1) ... s(g_k) is (a_1 s(g_1) + ... + a_k s(g_k) + a)^k. For
    even k this does not change its sign. For odd k its part in s(g_1) alone is not zero: all terms of that part have the sign
    of a_1.

    k = 2, with a sign. Let A be the sum of the ideal of s and of B, and L = 2 dim A - t. Then B needs at least L - 1
    products. Let L terms w_i * a_i(x) * b_i(y) make the product of A. Take one whose a_i has a part in s, and restrict x to
    a_i(x) = 0. The other L - 1 terms make the product of B, in B and restricted. They are as few as can be, so the tensors
    w_j * a_j of these terms are linearly independent. A product of x in B with y in s has no part in B, so no other b_j has a
    part in s. Some b has one, so b_i alone has it. The same argument for b and w leaves s in the output of this unit alone.
    But a square does not change its sign, and s(g) s(h) does.

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero, with both members of each complex pair.
        length: Number of elements k, at least 2.

    Raises:
        ValueError: `length` is not an integer >= 2.
        TooExpensive: The answer has too many digits, see `theory.cost`.

    >>> from theory.groups import group
    >>> [least_units(group(name).irreps[1:], 2) for name in ("C2", "C2xC2", "C3", "S3", "Q8")]
    [2, 4, 3, 10, 11]
    >>> [least_units(group("S3").irreps[1:], length) for length in (3, 4, 5)]
    [18, 26, 66]
    >>> [least_units(group(name).irreps[1:], 3) for name in ("C3", "Q8", "A5")]
    [3, 20, 1043]
    """
    found = list(irreps)
    least = least_two_layer_width(found, length)  # which checks the length
    length = int(length)
    if length == 2:
        least = max(least, least_products(found))
    sign = any(irrep.kind == "real" and irrep.dimension == 1 for irrep in found)
    longer = length > 2 and (sign or any(irrep.kind == "complex" for irrep in found))
    crossed = 0 if length % 2 else crossed_units(found, length)
    return max(least + (longer or (sign and length == 2)) + (length == 2 and plane_and_signs(found)), crossed)


def counting_width(order: int, length: int) -> int:
    """Return the hidden units of one layer of z^k that composes k elements of an abelian group by counting its letters.

    The product depends on how often each letter occurs: C(k + |G| - 1, |G| - 1) possibilities, polynomially many in k.

    >>> [counting_width(2, length) for length in (2, 4, 8)]
    [3, 5, 9]
    """
    order, length = integer("order", order, "of the group", least=1), word_length(length)
    fewer = min(length, order - 1)
    refuse(digits(f"the counts of {order:.6g} letters", fewer * math.log2(1 + (length + order) // max(fewer, 1))))
    return comb(length + order - 1, order - 1)


def recurrent_width(irreps: Iterable[Typed]) -> int:
    """Return the units in the state of the quadratic recurrence, for words of any length: ``2 sum c n^3``, c = 1 or 3/2."""
    return two_layer_width(irreps, 2)


def tree_widths(irreps: Iterable[Typed], length: int) -> tuple[int, ...]:
    """Return the units in each layer of the quadratic tree; the l-th of its log2(length) layers has length / 2^l nodes.

    Raises:
        ValueError: `length` is not a power of two, or below two.
        TooExpensive: The length has too many digits, see `theory.cost`.

    >>> from collections import namedtuple
    >>> tree_widths([namedtuple("Type", "dimension kind")(1, "real")], 8)
    (8, 4, 2)
    """
    length = word_length(length, 2, sizes=[2])
    if length & (length - 1):
        raise ValueError(f"length = {length}: expected 2, 4, 8, ..., because the tree joins neighbours in pairs.")
    node = recurrent_width(irreps)
    return tuple(node * (length >> layer) for layer in range(1, length.bit_length()))

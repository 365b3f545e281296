"""Widths of the explicit networks that compose k elements of a group, from dimensions and types of irreps alone.

One layer of z^k spends 2^(k-1) units on a real monomial of degree k; an irrep of dimension n has n^(k+1) paths through k of its
matrices. A complex path costs k+1 real monomials, one member of a pair (or half of a quaternionic irrep's paths) being enough:
(k+1)/2 for each path. Quadratic recurrences and trees multiply two matrices at a time, which is the case k = 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

import sympy

__all__ = ["Typed", "recurrent_width", "tree_widths", "two_layer_width", "two_layer_width_expr"]


class Typed(Protocol):
    """What a width depends on."""

    @property
    def dimension(self) -> int:
        """Dimension over the complex numbers."""
        ...

    @property
    def kind(self) -> str:
        """``real``, ``complex`` or ``quaternionic``."""
        ...


def two_layer_width(irreps: Iterable[Typed], length: int) -> int:
    """Hidden units of one layer of z^length: ``2^(k-1) sum c n^(k+1)``, c = 1 for real type and (k+1)/2 otherwise.

    Args:
        irreps: those whose Fourier coefficient is not zero; of a complex pair both members.
        length: k >= 1.

    Raises:
        ValueError: a length below one, or a complex irrep without its conjugate.

    >>> from collections import namedtuple
    >>> Type = namedtuple("Type", "dimension kind")
    >>> two_layer_width([Type(1, "real"), Type(2, "real")], 2)  # D3
    18
    >>> two_layer_width([Type(1, "complex")] * 2, 2)  # one pair of characters: (k+1) 2^(k-1)
    6
    >>> two_layer_width([Type(2, "quaternionic")], 3)
    128
    """
    if length < 1:
        raise ValueError(f"length = {length}: a word has at least one letter")
    return int(two_layer_width_expr(irreps, sympy.Integer(length)))


def two_layer_width_expr(irreps: Iterable[Typed], length: sympy.Expr) -> sympy.Expr:
    """The same as a formula in the length; arguments and errors as for `two_layer_width`.

    >>> from collections import namedtuple
    >>> sympy.factor(two_layer_width_expr([namedtuple("Type", "dimension kind")(1, "complex")] * 2, sympy.Symbol("k")))
    2**(k - 1)*(k + 1)
    """
    counts = Counter((irrep.kind, irrep.dimension) for irrep in irreps)
    if any(count % 2 for (kind, _), count in counts.items() if kind == "complex"):
        raise ValueError("a complex irrep came without its conjugate: encodings are real, so both or neither take part")
    costs = {"real": sympy.Integer(1), "complex": (length + 1) / 2, "quaternionic": (length + 1) / 2}
    return sympy.Add(*(2 ** (length - 1) * count * costs[kind] * n ** (length + 1) for (kind, n), count in counts.items()))


def recurrent_width(irreps: Iterable[Typed]) -> int:
    """Units in the state of the quadratic recurrence, for words of any length: ``2 sum c n^3``, c = 1 or 3/2."""
    return two_layer_width(irreps, 2)


def tree_widths(irreps: Iterable[Typed], length: int) -> tuple[int, ...]:
    """Units in every layer of the quadratic tree: log2(length) layers, the l-th with length / 2^l nodes.

    Raises:
        ValueError: the length is not a power of two, or below two.

    >>> from collections import namedtuple
    >>> tree_widths([namedtuple("Type", "dimension kind")(1, "real")], 8)
    (8, 4, 2)
    """
    if length < 2 or length & (length - 1):
        raise ValueError(f"length = {length}: neighbours are joined in pairs, so the length must be 2, 4, 8, ...")
    node = recurrent_width(irreps)
    return tuple(node * (length >> layer) for layer in range(1, length.bit_length()))

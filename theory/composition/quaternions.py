r"""Eight squares compose two elements in an irrep with the image of Q8: eight products of quaternions, each a square.

Let p and q be quaternions with the coordinates 1, i, j, k. For signs v = (a, b, c) let s be the cyclic shift ``(b, c, a)``
where ``abc = -1``, and the other one, ``(c, a, b)``, where ``abc = 1``. Write ``<(1, v), p>`` for ``p_0 + a p_1 + b p_2 + c
p_3``. Then

    4 p q = sum over the eight v of  t_v (1, -ssv) <(1, v), p> <(1, sv), q>,      t_v = -1 if a = b = c, and 1 elsewhere.

It is an identity of bilinear forms with integers, so it is checked by its 64 coefficients. Fewer than eight products do not do
(de Groote, “On the complexity of quaternion multiplication”, 1975).

The elements of Q8 are plus or minus 1, i, j and k. On these each factor is 1 or -1, so ``(<(1, v), p> + <(1, sv), q>)^2`` is
twice its product and 2: eight units of z^2, and a constant. The three signs of Q8 take a unit each and leave a constant as
well, so Q8 takes 8 + 3 + 1 = 12 units. From below 11 are known (`theory.composition.least_units`).

Source: the identity is that of H. F. de Groote in other coordinates (recalled); signs and units are derived here.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from theory.groups.irreps import Irrep

__all__ = ["UNITS", "SignedProduct", "eight_products", "is_quaternion"]

UNITS = 8  # of z^2 for an irrep with the image of Q8; they leave a constant
_TRACES = (-2, 0, 2)  # of 1, -1, i, j, k; a larger finite group of unit quaternions has others


class SignedProduct(NamedTuple):
    """A product of a linear form of p with one of q.

    Attributes:
        left: Coefficients of the coordinates of p, each 1 or -1.
        right: Those of the coordinates of q.
        weights: Four times what the product adds to the coordinates of pq, each 1 or -1.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    weights: tuple[int, ...]


def eight_products() -> tuple[SignedProduct, ...]:
    """Return the eight products that add up to four times the product of two quaternions.

    >>> [found.left for found in eight_products()][:2]
    [(1, 1, 1, 1), (1, 1, 1, -1)]
    >>> sum(found.weights[0] * found.left[1] * found.right[1] for found in eight_products())  # i i = -1
    -4
    """
    found = []
    for v in product((1, -1), repeat=3):
        back = v[0] * v[1] * v[2] == 1
        once, twice = _shifted(v, back), _shifted(_shifted(v, back), back)
        sign = -1 if len(set(v)) == 1 else 1
        found.append(SignedProduct((1, *v), (1, *once), (sign, *(-sign * x for x in twice))))
    return tuple(found)


def is_quaternion(irrep: Irrep) -> bool:
    """Return whether an irrep is quaternionic of dimension 2 and has the image of Q8, by its character.

    >>> from theory.groups import group
    >>> [sum(map(is_quaternion, group(name).irreps)) for name in ("Q8", "Q8xC2", "Q16", "Q12", "SL2_3", "D4")]
    [1, 2, 0, 0, 0, 0]
    """
    return irrep.dimension == 2 and irrep.kind == "quaternionic" and all(value in _TRACES for value in irrep.character)


def _shifted(v: tuple[int, ...], back: bool) -> tuple[int, ...]:
    return (v[2], v[0], v[1]) if back else (v[1], v[2], v[0])

r"""Squares that compose two elements in all linear characters: three for each pair, and one for each pair that is doubled.

A linear character is a sign or one of a conjugate pair, exp(i A) and exp(-i A) with an angle A(g). Composing adds angles. Let
B be the same angle of the second element.

**Two squares for each angle.** Take any phase b. Of the squares

    (cos(A + b) - cos(B + b))^2    and    (sin(A + b) + sin(B + b))^2

the sum is ``2 - 2 cos(A + B + 2b)``, a part of the product. The second less the first is

    2 cos(A - B) - cos(2A + 2b) - cos(2B + 2b).

**The other part.** Let p = cos(A + f) and q = cos(B + f). Then ``(p + q)^2`` less half of that difference is

    1 + cos(A + B + 2f) + cos(f - b) (cos(2A + f + b) + cos(2B + f + b)).

The cosine of A + B is independent of the first one, unless f - b is a multiple of 90 degrees. What follows it has to be written
as well. It is linear in the codes of the doubled angles.

* The double of an angle of order 4 is a sign, and phases with f + b = 90 degrees cancel it. Three squares in all.
* The double of an angle of order 3 is its opposite. With b = -2f it is linear in p and q themselves, and the square of p + q -
  2k writes everything in place of that of p + q, where k = cos(f - b) / 4. Three squares in all.
* Else the double is another angle. Its own third square is that of p' + q', with the phase f + b for its f. This one and the
  square of p' + q' + 1 write it, and serve every other angle with the same double: a pair that is doubled takes one more.
* Angles of order 5 are doubled in a circle of two pairs. Where no other angle is doubled to them, three squares serve both.
  With one k for both pairs, ``p^2 - 2k p'`` and ``p'^2 - 2k p`` are sums of the squares of ``p + t p' + k t (s - t)`` and a
  constant, for any three t with the product 1 and the sum s. Seven squares in all.

A sign s takes (s + s')^2 = 2 + 2 s s'. All share one unit for the constant. So C5 takes 8 units (with four squares for each
pair 9), C8 12 (13), C16 26 (29) and C6 x C2 17 (19).

Source: derived here.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from theory.groups import FiniteGroup

__all__ = ["angle_squares", "angle_units"]

_TURNS = (-1.0, 2.0, -0.5)  # the t of the angles of order 5; their product is 1
_APART = np.pi / 4  # f - b, so that the two parts of the product that are written are orthogonal
_SLOPE = np.cos(_APART) / 4  # k


class _Pair(NamedTuple):
    """A conjugate pair of characters. Its doubled angle is that of a pair, or its opposite, or a sign's (then None)."""

    number: int
    double: int | None
    orientation: int


def angle_squares(g: FiniteGroup) -> int:
    """Return how many squares compose two elements in all linear characters; the unit of the constant comes on top.

    Args:
        g: A group; of one that is not abelian, the characters of its largest abelian quotient.

    Cost: that of the character table.

    >>> from theory.groups import group
    >>> [angle_squares(group(name)) + 1 for name in ("C4", "C5", "C6", "C7", "C8", "C10", "C6xC2", "S3")]
    [5, 8, 9, 13, 12, 16, 17, 2]
    """
    signs, pairs = _characters(g)
    return len(signs) + 3 * len(pairs) + len(_doubled(pairs)) - len(_circles(pairs))


def angle_units(g: FiniteGroup) -> np.ndarray:
    """Return what each unit reads of both elements, in floating point; the unit of the constant comes last.

    Args:
        g: The group, as for `angle_squares`.

    Returns:
        Array of shape ``(angle_squares(g) + 1, 2, order)``. Unit u is the square of ``array[u, 0, x] + array[u, 1, y]`` at the
        pair (x, y). Both parts of every linear character of the product x y are linear combinations of the units.

    Cost: that of the character table, and numbers as many as the array has.

    >>> from theory.groups import group
    >>> angle_units(group("C5")).shape
    (8, 2, 5)
    """
    signs, pairs = _characters(g)
    values = {pair.number: g.irreps[pair.number].matrices[:, 0, 0] for pair in pairs}
    own, other = _phases(pairs)
    parts = {number: np.real(value * np.exp(1j * own[number])) for number, value in values.items()}
    circles, doubled = _circles(pairs), _doubled(pairs)
    circling = {number for circle in circles for number in circle}
    alike = [np.real(g.irreps[number].matrices[:, 0, 0]) for number in signs]
    differences = []
    for number, double, _ in pairs:
        turned = values[number] * np.exp(1j * other[number])
        differences.append(turned.real)
        alike.append(turned.imag)
        if number not in circling:
            alike.append(parts[number] - _SLOPE * (double == number and number not in doubled))
    alike += [parts[number] + 1 / 2 for number in sorted(doubled - circling)]
    alike += [parts[j] + t * parts[k] + _SLOPE * t * (sum(_TURNS) - t) for j, k in circles for t in _TURNS]
    constant = np.stack([np.ones(g.order), np.zeros(g.order)])
    return np.stack([np.stack([f, f]) for f in alike] + [np.stack([f, -f]) for f in differences] + [constant])


def _characters(g: FiniteGroup) -> tuple[list[int], list[_Pair]]:
    """The numbers of the signs, and the pairs of the other linear characters, each by the member that comes first."""
    table = g.characters
    rows = {row.tobytes(): number for number, row in enumerate(table.residues)}
    signs, pairs = [], []
    for number in range(1, int((table.degrees == 1).sum())):
        conjugate = int(table.conjugates[number])
        if conjugate == number:
            signs.append(number)
        elif number < conjugate:
            double = rows[(table.residues[number] ** 2 % table.field.prime).tobytes()]
            opposite = int(table.conjugates[double])
            real = double == opposite
            pairs.append(_Pair(number, None if real else min(double, opposite), 1 if double <= opposite else -1))
    return signs, pairs


def _circles(pairs: list[_Pair]) -> list[tuple[int, int]]:
    """Two pairs that are doubled to each other, and to which no other pair is doubled.

    If the group has a sign, its products with both pairs are doubled to them, so that looking at one of the two is enough.
    """
    double = {pair.number: pair.double for pair in pairs}
    onto = Counter(double.values())
    return [(j, k) for j, k in double.items() if k is not None and j < k and double[k] == j and onto[j] == 1]


def _doubled(pairs: list[_Pair]) -> set[int]:
    """The pairs to which another one is doubled."""
    return {pair.double for pair in pairs if pair.double not in (None, pair.number)}


def _phases(pairs: list[_Pair]) -> tuple[dict[int, float], dict[int, float]]:
    """The phases f and b = f - 45 degrees of each pair; f + b is the phase f of the double, or 90 degrees for a sign."""
    place = {pair.number: i for i, pair in enumerate(pairs)}
    doubling = np.zeros((len(pairs), len(pairs)))
    for i, pair in enumerate(pairs):
        if pair.double is not None:
            doubling[i, place[pair.double]] = pair.orientation
    sums = [np.pi / 2 if pair.double is None else 0.0 for pair in pairs]
    own = np.linalg.solve(2 * np.eye(len(pairs)) - doubling, _APART + np.array(sums))
    own = {pair.number: float(phase) for pair, phase in zip(pairs, own, strict=True)}
    return own, {number: phase - _APART for number, phase in own.items()}

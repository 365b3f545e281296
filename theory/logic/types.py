r"""Types of positions: what formulas of since and until of a depth, and so networks of hard attention, can know there.

The type of depth 0 of a position is its letter. The type of depth d + 1 consists of its type of depth d and of the order in
which the types of depth d are met on the way back from the position, each when it is met first, and on the way ahead.

*Two positions have the same type of depth d iff all formulas of depth d agree there.* (f S g) asks for the nearest earlier
position of a type in the set "g or not f", and whether this type is in g. The order in which types are met answers this for all
sets at once. Conversely, with s_1, ..., s_r the types that are met on the way back, in this order,

    (s_1 | ... | s_(i-1)) S s_i   for all i,      and      H (s_1 | ... | s_r)

hold at positions of this order and at no others. Each s_i is a formula of depth d by induction, so these have depth d + 1.

*Networks know no more.* After d layers of unique hard attention with strict masks and ties to the nearest position, the state
of a position is a function of its type of depth d, for any scores, widths and feed-forward parts: a head goes to the nearest
position of the type that its query scores highest among those met. The layer that knows the whole order exists
(the claim `hard_attention_depth_strict` builds it).

Source: the games of Etessami and Wilke, An until hierarchy (2000), and Yang, Chiang, Angluin, arXiv 2310.13897; derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from theory.checks import integer
from theory.logic.formula import Atom, Formula, Since, Until
from theory.logic.operators import all_of, always_after, always_before, any_of

__all__ = ["Sides", "Types", "sides_named"]

Sides = Literal["past", "both"]
"""Where heads look: back only (since), or back and ahead (since and until)."""

_Key = tuple[str] | tuple[int, tuple[int, ...], tuple[int, ...]]


class Types:
    """The types that have been met, each with a number; words of one table can be compared.

    Args:
        sides: "past" for heads that look back, "both" for heads of both directions.

    Raises:
        ValueError: `sides` is neither "past" nor "both".

    >>> types = Types("past")
    >>> types.of("aaabba", 2)[-1] == types.of("aabbba", 2)[-1], types.of("aaabba", 3)[-1] == types.of("aabbba", 3)[-1]
    (True, False)
    """

    def __init__(self, sides: Sides = "both") -> None:
        self.sides = sides_named(sides)
        self._numbers: dict[_Key, int] = {}
        self._keys: list[_Key] = []
        self._formulas: dict[int, Formula] = {}

    def of(self, word: str | Sequence[str], depth: int) -> list[int]:
        """The number of the type of this depth at every position of a word. O(depth * length * types met).

        Raises:
            ValueError: `depth` is not an integer >= 0.
        """
        integer("depth", depth, "a number of layers", least=0)
        row = [self._number((letter,)) for letter in word]
        for _ in range(depth):
            back = _met(row)
            ahead = _met(row[::-1])[::-1] if self.sides == "both" else [()] * len(row)
            row = [self._number(key) for key in zip(row, back, ahead, strict=True)]
        return row

    def formula(self, number: int) -> Formula:
        """The formula, at most as deep as the type, that holds at positions of this type and at no others.

        >>> types = Types("past")
        >>> print(types.formula(types.of("ab", 1)[1]))
        b & Y a & H a
        """
        if number not in self._formulas:
            key = self._keys[number]
            self._formulas[number] = Atom(key[0]) if isinstance(key[0], str) else self._written(*key)  # type: ignore[call-arg]
        return self._formulas[number]

    def _written(self, below: int, back: tuple[int, ...], ahead: tuple[int, ...]) -> Formula:
        parts = [self.formula(below)]
        for order, operator, always in ((back, Since, always_before), (ahead, Until, always_after)):
            met = [self.formula(number) for number in order]
            if operator is Since or self.sides == "both":
                parts += [operator(any_of(met[:i]), formula) for i, formula in enumerate(met)]
                parts.append(always(any_of(met)))
        return all_of(parts)

    def _number(self, key: _Key) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self._keys)
            self._keys.append(key)
        return self._numbers[key]


def sides_named(sides: str) -> Sides:
    """The sides, or the error that names them."""
    if sides not in ("past", "both"):
        raise ValueError(f"sides = {sides!r}: expected 'past' (heads look back) or 'both' (back and ahead)")
    return sides  # type: ignore[return-value]


def _met(row: Sequence[int]) -> list[tuple[int, ...]]:
    """For each position the different entries before it, nearest first."""
    orders, order = [], ()
    for number in row:
        orders.append(order)
        order = (number, *(other for other in order if other != number))
    return orders

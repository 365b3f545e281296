"""The named directions of a residual stream, and the matrices of a layer written in their names.

A sum of directions is a mapping from names to factors, {"position": 1, "one": -1}. The name of a field of several directions
stands for all of them; a pair such as ("code", 2) stands for one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import Array

from depthjax.constructions.directions.layer import Heads, Layer, Units

Direction = str | tuple[str, int]
Sum = Mapping[Any, float | int]  # by direction; Any, because a mapping type takes its keys exactly


class Stream:
    """The fields of a residual stream and their places.

    Attributes:
        fields: Name and size of every field, in order.
        width: Sum of the sizes.
    """

    def __init__(self, sizes: Mapping[str, int]):
        self.fields = tuple(sizes.items())
        self.width = sum(sizes.values())
        starts = np.cumsum([0, *sizes.values()])
        self._at = {name: int(start) for name, start in zip(sizes, starts, strict=False)}
        self._sizes = dict(sizes)

    def directions(self, name: str) -> list[tuple[str, int]]:
        """Return all directions of a field."""
        return [(name, place) for place in range(self._sizes[name])]

    def rows(self, direction: Direction) -> slice:
        """Return the rows of a field or of one of its directions."""
        if isinstance(direction, str):
            return slice(self._at[direction], self._at[direction] + self._sizes[direction])
        return slice(self._at[direction[0]] + direction[1], self._at[direction[0]] + direction[1] + 1)

    def columns(self, *sums: Sum) -> np.ndarray:
        """Return the matrix, shape (width, sums), whose columns read these sums of directions."""
        matrix = np.zeros((self.width, len(sums)))
        for column, terms in enumerate(sums):
            for direction, factor in terms.items():
                matrix[self.rows(direction), column] += factor
        return matrix

    def heads(
        self, query: Sequence[Sum] | None, key: Sequence[Sum], reads: Mapping[Any, Sum], read: Sequence[Direction] = ()
    ) -> Heads:
        """Return a head that retrieves sums.

        Args:
            query: Sums whose products with the sums of `key` add up to the score; None: the one sum of `key` is the score.
            key: As many sums.
            reads: The retrieved sum for each direction that it is added to.
            read: Fields that the head reads, behind their norm; by default all, without a norm.
        """
        asks = None if query is None else jax.device_put(self.columns(*query))
        output = self.columns(*({direction: 1} for direction in reads)).T
        key_, value, output_ = map(jax.device_put, (self.columns(*key), self.columns(*reads.values()), output))
        return Heads(asks, key_, value, output_, normed=self.marks(read) if read else None)

    def units(self, pairs: Sequence[tuple[Sum, Sum]], wipes: Sequence[Direction] = (), read: Sequence[Direction] = ()) -> Units:
        """Return units that gather sums and write them.

        Args:
            pairs: For each unit the sum that it gathers, and the sum of directions that its number is added to.
            wipes: Directions that are set to zero before the numbers are added.
            read: Fields that the units read, behind their norm; by default all, without a norm.
        """
        gather, write = self.columns(*(source for source, _ in pairs)), self.columns(*(target for _, target in pairs)).T
        kept = 1 - self.marks(wipes) if wipes else None
        return Units(jax.device_put(gather), jax.device_put(write), kept, self.marks(read) if read else None)

    def layer(
        self,
        query: Sequence[Sum],
        key: Sequence[Sum],
        reads: Mapping[Any, Sum],
        rounds: Sequence[tuple[Sum, Sum]],
        wipes: Sequence[Direction],
    ) -> Layer:
        """Return a layer that retrieves sums, rounds them and clears fields: `heads` and `units` without norms."""
        return Layer(self.heads(query, key, reads), self.units(rounds, wipes))

    def marks(self, directions: Sequence[Direction]) -> Array:
        """Return 1 for these directions and 0 for all others."""
        found = np.zeros(self.width)
        for direction in directions:
            found[self.rows(direction)] = 1
        return jax.device_put(found)


def target(sharpness: float, sums: Sum) -> tuple[list[Sum], list[Sum]]:
    """Return query and key of a lookup at the position t that the sum names: position p scores sharpness (2 t p - p^2)."""
    return [{name: 2 * sharpness * factor for name, factor in sums.items()}, {"one": -sharpness}], [
        {"position": 1},
        {"square": 1},
    ]


def addressed(sink: float, gap: float, names: Sequence[Direction], codes: Sequence[Direction]) -> tuple[list[Sum], list[Sum]]:
    """Return query and key of a head that adds up what is addressed to its position, given by +-1 bits.

    The beginning scores `sink`, a position whose code is the name of this one scores 0, and all others at most -gap.
    """
    # (gap / 2) (agreements - disagreements - bits)
    shift = gap / 2 * len(names)
    query: list[Sum] = [{name: gap / 2} for name in names]
    key: list[Sum] = [{code: 1} for code in codes]
    return [*query, {"one": 1}], [*key, {"one": -shift, "begin": sink + shift}]


def binary(numbers: np.ndarray, bits: int) -> np.ndarray:
    """Return the binary digits of whole numbers as +-1, the lowest first; shape (numbers, bits)."""
    return 2.0 * (numbers[:, None] >> np.arange(bits) & 1) - 1

"""The named directions of a residual stream, and the matrices of a layer written in their names.

A sum of directions is a mapping from names to factors, {"position": 1, "one": -1}. The name of a field of several directions
stands for all of them; a pair such as ("code", 2) stands for one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from depthjax.constructions.directions.layer import TransformerLayer

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

    def layer(
        self,
        query: Sequence[Sum],
        key: Sequence[Sum],
        reads: Mapping[tuple[str, int], Sum],
        rounds: Sequence[tuple[Sum, Sum]],
        wipes: Sequence[Direction],
    ) -> TransformerLayer:
        """Return a layer that retrieves sums, rounds them and clears fields.

        Args:
            query: Sums whose products with the sums of `key` add up to the score.
            key: As many sums.
            reads: The retrieved sum for each direction that it is added to.
            rounds: Pairs of a sum that is rounded and the sum of directions that the rounded number is added to.
            wipes: Directions that are set to zero before the rounded numbers are added.
        """
        linear = np.zeros((self.width, self.width))
        for direction in wipes:
            rows = self.rows(direction)
            linear[rows, rows] -= np.eye(rows.stop - rows.start)
        return TransformerLayer(
            query=jax.device_put(self.columns(*query)),
            key=jax.device_put(self.columns(*key)),
            value=jax.device_put(self.columns(*reads.values())),
            output=jax.device_put(self.columns(*({direction: 1} for direction in reads)).T),
            linear=jax.device_put(linear),
            gather=jax.device_put(self.columns(*(source for source, _ in rounds))),
            write=jax.device_put(self.columns(*(target for _, target in rounds)).T),
        )


def target(sharpness: float, sums: Sum) -> tuple[list[Sum], list[Sum]]:
    """Return query and key of a lookup at the position t that the sum names: position p scores sharpness (2 t p - p^2)."""
    return [{name: 2 * sharpness * factor for name, factor in sums.items()}, {"one": -sharpness}], [
        {"position": 1},
        {"square": 1},
    ]


def binary(numbers: np.ndarray, bits: int) -> np.ndarray:
    """Return the binary digits of whole numbers as +-1, the lowest first; shape (numbers, bits)."""
    return 2.0 * (numbers[:, None] >> np.arange(bits) & 1) - 1

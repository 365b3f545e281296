"""The named directions of a residual stream, and the matrices of a layer written in their names.

A sum of directions is a mapping from names to factors, {"position": 1, "one": -1}; a field of several directions takes its
factor in all of them under its name, or one by one as pairs, ("code", 2).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from depthjax.constructions.transformer import TransformerLayer

Direction = str | tuple[str, int]
Sum = Mapping[Any, float | int]  # by direction; Any, because a mapping type takes its keys exactly


class Stream:
    """Fields and where they lie.

    Attributes:
        fields: name and size of every field, in order.
        width: their sum.
    """

    def __init__(self, sizes: Mapping[str, int]):
        self.fields = tuple(sizes.items())
        self.width = sum(sizes.values())
        starts = np.cumsum([0, *sizes.values()])
        self._at = {name: int(start) for name, start in zip(sizes, starts, strict=False)}
        self._sizes = dict(sizes)

    def directions(self, name: str) -> list[tuple[str, int]]:
        """Every direction of a field."""
        return [(name, place) for place in range(self._sizes[name])]

    def rows(self, direction: Direction) -> slice:
        """Where a field or one of its directions lies."""
        if isinstance(direction, str):
            return slice(self._at[direction], self._at[direction] + self._sizes[direction])
        return slice(self._at[direction[0]] + direction[1], self._at[direction[0]] + direction[1] + 1)

    def columns(self, *sums: Sum) -> np.ndarray:
        """A matrix that reads these sums of directions, a column each; shape (width, sums)."""
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
        """A layer that reads, rounds and tidies up.

        Args:
            query: sums whose products with `key`'s add up to the score.
            key: as many.
            reads: into which direction each retrieved sum is added.
            rounds: what is rounded after that, and what the rounded number is added to.
            wipes: what is set to zero before the rounded numbers are added.
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
    """Query and key of a lookup at the position t that this sum names: the score is sharpness (2 t p - p^2) at position p."""
    return [{name: 2 * sharpness * factor for name, factor in sums.items()}, {"one": -sharpness}], [
        {"position": 1},
        {"square": 1},
    ]


def binary(numbers: np.ndarray, bits: int) -> np.ndarray:
    """The digits of whole numbers as +-1, the lowest first; shape (numbers, bits)."""
    return 2.0 * (numbers[:, None] >> np.arange(bits) & 1) - 1

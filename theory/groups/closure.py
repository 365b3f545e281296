"""Groups and subgroups from generators: breadth-first closure, and the Cayley table of what was found.

Elements are rows of integers, and a generator acts on many rows at once. Only products of elements with generators are
computed. If x = x' s for a generator s, then row x of the table is row x' read along the permutation h -> s h, which follows
from the same products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from depthjax.refusal import refusing
from theory.checks import exact_entries, integer
from theory.cost import refuse
from theory.groups.cost import closure
from theory.groups.expected import lists_of_images, square_matrices

__all__ = ["close", "matrix_elements", "permutation_elements", "subgroup_elements", "table_dtype"]

LARGEST = 20_000
"""Largest order for which a table is built; a larger table would take more than 1.6 GB."""


def close(identity: np.ndarray, right: Sequence[Callable[[np.ndarray], np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """The elements that maps x -> x s on rows generate from the identity, and their Cayley table.

    Elements come in breadth-first order; generators are tried in the given order. Cost: O(order * generators) row operations
    and one gather of `order` numbers per element.

    Raises:
        ValueError: There are more than `LARGEST` elements.
        TooExpensive: The rows of all elements would not fit the limit of `theory.cost`.
    """
    elements, index = [identity], {_key(identity): 0}
    parents, steps = [0], [0]
    images: list[np.ndarray] = []
    start = 0
    while start < len(elements):
        refuse(closure(len(elements), len(identity)))
        generation = np.stack(elements[start:])
        products = np.stack([move(generation) for move in right], axis=1) if right else np.empty((len(generation), 0, 0))
        image = np.empty(products.shape[:2], dtype=np.int64)
        for row, parent in enumerate(range(start, len(elements))):
            for step in range(len(right)):
                key = _key(products[row, step])
                found = index.get(key)
                if found is None:
                    found = index[key] = len(elements)
                    elements.append(products[row, step])
                    parents.append(parent)
                    steps.append(step)
                image[row, step] = found
        if len(elements) > LARGEST:
            raise ValueError(f"these generators give more than {LARGEST} elements; Cayley tables are kept up to that order")
        images.append(image)
        start += len(generation)
    return np.stack(elements), _table(np.concatenate(images), parents, steps)


def subgroup_elements(table: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """The subgroup that some elements of a Cayley table generate, ascending, and a subset of them that generates it.

    The subset has at most log2 of the subgroup's order elements, because each of them at least doubles what is generated.
    """
    inside = np.zeros(len(table), dtype=bool)
    inside[0] = True
    chosen: list[int] = []
    while len(missing := candidates[~inside[candidates]]):
        chosen.append(int(missing[0]))
        frontier = np.flatnonzero(inside)
        while len(frontier):
            products = np.unique(table[frontier][:, chosen])
            frontier = products[~inside[products]]
            inside[frontier] = True
    return np.flatnonzero(inside), tuple(chosen)


def _key(row: np.ndarray) -> Hashable:
    """A hashable name of the row's values. The bytes of an object array are addresses and would not do."""
    return tuple(row.tolist()) if row.dtype == object else row.tobytes()


def _table(right: np.ndarray, parents: list[int], steps: list[int]) -> np.ndarray:
    """The Cayley table from the products ``right[x, s]`` of elements x = parents[x] steps[x] with generators."""
    order, products = len(parents), right.tolist()
    left = []
    for row in products[0]:  # the generator itself
        images = [row]
        for x in range(1, order):
            images.append(products[images[parents[x]]][steps[x]])
        left.append(np.array(images))
    table = np.empty((order, order), dtype=table_dtype(order))
    table[0] = np.arange(order)
    for x in range(1, order):
        np.take(table[parents[x]], left[steps[x]], out=table[x])
    return table


def table_dtype(order: int) -> type:
    """Wide integers for small tables, and narrower ones for tables that would fill the memory."""
    return np.int64 if order <= 1024 else np.int32


@refusing(lists_of_images)
def permutation_elements(generators: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """All permutations that the generators give, as rows, and their table; ``(p q)(i) = p[q[i]]``.

    Raises:
        TypeError: There is no list of generators.
        ValueError: Names the first generator that is not a permutation of the same points.
    """
    rows = [list(each) if isinstance(each, (Sequence, np.ndarray)) else [each] for each in generators]
    points = len(rows[0]) if rows else 1
    for row in rows:
        whole = all(isinstance(point, (int, np.integer)) and not isinstance(point, bool) for point in row)
        if not whole or sorted(row) != list(range(points)):
            counted = whole and sorted(row) == list(range(1, points + 1))
            hint = ": it counts from 1, as GAP does; subtract 1 from each entry, or give cycles as text" if counted else ""
            raise ValueError(f"{tuple(row)} is not a permutation of 0 .. {points - 1}{hint}")
    arrays = [np.array(row, dtype=int) for row in rows]
    moves = [lambda rows, g=array: rows[:, g] for array in arrays]
    return close(np.arange(points), moves)


@refusing(square_matrices)
def matrix_elements(generators: Sequence[Sequence[Sequence[int]]], modulus: int) -> tuple[np.ndarray, np.ndarray]:
    """All matrices over the integers modulo a number that the generators give, as flat rows, and their table.

    Raises:
        TypeError: There is no list of generators.
        ValueError: The generators are not square matrices of one size, or one of them has no inverse modulo the number.
    """
    modulus = integer("modulus", modulus, "because the entries are residues", least=2)
    raw = [exact_entries("a generator", generator) for generator in generators]
    size = len(raw[0]) if raw else 0
    if not size or any(array.shape != (size, size) for array in raw):
        raise ValueError(f"generators are square matrices of one size, not of shapes {[array.shape for array in raw]}")
    arrays = [np.asarray(array, dtype=object) % modulus for array in raw]
    for array in arrays:
        if any(type(entry) is not int for entry in array.ravel()):
            raise ValueError(f"{array.tolist()} has entries that are no integers: they must be residues modulo {modulus}")
        determinant = _determinant(array.tolist())
        if math.gcd(determinant, modulus) != 1:
            raise ValueError(f"{array.tolist()} has determinant {determinant % modulus}: no inverse modulo {modulus}")
    # an entry of a product is a sum of `size` products of residues
    kind = np.int64 if size * (modulus - 1) ** 2 < 2**63 else object
    moves = [
        lambda rows, g=array: (rows.reshape(-1, size, size) @ g % modulus).reshape(len(rows), size * size)
        for array in (array.astype(kind) for array in arrays)
    ]
    return close(np.eye(size, dtype=kind).ravel(), moves)


def _determinant(rows: list[list[int]]) -> int:
    """The determinant by the elimination of Bareiss, in which every division is exact."""
    rows, sign, before = [list(row) for row in rows], 1, 1
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        for row in rows[k + 1 :]:
            row[k:] = [(x * rows[k][k] - row[k] * y) // before for x, y in zip(row[k:], rows[k][k:], strict=True)]
        before = rows[k][k]
    return sign * before

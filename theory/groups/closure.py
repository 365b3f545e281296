"""Groups from generators: breadth-first closure, a generation at a time, and the Cayley table by gathers.

Elements are rows of integers; a generator acts on many rows at once. Only the products of every element with the generators
are ever computed: with x = x' s for a generator s, row x of the table is row x' read along the
permutation h -> s h, and that permutation follows from the same products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["close", "matrix_elements", "permutation_elements", "table_dtype"]

LARGEST = 20_000
"""No table is built beyond this order: it would hold more than 1.6 GB."""


def close(identity: np.ndarray, right: Sequence[Callable[[np.ndarray], np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Elements generated from the identity by maps x -> x s on rows, and their Cayley table.

    Elements come in breadth-first order, generators tried in the order given. Cost: O(order * generators) row operations and
    one gather of `order` numbers per element.

    Raises:
        ValueError: if there are more than `LARGEST` elements.
    """
    elements, index = [identity], {identity.tobytes(): 0}
    parents, steps = [0], [0]
    images: list[np.ndarray] = []
    start = 0
    while start < len(elements):
        generation = np.stack(elements[start:])
        products = np.stack([move(generation) for move in right], axis=1) if right else np.empty((len(generation), 0, 0))
        image = np.empty(products.shape[:2], dtype=np.int64)
        for row, parent in enumerate(range(start, len(elements))):
            for step in range(len(right)):
                key = products[row, step].tobytes()
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
    """Wide integers for small tables; half of that where a table would fill the memory."""
    return np.int64 if order <= 1024 else np.int32


def permutation_elements(generators: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """All permutations generated, as rows, and their table; ``(p q)(i) = p[q[i]]``.

    Raises:
        ValueError: names the first generator that is not a permutation of the same points.
    """
    points = len(generators[0]) if len(generators) else 1
    for generator in generators:
        if sorted(generator) != list(range(points)):
            raise ValueError(f"{tuple(generator)} is not a permutation of 0 .. {points - 1}")
    arrays = [np.array(generator, dtype=int) for generator in generators]
    moves = [lambda rows, g=array: rows[:, g] for array in arrays]
    return close(np.arange(points), moves)


def matrix_elements(generators: Sequence[Sequence[Sequence[int]]], modulus: int) -> tuple[np.ndarray, np.ndarray]:
    """All matrices over the integers modulo a number that the generators give, flattened, and their table.

    Raises:
        ValueError: not square matrices of one size, or one that has no inverse modulo the number.
    """
    arrays = [np.asarray(generator, dtype=np.int64) % modulus for generator in generators]
    size = len(arrays[0])
    for array in arrays:
        if array.shape != (size, size):
            raise ValueError(f"generators are square matrices of one size, not of shapes {[a.shape for a in arrays]}")
        if np.gcd(round(float(np.linalg.det(array))), modulus) != 1:
            raise ValueError(
                f"{array.tolist()} has determinant {round(float(np.linalg.det(array)))}: no inverse modulo {modulus}"
            )
    moves = [
        lambda rows, g=array: (rows.reshape(-1, size, size) @ g % modulus).reshape(len(rows), size * size) for array in arrays
    ]
    return close(np.eye(size, dtype=np.int64).ravel(), moves)

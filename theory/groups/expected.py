"""Checks of what constructors of groups are given: None, a text or rows of several lengths are refused with what is expected.

An iterator can be read once alone, so what it holds is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["lists_of_images", "square_matrices", "square_of_integers"]


def lists_of_images(generators: Any) -> None:
    """Refuse anything but a list of permutations, each of them a list of images.

    Raises:
        TypeError: There is no list.
        ValueError: Something in the list is no list of images, such as a number or a text.
    """
    given = _listed(generators, "permutations, such as [(1, 2, 0), (1, 0, 2)]; theory.groups.group reads cycles in text")
    if wrong := [
        each for each in given or () if isinstance(each, (str, bytes)) or not isinstance(each, (Sequence, np.ndarray))
    ]:
        raise ValueError(
            f"the generator {wrong[0]!r:.60} is not a permutation: expected the images of 0, 1, .., n - 1 in a list, such as "
            "(1, 2, 0); a group with one generator is given by a list of one, [(1, 2, 0)]"
        )


def square_matrices(generators: Any) -> None:
    """Refuse anything but a list of square matrices of one size.

    Raises:
        TypeError: There is no list.
        ValueError: The list is empty, or holds something else.
    """
    given = _listed(generators, "square matrices, such as [[[1, 1], [0, 1]]]")
    if given is None:
        return
    shapes = [_shape(each) for each in given]
    size = max(shapes[0], default=0) if shapes else 0
    if shapes != [(size, size)] * max(len(shapes), 1) or not size:
        raise ValueError(
            f"generators = {generators!r:.60} of shapes {shapes}: expected at least one, and square matrices of one size, "
            "because they are multiplied; a group with one generator is given by a list of one, [[[1, 1], [0, 1]]]"
        )


def square_of_integers(table: Any) -> None:
    """Refuse anything but a square array of integers.

    Raises:
        ValueError: The table is something else.
    """
    try:
        array = np.asarray(table)
    except ValueError:  # rows of several lengths
        array = np.asarray(table, dtype=object)
    order = max(array.shape, default=0)
    if not order or array.shape != (order, order) or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"table = {table!r:.60}: a Cayley table is a square array of integers, not {array.dtype} of shape {array.shape}; "
            "row g holds the products of g with each element, as in [[0, 1], [1, 0]]"
        )


def _listed(generators: Any, expected: str) -> list[Any] | None:
    """The generators as a list; None for an iterator.

    Raises:
        TypeError: They are no list, such as a text or a number.
    """
    scalar = isinstance(generators, np.ndarray) and not generators.ndim
    if scalar or isinstance(generators, (str, bytes, Mapping)) or not isinstance(generators, Iterable):
        raise TypeError(f"generators = {generators!r:.60}: expected a list of {expected}")
    return None if isinstance(generators, Iterator) else list(generators)


def _shape(matrix: Any) -> tuple[int, ...]:
    """The shape of a matrix; that of its rows where they have several lengths."""
    try:
        return np.shape(matrix)
    except ValueError:
        return (len(matrix),)

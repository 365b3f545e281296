"""Lie algebras by name, with the defining matrices of their bases."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from theory.cost import refuse
from theory.lie.algebra import LieAlgebra
from theory.lie.cost import family as family_cost
from theory.lie.cost import free_algebra
from theory.lie.free import structure_constants
from theory.lie.matrices import affine_matrix
from theory.lie.words import check_sizes, lyndon_words

__all__ = ["NAMES", "free_nilpotent", "named"]

NAMES = (
    "abelian<n>, so<n>, sl<n>, gl<n>, sp<2n>, heisenberg<2n+1> (heisenberg is heisenberg3), aff<n>, se<n>, "
    "upper<n> (triangular), strict<n> (strictly upper triangular), graded<n> (a Jordan block and its degree), "
    "free<letters>_<class>"
)


def named(name: str) -> LieAlgebra:
    """Return the Lie algebra of this name; `NAMES` lists the families.

    All but the free nilpotent algebras have ``.matrices``, integer matrices in the order of the basis.

    Raises:
        ValueError: The family is unknown, or it has no member of this size.
        TypeError: The name is not a text.
        TooExpensive: The algebra is too large, see `theory.cost`.

    >>> named("so3").dimension, named("upper4").derived_dimensions, named("heisenberg3").nilpotency_class
    (3, (10, 6, 3, 0), 2)
    """
    if not isinstance(name, str):
        raise TypeError(f"name = {name!r}: expected a text, one of {NAMES}.")
    key = name.lower().replace("(", "").replace(")", "").replace(" ", "")
    if match := re.fullmatch(r"free(\d+)[_,](\d+)", key):
        return free_nilpotent(int(match[1]), int(match[2]))
    match = re.fullmatch(r"([a-z]+?)(\d*)", key)
    family, least = _FAMILIES.get(match[1] if match else "", (None, 0))
    if match is None or family is None:
        raise ValueError(f"no Lie algebra is called {name!r}: expected one of {NAMES}.")
    size = int(match[2]) if match[2] else 3 if match[1] == "heisenberg" else 0
    if size < least or (match[1] == "sp" and size % 2) or (match[1] == "heisenberg" and size % 2 == 0):
        raise ValueError(f"{name!r} has no such size: expected {NAMES}, from {match[1]}{least} on.")
    refuse(family_cost(match[1], size))
    return LieAlgebra.from_matrices(family(size), f"{match[1]}{size}")


def free_nilpotent(letters: int, nilpotency_class: int) -> LieAlgebra:
    """Return the free nilpotent Lie algebra, in the Lyndon basis ordered by degree and then lexicographically.

    Args:
        letters: Number of generators.
        nilpotency_class: Largest number of letters of a bracket that does not vanish.

    Raises:
        ValueError: An argument is not an integer >= 1.
        TooExpensive: The algebra is too large, see `theory.cost`.
    """
    check_sizes(letters, nilpotency_class, "nilpotency_class")
    refuse(free_algebra(letters, nilpotency_class))
    words = [word for degree in range(1, nilpotency_class + 1) for word in lyndon_words(letters, degree)]
    index = {word: i for i, word in enumerate(words)}
    constants = np.zeros((len(words),) * 3, np.int64)
    for u, i in index.items():
        for v, j in index.items():
            if len(u) + len(v) <= nilpotency_class:
                for word, c in structure_constants(u, v).items():
                    constants[i, j, index[word]] = c
    return LieAlgebra(constants, name=f"free{letters}_{nilpotency_class}")


def _unit(n: int, i: int, j: int) -> np.ndarray:
    matrix = np.zeros((n, n), np.int64)
    matrix[i, j] = 1
    return matrix


def _gl(n: int) -> list[np.ndarray]:
    return [_unit(n, i, j) for i in range(n) for j in range(n)]


def _so(n: int) -> list[np.ndarray]:
    return [_unit(n, j, i) - _unit(n, i, j) for i in range(n) for j in range(i + 1, n)]


def _sl(n: int) -> list[np.ndarray]:
    off = [_unit(n, i, j) for i in range(n) for j in range(n) if i != j]
    return off + [_unit(n, i, i) - _unit(n, i + 1, i + 1) for i in range(n - 1)]


def _sp(n: int) -> list[np.ndarray]:
    half = n // 2
    blocks = [_unit(n, i, j) - _unit(n, half + j, half + i) for i in range(half) for j in range(half)]
    for i in range(half):
        for j in range(i, half):
            symmetric = 1 if i == j else 0
            blocks.append(_unit(n, i, half + j) + (1 - symmetric) * _unit(n, j, half + i))
            blocks.append(_unit(n, half + i, j) + (1 - symmetric) * _unit(n, half + j, i))
    return blocks


def _heisenberg(dimension: int) -> list[np.ndarray]:
    pairs, size = dimension // 2, dimension // 2 + 2
    x = [_unit(size, 0, 1 + i) for i in range(pairs)]
    y = [_unit(size, 1 + i, size - 1) for i in range(pairs)]
    return [*x, *y, _unit(size, 0, size - 1)]


def _affine(linear: list[np.ndarray], n: int) -> list[np.ndarray]:
    """The linear part with all translations."""
    zero = np.zeros(n, np.int64)
    generators = [affine_matrix(a, zero) for a in linear]
    generators += [affine_matrix(np.zeros((n, n), np.int64), row) for row in np.eye(n, dtype=np.int64)]
    return [generator.astype(np.int64) for generator in generators]


def _triangular(n: int, offset: int) -> list[np.ndarray]:
    return [_unit(n, i, j) for i in range(n) for j in range(i + offset, n)]


def _graded(n: int) -> list[np.ndarray]:
    """D = diag(n, .., 2, 1) and the powers N, .., N^(n-1) of the Jordan block: [D, N^i] = i N^i, and powers commute."""
    jordan = np.eye(n, k=1, dtype=np.int64)
    return [np.diag(np.arange(n, 0, -1)), *(np.linalg.matrix_power(jordan, i) for i in range(1, n))]


_FAMILIES: dict[str, tuple[Callable[[int], list[np.ndarray]], int]] = {
    "abelian": (lambda n: [_unit(n, i, i) for i in range(n)], 1),
    "so": (_so, 2),
    "sl": (_sl, 2),
    "gl": (_gl, 1),
    "sp": (_sp, 2),
    "heisenberg": (_heisenberg, 3),
    "aff": (lambda n: _affine(_gl(n), n), 1),
    "se": (lambda n: _affine(_so(n), n), 2),
    "upper": (lambda n: _triangular(n, 0), 1),
    "strict": (lambda n: _triangular(n, 1), 2),
    "graded": (_graded, 2),
}

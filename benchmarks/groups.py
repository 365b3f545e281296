"""Medians of finite groups beside what they must and should reach: ``python -m benchmarks.groups``.

Every repetition starts from a fresh group, so nothing is remembered from the one before; groups that are called by
name are kept, so the rows build theirs from generators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.rows import Row, table
from theory.groups import FiniteGroup, fourier, group, inverse_fourier
from theory.groups.named import _alternating, _mathieu, _symmetric


def _fresh(generators: list) -> Callable[[], FiniteGroup]:
    return lambda: FiniteGroup.from_permutations(generators)


def _all_irreps(g: FiniteGroup) -> list[np.ndarray]:
    return [irrep.matrices for irrep in g.irreps]


def _from_generators(generators: list) -> list[np.ndarray]:
    return _all_irreps(FiniteGroup.from_permutations(generators))


def _table(generators: list) -> Any:
    return FiniteGroup.from_permutations(generators).character_table


def _ready(name: str) -> tuple[FiniteGroup, np.ndarray]:
    g = group(name)
    values = np.random.default_rng(0).normal(size=g.order)
    fourier(g, values)
    return g, values


def _round_trip(given: tuple[FiniteGroup, np.ndarray]) -> np.ndarray:
    g, values = given
    return inverse_fourier(g, fourier(g, values))


ROWS = [
    Row("all irreps, A5, from permutations", lambda: _alternating(5), _from_generators, 200, 20),
    Row("all irreps, S5, from permutations", lambda: _symmetric(5), _from_generators, 400, 30),
    Row("all irreps, S6, from permutations", lambda: _symmetric(6), _from_generators, 5000, 200),
    Row("all irreps, S6, table given", _fresh(_symmetric(6)), _all_irreps, 5000, 200),
    Row("character table, M11, from permutations", _mathieu, _table, 60_000, 1000, 3),
    Row("Fourier transform, S5", lambda: _ready("S5"), lambda x: fourier(*x), 10, 1, 21),
    Row("Fourier transform, S6", lambda: _ready("S6"), lambda x: fourier(*x), 100, 10, 21),
    Row("transform and inverse, S6", lambda: _ready("S6"), _round_trip, 200, 20, 21),
]


def main() -> None:
    """Print the table."""
    table(ROWS, fresh=True)


if __name__ == "__main__":
    main()

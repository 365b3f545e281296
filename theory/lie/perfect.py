"""The derived and the lower central series of an algebra by its name, where they are known without its structure constants.

Semisimple algebras and the rotations and boosts with all translations are perfect: each is its own commutator. The series of a
direct sum are the sums of the series.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from theory.lie.given import named, summands

__all__ = ["NamedSeries", "named_series", "perfect_dimension"]

_EXCEPTIONAL = {"g2": 14, "f4": 52, "e6": 78, "e7": 133, "e8": 248}
_LONG = {"lorentz": "so3,1", "poincare": "iso3,1"}


class NamedSeries(NamedTuple):
    """The series of an algebra.

    Attributes:
        name: Its name.
        dimension: Its dimension.
        derived: Dimensions of the derived series, the last one twice where it does not reach 0.
        lower_central: Dimensions of the lower central series, likewise.
    """

    name: str
    dimension: int
    derived: tuple[int, ...]
    lower_central: tuple[int, ...]


def named_series(name: str) -> NamedSeries:
    """Return the series of the algebra of a name, or of a direct sum of names, as `theory.lie.named` reads them.

    Raises:
        ValueError: There is no algebra of this name.
        TooExpensive: A summand is not among those that are known to be perfect, and too large, see `theory.cost`.

    >>> named_series("e8"), named_series("so(3,1) x heisenberg").derived
    (NamedSeries(name='e8', dimension=248, derived=(248, 248), lower_central=(248, 248)), (9, 7, 6, 6))
    """
    parts = [_one(part) for part in summands(name)]
    derived, lower = _sum([part.derived for part in parts]), _sum([part.lower_central for part in parts])
    return NamedSeries(" x ".join(part.name for part in parts), derived[0], derived, lower)


def perfect_dimension(name: str) -> int | None:
    """Return the dimension of an algebra that is its own commutator; None for any other name.

    Perfect are so(n) and so(p,q) from n = 3 on, sl(n), su(p,q), sp and usp, the exceptional ones, and iso(p,q) from n = 3 on.

    >>> perfect_dimension("so40"), perfect_dimension("su(2,1)"), perfect_dimension("so2"), perfect_dimension("gl3")
    (780, 8, None, None)
    """
    key = _key(name)
    if key in _EXCEPTIONAL:
        return _EXCEPTIONAL[key]
    match = re.fullmatch(r"(so|sl|sp|su|usp|iso|se)(\d{1,9})(?:,(\d{1,9}))?", key)
    if match is None or (match[3] and match[1] not in ("so", "su", "iso")):
        return None
    n = int(match[2]) + int(match[3] or 0)
    match match[1]:
        case "so":
            return n * (n - 1) // 2 if n >= 3 else None
        case "sl" | "su":
            return n * n - 1 if n >= 2 else None
        case "sp" | "usp":
            return n * (n + 1) // 2 if n >= 2 and n % 2 == 0 else None
    return n * (n + 1) // 2 if n >= 3 else None  # iso(n) and se(n)


def _key(name: str) -> str:
    key = re.sub(r"[\s_()]", "", name.lower())
    return _LONG.get(key, key)


def _one(name: str) -> NamedSeries:
    dimension = perfect_dimension(name)
    if dimension is None:
        found = named(name)
        return NamedSeries(found.name, found.dimension, found.derived_dimensions, found.lower_central_dimensions)
    key = _key(name)
    shown = re.sub(r"^([a-z]+)(\d+,\d+)$", r"\1(\2)", key)
    return NamedSeries(shown, dimension, (dimension, dimension), (dimension, dimension))


def _sum(series: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The dimensions of a direct sum; a series that has ended goes on as it ends."""
    rows = itertools.zip_longest(*series)
    last = [0] * len(series)
    total = []
    for row in rows:
        last = [before if now is None else now for before, now in zip(last, row, strict=True)]
        total.append(sum(last))
    stops = total[-1] and total[-1:] != total[-2:-1]
    return tuple(total + total[-1:] * bool(stops))

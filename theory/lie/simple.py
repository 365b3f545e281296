r"""Simple Lie algebras beyond `theory.lie.named`: unitary and indefinite real forms, and the exceptional ones.

The algebras of matrices keep a form: ``X* J + J X = 0`` with J = diag(1, .., 1, -1, .., -1). A complex matrix ``a + ib`` stands
as the real matrix ``[[a, -b], [b, a]]``, so every entry is an integer.

E6, E7 and E8 come from their root lattice. With a sign :math:`\varepsilon` that is multiplicative in both arguments,
:math:`\varepsilon(\alpha_i, \alpha_i) = -1` and :math:`\varepsilon(\alpha_i, \alpha_j) = -1` along the arrow of an edge,

.. math:: [h, e_\alpha] = (h, \alpha) e_\alpha, \quad [e_\alpha, e_{-\alpha}] = -\alpha, \quad
   [e_\alpha, e_\beta] = \varepsilon(\alpha, \beta) e_{\alpha + \beta}.

F4 and G2 are what a symmetry of the diagrams of E6 and D4 leaves fixed. These are the split real forms.

Source: V. Kac, *Infinite-Dimensional Lie Algebras*, sections 7.8 and 7.9.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

import numpy as np

from theory.cost import refuse
from theory.lie.algebra import LieAlgebra
from theory.lie.cost import structure
from theory.lie.matrices import affine_matrix

__all__ = ["SIMPLE", "simple"]

SIMPLE = (
    "su<n>, su(p,q), u<n>, so(p,q), usp<2n> (compact sp), iso(p,q) (with translations), lorentz, poincare, "
    "g2, f4, e6, e7, e8 (split)"
)


def simple(name: str) -> LieAlgebra | None:
    """The algebra of this name among `SIMPLE`; None for any other name.

    Blanks, underscores and brackets may be left out where a comma tells p and q apart: ``so(3,1)``, ``so3,1`` and ``so_3,1``.

    Raises:
        ValueError: The family has no member of this size.
        TooExpensive: The algebra is too large, see `theory.cost`.

    >>> simple("su3").dimension, simple("so(3,1)").is_semisimple, simple("g2").dimension, simple("f4").dimension
    (8, True, 14, 52)
    >>> simple("poincare").derived_dimensions, simple("upper4") is None
    ((10, 10), True)
    """
    key = re.sub(r"[\s_()]", "", name.lower())
    if key in _EXCEPTIONAL:
        return _exceptional(key)
    key = {"lorentz": "so3,1", "poincare": "iso3,1"}.get(key, key)
    match = re.fullmatch(r"(su|usp|u|iso|so)(\d+)(?:,(\d+))?", key)
    if match is None or (match[1] == "so" and match[3] is None):
        return None
    family, p, q = match[1], int(match[2]), int(match[3] or 0)
    least = 2 if family in ("su", "so", "usp") else 1
    if p + q < least or (family in ("u", "usp") and match[3]) or (family == "usp" and p % 2):
        raise ValueError(f"{name!r} has no such size: expected {SIMPLE}, from {family}{least} on.")
    dimension, rows, make = _FAMILIES[family]
    refuse(structure(dimension(p + q), rows(p + q) ** 2, name))
    sizes = f"{p},{q}" if match[3] else str(p)
    return LieAlgebra.from_matrices(make(p, q), f"{family}({sizes})" if match[3] else f"{family}{sizes}")


def _units(n: int) -> np.ndarray:
    """The matrices with one entry 1, shape (n, n, n, n)."""
    return np.eye(n * n, dtype=np.int64).reshape(n, n, n, n)


def _real(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The complex matrix a + ib as a real one."""
    return np.block([[a, -b], [b, a]])


def _so(p: int, q: int) -> list[np.ndarray]:
    unit, sign = _units(p + q), _signs(p, q)
    return [unit[i, j] - sign[i] * sign[j] * unit[j, i] for i, j in itertools.combinations(range(p + q), 2)]


def _su(p: int, q: int, *, traceless: bool = True) -> list[np.ndarray]:
    n, unit, sign = p + q, _units(p + q), _signs(p, q)
    zero = np.zeros((n, n), np.int64)
    basis = []
    for i, j in itertools.combinations(range(n), 2):
        both = sign[i] * sign[j]
        basis += [_real(unit[i, j] - both * unit[j, i], zero), _real(zero, unit[i, j] + both * unit[j, i])]
    last = n - 1 if traceless else n
    return basis + [_real(zero, unit[i, i] - (unit[i + 1, i + 1] if traceless else 0)) for i in range(last)]


def _usp(n: int, _: int) -> list[np.ndarray]:
    """Quaternionic matrices A + B j with A* = -A and B symmetric, as the complex matrices [[A, B], [-conj B, conj A]]."""
    half, unit = n // 2, _units(n // 2)
    zero = np.zeros((half, half), np.int64)
    basis = []
    for i in range(half):
        for j in range(i, half):
            symmetric = unit[i, j] + (unit[j, i] if i != j else 0)
            if i != j:
                skew = unit[i, j] - unit[j, i]
                basis.append(_real(np.block([[skew, zero], [zero, skew]]), np.zeros((n, n), np.int64)))
            basis.append(_real(np.zeros((n, n), np.int64), np.block([[symmetric, zero], [zero, -symmetric]])))
            basis.append(_real(np.block([[zero, symmetric], [-symmetric, zero]]), np.zeros((n, n), np.int64)))
            basis.append(_real(np.zeros((n, n), np.int64), np.block([[zero, symmetric], [symmetric, zero]])))
    return basis


def _iso(p: int, q: int) -> list[np.ndarray]:
    n = p + q
    moves = [affine_matrix(a, np.zeros(n, np.int64)) for a in _so(p, q)]
    moves += [affine_matrix(np.zeros((n, n), np.int64), row) for row in np.eye(n, dtype=np.int64)]
    return [move.astype(np.int64) for move in moves]


def _signs(p: int, q: int) -> list[int]:
    return [1] * p + [-1] * q


def _exceptional(name: str) -> LieAlgebra:
    arrows, symmetry = _EXCEPTIONAL[name]
    rank = 1 + max(itertools.chain(*arrows))
    number = {"g2": 28, "f4": 78, "e6": 78, "e7": 133, "e8": 248}[name]
    refuse(structure(number, 0, name))
    roots, constants = _simply_laced(rank, arrows)
    found = LieAlgebra(constants, name=name)
    if symmetry is not None:
        moved = {
            i: rank + roots.index(tuple(root[symmetry.index(k)] for k in range(rank))) for i, root in _numbered(roots, rank)
        }
        moved |= dict(enumerate(symmetry))
        found = found.subalgebra(_orbit_sums(moved))
        found.name = name
    return found


def _numbered(roots: Sequence[tuple[int, ...]], rank: int) -> list[tuple[int, tuple[int, ...]]]:
    return list(enumerate(roots, start=rank))


def _orbit_sums(moved: dict[int, int]) -> np.ndarray:
    """The sums of the basis over each orbit of a permutation, which span what it leaves fixed."""
    rows, seen = [], set[int]()
    for start in range(len(moved)):
        row, at = np.zeros(len(moved), np.int64), start
        while at not in seen:
            seen.add(at)
            row[at], at = 1, moved[at]
        rows += [row] if row.any() else []
    return np.array(rows)


def _simply_laced(rank: int, arrows: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """The roots of a diagram in simple roots, and the structure constants: the simple roots first, then an e for each root."""
    sign = np.eye(rank, dtype=np.int64)  # parity of the exponents of -1 in epsilon
    for i, j in arrows:
        sign[i, j] = 1
    form = 2 * np.eye(rank, dtype=np.int64)
    for i, j in arrows:
        form[i, j] = form[j, i] = -1
    roots = _roots(form)
    rows = np.array(roots)
    products, signs = rows @ form @ rows.T, 1 - 2 * (rows @ sign @ rows.T % 2)
    index = {root: rank + k for k, root in enumerate(roots)}
    constants = np.zeros((rank + len(roots),) * 3, np.int64)
    for a, alpha in enumerate(roots):
        for i, product in enumerate((form @ rows[a]).tolist()):
            constants[i, rank + a, rank + a], constants[rank + a, i, rank + a] = product, -product
        for b, beta in enumerate(roots):
            if products[a, b] == -2:
                constants[rank + a, rank + b, :rank] = -rows[a]
            elif products[a, b] == -1:
                total = tuple(x + y for x, y in zip(alpha, beta, strict=True))
                constants[rank + a, rank + b, index[total]] = signs[a, b]
    return roots, constants


def _roots(form: np.ndarray) -> list[tuple[int, ...]]:
    """All roots: what reflections make of the simple ones."""
    found = dict.fromkeys(map(tuple, np.eye(len(form), dtype=int).tolist()))
    queue = list(found)
    for root in queue:  # grows while it is walked
        for i, product in enumerate((form @ np.array(root)).tolist()):
            image = tuple(x - product * (k == i) for k, x in enumerate(root))
            if image not in found:
                found[image] = None
                queue.append(image)
    return queue


_D4 = ((0, 1), (2, 1), (3, 1))  # every edge points to the middle, so the sign has the symmetry of the diagram
_E6 = ((0, 1), (1, 2), (3, 2), (4, 3), (5, 2))
_EXCEPTIONAL: dict[str, tuple[Sequence[tuple[int, int]], Sequence[int] | None]] = {
    "g2": (_D4, (2, 1, 3, 0)),
    "f4": (_E6, (4, 3, 2, 1, 0, 5)),
    "e6": (_E6, None),
    "e7": ((*_E6, (6, 4)), None),
    "e8": ((*_E6, (6, 4), (7, 6)), None),
}
_FAMILIES: dict[str, tuple[Callable[[int], int], Callable[[int], int], Callable[[int, int], list[np.ndarray]]]] = {
    "so": (lambda n: n * (n - 1) // 2, lambda n: n, _so),
    "su": (lambda n: n * n - 1, lambda n: 2 * n, _su),
    "u": (lambda n: n * n, lambda n: 2 * n, lambda p, q: _su(p, q, traceless=False)),
    "usp": (lambda n: n * (n + 1) // 2, lambda n: 2 * n, _usp),
    "iso": (lambda n: n * (n + 1) // 2, lambda n: n + 1, _iso),
}

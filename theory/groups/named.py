"""Finite groups by name, and direct and semidirect products."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from theory.cost import refuse
from theory.groups.closure import table_dtype
from theory.groups.cost import closure, table
from theory.groups.foreign import cycles_of, permutations
from theory.groups.group import FiniteGroup
from theory.groups.spelling import standard_name

__all__ = ["direct_product", "group", "semidirect_product"]

KNOWN = {
    "Cn": "cyclic",
    "Dn": "dihedral of order 2n",
    "Qn": "generalised quaternion of order n, a multiple of 4",
    "Sn": "symmetric",
    "An": "alternating",
    "H3_n": "Heisenberg modulo n, order n^3",
    "SL2_p": "2x2 matrices of determinant 1 modulo a prime",
    "GL2_p": "invertible 2x2 matrices modulo a prime",
    "PSL2_p": "SL2_p modulo its centre, on the p + 1 points of the projective line",
    "M11": "Mathieu's group on 11 points, order 7920",
    "Cn:Cm": "semidirect product",
    "GxH": "direct product",
}


def group(given: str | Sequence | np.ndarray | FiniteGroup | Any) -> FiniteGroup:
    """A finite group by name, from a Cayley table (numpy array) or from permutations (sequence of tuples).

    Permutations may also come in cycles, as text of the points 1, 2, .. (``["(1 2 3)", "(1 2)"]``, or GAP's
    ``"Group((1,2,3),(1,2))"``), or as the Permutation, Cycle and PermutationGroup of sympy; see `theory.groups.foreign`.

    Names: ``C7`` cyclic, ``D4`` dihedral *of the square, order 8* (D_n has order 2n), ``Q8`` quaternions (``Q12``, ``Q16``:
    generalised, of that order), ``S4`` symmetric, ``A5`` alternating, ``H3_3`` Heisenberg modulo 3, ``SL2_3``, ``GL2_3``,
    ``PSL2_7``, ``M11``; ``C3xC3`` direct products; ``C7:C3`` the semidirect product in which the generator of the second
    factor acts as x -> x^r, r the smallest number whose multiplicative order modulo 7 is 3. Other spellings in use (``V4``,
    ``Z5``, ``S_5``, ``SL(2,3)``) are understood, see `theory.groups.spelling`; the group then has the name given here.

    Raises:
        ValueError: The name is unknown (the nearest is suggested), or the family has no group of this size.
        TooExpensive: The table would exceed the limit of `theory.cost`; the name alone decides, before any work.

    >>> [group(name).order for name in ("D4", "A5", "C3xC3", "H3_3", "SL2_3", "C7:C3", "PSL(2,7)")]
    [8, 60, 9, 27, 24, 21, 168]
    """
    if isinstance(given, FiniteGroup):
        return given
    if isinstance(given, np.ndarray):
        return FiniteGroup.from_table(given)
    generators = cycles_of(given) if isinstance(given, str) else permutations(given)
    if generators is not None:
        return FiniteGroup.from_permutations(generators)
    if not isinstance(given, str):
        raise TypeError(
            f"given = {given!r:.80}: expected a name, a Cayley table as a numpy array, a list of permutations, or a group of "
            "permutations of sympy"
        )
    name = standard_name(given)
    refuse(table(name))
    return _named(name)


def direct_product(*factors: FiniteGroup) -> FiniteGroup:
    """The direct product; element ``(a, b)`` of a product of two has the number ``a * |second| + b``."""

    def pair(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        m, n = len(first), len(second)
        table = first[:, None, :, None] * n + second[None, :, None, :]
        return table.reshape(m * n, m * n).astype(table_dtype(m * n))

    refuse(closure(math.prod(f.order for f in factors), 0, "x".join(f.name for f in factors)))
    return FiniteGroup(reduce(pair, (f.table for f in factors)), "x".join(f.name for f in factors), factors=factors)


def semidirect_product(normal: FiniteGroup, acting: FiniteGroup, action: np.ndarray, name: str = "") -> FiniteGroup:
    """The group of pairs with (n, h)(m, k) = (n h(m), hk); pair ``(n, h)`` has the number ``n * |acting| + h``.

    Args:
        normal: The normal factor.
        acting: The factor that acts.
        action: Integer array, ``action[h, m]`` is h(m); shape ``(acting.order, normal.order)``.
        name: Name used in messages.

    Raises:
        ValueError: Some ``action[h]`` is not an automorphism of ``normal``, or h -> action[h] is not a homomorphism.
    """
    action, n, h = np.asarray(action), normal.order, acting.order
    refuse(closure(n * h, 0, name or f"{normal.name}:{acting.name}"))
    if action.shape != (h, n):
        raise ValueError(
            f"the action has shape {action.shape}, expected ({h}, {n}): a permutation of the first factor for each h"
        )
    for k in range(h):
        if sorted(action[k]) != list(range(n)) or (action[k][normal.table] != normal.table[action[k]][:, action[k]]).any():
            raise ValueError(f"action[{k}] is not an automorphism of {normal.name}, so the pairs do not multiply associatively")
    if (action[acting.table] != action[np.arange(h)[:, None, None], action[None, :, :]]).any():
        raise ValueError(f"the action is not a homomorphism from {acting.name}: action[hk] must be action[h] after action[k]")
    first, second = np.divmod(np.arange(n * h), h)
    moved = action[second[:, None], first[None, :]]
    table = normal.table[first[:, None], moved] * h + acting.table[second[:, None], second[None, :]]
    return FiniteGroup(table.astype(table_dtype(n * h)), name or f"{normal.name}:{acting.name}")


@lru_cache
def _named(name: str) -> FiniteGroup:
    parts = name.split("x")
    if len(parts) > 1 and all(parts):
        return direct_product(*map(_named, parts))
    if match := re.fullmatch(r"C(\d+):C(\d+)", name):
        return _metacyclic(int(match[1]), int(match[2]))
    if match := re.fullmatch(r"(PSL2|SL2|GL2|H3)_(\d+)", name):
        return _matrix_group(match[1], int(match[2]))
    if name == "M11":
        return FiniteGroup.from_permutations(_mathieu(), name)
    match = re.fullmatch(r"([A-Z][a-z]*)(\d+)", name)
    family, size = (match[1], int(match[2])) if match else (name, 0)
    makers = {"C": _cyclic, "D": _dihedral, "Q": _quaternion, "S": _symmetric, "A": _alternating}
    if family not in makers or size < 1:
        examples = ["Q8", "S3", "S4", "S5", "A4", "A5", "H3_3", "SL2_3", "C3xC3", "C7:C3", "M11"]
        near = difflib.get_close_matches(name, list(dict.fromkeys([*KNOWN, *examples])), n=2, cutoff=0.3)
        raise ValueError(
            f"no group is named {name!r}; known are {', '.join(KNOWN)}" + (f"; near it: {', '.join(near)}" if near else "")
        )
    return FiniteGroup.from_permutations(makers[family](size), name)


def _cycle(points: int, *cycles: Sequence[int]) -> tuple[int, ...]:
    image = list(range(points))
    for cycle in cycles:
        for i, j in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            image[i] = j
    return tuple(image)


def _cyclic(n: int) -> list:
    return [_cycle(n, range(n))]


def _dihedral(n: int) -> list:
    if n < 3:
        raise ValueError(f"D{n}: a polygon has at least 3 corners; D3 has order 6")
    return [_cycle(n, range(n)), tuple(-i % n for i in range(n))]


def _quaternion(n: int) -> list:
    if n == 8:
        # left multiplication of 1, i, j, k, -1, -i, -j, -k by i and by j
        return [(1, 4, 3, 6, 5, 0, 7, 2), (2, 7, 4, 1, 6, 3, 0, 5)]
    if n % 4 or n < 8:
        raise ValueError(f"Q{n}: a generalised quaternion group has an order that is a multiple of 4, from Q8 on")
    # a of order n/2, b^2 = a^(n/4), b^-1 a b = a^-1; left multiplication of a^i b^e, numbered i + e n/2
    half = n // 2
    a = [*((i + 1) % half for i in range(half)), *(half + (i + 1) % half for i in range(half))]
    b = [*(half + -i % half for i in range(half)), *((n // 4 - i) % half for i in range(half))]
    return [tuple(a), tuple(b)]


def _symmetric(n: int) -> list:
    return [_cycle(n, range(n)), _cycle(n, range(min(n, 2)))]


def _alternating(n: int) -> list:
    return [_cycle(n, (0, 1, i)) for i in range(2, n)] or [tuple(range(n))]


def _mathieu() -> list:
    return [_cycle(11, range(11)), _cycle(11, (2, 6, 10, 7), (3, 9, 4, 5))]


def _moebius(p: int) -> list:
    """Z -> z + 1 and z -> -1/z on 0 ... p - 1 and the point p at infinity."""
    shift = [*((z + 1) % p for z in range(p)), p]
    return [tuple(shift), (p, *(-pow(z, -1, p) % p for z in range(1, p)), 0)]


def _matrix_group(family: str, modulus: int) -> FiniteGroup:
    name = f"{family}_{modulus}"
    if modulus < 2 or (family != "H3" and any(modulus % d == 0 for d in range(2, int(modulus**0.5) + 1))):
        raise ValueError(f"{name}: the number after the underscore must be {'at least 2' if family == 'H3' else 'a prime'}")
    if family == "H3":
        return FiniteGroup.from_matrices([[[1, 1, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 1], [0, 0, 1]]], modulus, name)
    if family == "PSL2":
        return FiniteGroup.from_permutations(_moebius(modulus), name)
    generators = [[[1, 1], [0, 1]], [[1, 0], [1, 1]]]
    if family == "GL2":
        generators.append([[next(r for r in range(1, modulus) if _order(r, modulus) == modulus - 1), 0], [0, 1]])
    return FiniteGroup.from_matrices(generators, modulus, name)


def _metacyclic(n: int, m: int) -> FiniteGroup:
    ratio = next((r for r in range(1, n + 1) if _order(r, n) == m), None)
    if ratio is None:
        raise ValueError(
            f"C{n}:C{m}: no number has multiplicative order {m} modulo {n}, so C{m} does not act faithfully on C{n}; "
            f"for the direct product write C{n}xC{m}, for another action use semidirect_product"
        )
    normal, acting = _named(f"C{n}"), _named(f"C{m}")
    action = [[i * pow(ratio, k, n) % n for i in range(n)] for k in range(m)]
    return semidirect_product(normal, acting, np.array(action), f"C{n}:C{m}")


def _order(r: int, n: int) -> int:
    """Multiplicative order of r modulo n; 0 if r is not invertible."""
    if np.gcd(r, n) != 1:
        return 0
    power, order = r % n, 1
    while power != 1 % n:
        power, order = power * r % n, order + 1
    return order

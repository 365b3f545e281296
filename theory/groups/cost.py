"""Cost estimates of finite groups, from the order that a name implies; see `theory.cost`.

A Cayley table holds order^2 numbers. Each element is also kept as a row of numbers: the points of a permutation or the entries
of a matrix.
"""

from __future__ import annotations

import math
import re

from theory.cost import Estimate

__all__ = ["closure", "order_of_name", "structure", "table"]

_GIB = 2.0**30


def order_of_name(name: str) -> tuple[float, int]:
    """The order of a named group and the length of an element's row; ``(0, 0)`` if the name is unknown.

    The order is infinite if no float holds it.

    >>> order_of_name("S5"), order_of_name("C3xC3"), order_of_name("SL2_3"), order_of_name("C7:C3"), order_of_name("what")
    ((120.0, 5), (9.0, 3), (24.0, 4), (21.0, 7), (0.0, 0))
    """
    parts = [order_of_name(part) for part in name.split("x")] if "x" in name else []
    if parts:
        return math.prod(order for order, _ in parts), max(points for _, points in parts)
    if match := re.fullmatch(r"C(\d+):C(\d+)", name):
        return _real(match[1]) * _real(match[2]), _points(match[1])
    if match := re.fullmatch(r"(PSL2|SL2|GL2|H3)_(\d+)", name):
        p = _real(match[2])
        special = p * (p * p - 1)
        orders = {"PSL2": special / 2 if p > 2 else special, "SL2": special, "GL2": special * (p - 1), "H3": p * p * p}
        return orders[match[1]], {"PSL2": _points(match[2]) + 1, "H3": 9}.get(match[1], 4)
    if name == "M11":
        return 7920.0, 11
    if match := re.fullmatch(r"([CDQSA])(\d+)", name):
        n, points = _real(match[2]), _points(match[2])
        many = math.inf if n > 170 else float(math.factorial(int(n)))
        return {"C": n, "D": 2 * n, "Q": n, "S": many, "A": max(many / 2, 1.0)}[match[1]], points
    return 0.0, 0


def closure(order: float, points: int, name: str = "") -> Estimate:
    """Cost of listing the elements as rows of `points` numbers, and of their table."""
    rows, cells = order * points if points else 0.0, order * order
    work = f"the table of {name or 'a group'} (order {order:.6g}, rows of {points})"
    return Estimate(work, 1e-7 * rows + 2e-8 * cells, (64.0 * rows + 12.0 * cells) / _GIB)


def table(name: str) -> Estimate:
    """Cost of the group of this name; zero for an unknown name."""
    return closure(*order_of_name(name), name)


def structure(order: float, name: str = "") -> Estimate:
    """Cost of the series of a group and of its tower: a few arrays of the size of the table."""
    cells = order * order
    shown = name if len(name) <= 60 else f"{name[:57]}..."
    return Estimate(f"the series of {shown or 'a group'} (order {order:.6g})", 1.5e-7 * cells, 24.0 * cells / _GIB)


def _real(digits: str) -> float:
    return float(digits) if len(digits) < 300 else math.inf


def _points(digits: str) -> int:
    return int(digits[:18])

"""Permutations as others write them: in cycles, as objects of sympy, or counted from 1 as GAP does.

>>> permutations(["(1 2 3)(4 5)", "(1,2)"])
[[1, 2, 0, 4, 3], [1, 0, 2, 3, 4]]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["cycles_of", "permutations"]

_CYCLE = re.compile(r"\(\s*(\d+(?:[\s,]+\d+)*)?\s*\)")
_POINTS = 100_000


def permutations(given: Any) -> list[Any] | None:
    """The generators as lists of images of ``0 .. n-1``; None if there is no sequence of generators.

    Read are a PermutationGroup of sympy, its Permutation and Cycle objects, text in cycles of the points 1, 2, .. as this
    project and GAP print it, and lists of cycles of the points 0, 1, .. as sympy's ``cyclic_form`` has them. Where one of the
    generators comes in such a form, shorter ones fix the further points. Lists of images alone come back as they are.

    Raises:
        ValueError: A text is not in cycles, a point is repeated, or it is no number of a point.
    """
    if _is(given, "PermutationGroup"):
        given = given.generators
    elif _is(given, "Permutation") or _is(given, "Cycle"):
        given = [given]
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        return None
    if not any(_is(each, "Permutation") or _is(each, "Cycle") or isinstance(each, str) or _in_cycles(each) for each in given):
        return list(given)
    images = [_images(each) for each in given]
    points = max(map(len, images), default=1)
    return [image + list(range(len(image), points)) for image in images]


def cycles_of(text: str) -> list[str] | None:
    """The generators in a text such as ``(1,2,3)(4,5),(1,2)`` or GAP's ``Group((1,2,3),(1,2))``; None if it opens otherwise.

    >>> cycles_of("Group((1,2,3)(4,5), (1,2))"), cycles_of("S4")
    (['(1,2,3)(4,5)', '(1,2)'], None)
    """
    found = text.strip()
    if not found.startswith(("(", "Group(")):
        return None
    if found.startswith("Group("):
        found = found.removeprefix("Group(").removesuffix(")").strip().removeprefix("[").removesuffix("]")
    return [each.strip() for each in re.split(r"(?<=\))\s*,\s*(?=\()", found)]


def _is(given: object, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.partition(".")[0] == "sympy" for kind in type(given).__mro__)


def _in_cycles(given: object) -> bool:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        return False
    return all(isinstance(cycle, Sequence) and not isinstance(cycle, str) for cycle in given)


def _images(given: Any) -> list[int]:
    if _is(given, "Permutation"):
        return list(map(int, given.array_form))
    if _is(given, "Cycle"):
        return list(map(int, given.list()))
    if isinstance(given, str):
        text = given.strip()
        if re.fullmatch(rf"(?:{_CYCLE.pattern}\s*)+", text) is None:
            raise ValueError(
                f"{given!r} is no permutation in cycles: expected text such as '(1 2 3)(4 5)', or '()' for the identity"
            )
        if run := re.search(r"\(\s*\d\d+\s*\)", text):
            raise ValueError(f"{given!r} is no permutation in cycles: separate the points of {run[0]} by blanks or commas")
        cycles = [[int(point) - 1 for point in re.findall(r"\d+", cycle[0])] for cycle in _CYCLE.finditer(text)]
        return _moved(cycles, given, "cycles in text count the points from 1; give sympy's objects, or lists, to count from 0")
    if _in_cycles(given):
        return _moved([list(cycle) for cycle in given], given, "cycles in lists count the points from 0, and are disjoint")
    return list(given)


def _moved(cycles: Iterable[list[Any]], given: object, rule: str) -> list[int]:
    """The product of disjoint cycles."""
    points = [point for cycle in cycles for point in cycle]
    whole = all(isinstance(point, int) and not isinstance(point, bool) and 0 <= point < _POINTS for point in points)
    if not whole or len(set(points)) < len(points):
        raise ValueError(f"{given!r:.80} is no permutation in disjoint cycles of at most {_POINTS} points: {rule}")
    image = list(range(max(points, default=-1) + 1))
    for cycle in cycles:
        for here, there in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True):
            image[here] = there
    return image

r"""How many Householder factors a letter needs: the codimension of its fixed space, over the best faithful representation.

A layer H <- A(x) H + b(x), A(x) a product of n factors I - b k k^T, follows products in a group, and its state is a function of
the product. On the differences of the states the letters then act as the group does, and no letter but the identity acts as the
identity: that is a faithful real representation. n factors fix a subspace of codimension n or less, hence so does the letter,
in every irreducible part. Conversely an orthogonal matrix is a product of as many reflections as the codimension of its fixed
space (Cartan, Dieudonne, Scherk). Each head has factors of its own, so heads may hold one irreducible part each, and the number
is that of the part that needs most; a single head holds their sum, and numbers add up.

That the state is a function of the product is needed. Q8 needs 4 factors, for its faithful part has 4 real dimensions and -1
fixes nothing. But Q8 is a quotient of <x, y | x^4 = y^4 = 1, y x = x^-1 y>, which has the faithful parts x -> quarter turn,
y -> reflection, and x -> 1, y -> quarter turn, in two heads of 2 factors. Words of one product end in several states there.

The multiplicity of the eigenvalue 1 is exact, from the character's values on the powers of the letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from theory.bound import GIVEN, Assumption, Bound, Report
from theory.caching import once_per_object
from theory.checks import positive_integer
from theory.cost import Estimate, power, refuse
from theory.groups.characters import characters
from theory.groups.group import FiniteGroup
from theory.groups.named import group as finite_group
from theory.groups.subgroups import generated, restricted
from theory.registry import registered

__all__ = ["RealIrrep", "ReflectionsNeeded", "nearest_factor", "parts", "reflections"]

HEADS = ("several", "one")
TRIED = 20_000  # sets of representations, before a question counts as too expensive


@dataclass(frozen=True)
class RealIrrep:
    """An irreducible real representation.

    Attributes:
        number: Of the complex one that it contains, in ``group.irreps``.
        dimension: Its real dimension.
        kind: "real", "complex" or "quaternionic".
        moved: For each conjugacy class the codimension of the fixed space of its elements.
    """

    number: int
    dimension: int
    kind: str
    moved: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class ReflectionsNeeded(Report):
    """The Householder factors that letters of a group need, and the representation in which so many are enough.

    Attributes:
        name: The group's name.
        number: Factors for each letter.
        parts: The irreducible real parts of the representation, none of which can be left out.
        statement: The answer in a sentence.
        bound: The number with its hypotheses; it refuses to evaluate if a head is too small.
    """

    name: str
    number: int
    parts: tuple[RealIrrep, ...]
    statement: str
    bound: Bound

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The answer in words, and the representation part by part."""
        lines = tuple(f"irrep {part.number}: {part.kind}, {part.dimension} real dimensions" for part in self.parts)
        return {"in words": (self.statement,), "representation": lines or ("none: one element",)}


@registered(subject="NAME")
def reflections(
    target: str | FiniteGroup,
    letters: str | Sequence[int | str] = "all",
    heads: str = "several",
    head_size: int | None = None,
) -> ReflectionsNeeded:
    """Return the Householder factors a letter needs where one layer follows products in a group.

    The number is exact over all faithful representations: the least, over these, of the largest codimension of a letter's fixed
    space. The factors are reflections, whose strength 2 is a limit of DeltaProduct's. If the letters generate no more than a
    subgroup, the number is that of the subgroup, because their products are no other elements.

    Args:
        target: A group, or its name: S3, D4 (of order 8), A5, Q8, C3xC3, ...
        letters: "all" elements, "generators" (of S_n an n-cycle and (1 2), of A_n all (1 2 x)), or a list of elements by number
            or name; a text lists them between commas.
        heads: "several", of which each has factors of its own, or "one".
        head_size: Size of a head; None leaves it open.

    Raises:
        ValueError: There is no such group, element or kind of heads, or `head_size` is not an integer >= 1.
        TooExpensive: The group is too large, or too many sums of representations would have to be tried.

    >>> [reflections(name).bound.at() for name in ("C2", "S3", "S4", "A5", "S5")]
    [1.0, 2.0, 2.0, 2.0, 4.0]
    >>> reflections("D7", letters=["(2 7)(3 6)(4 5)"]).number, reflections("C2xC2", heads="one").number
    (1, 2)
    >>> reflections("Q8", letters=["a"]).number, reflections("C4").number
    (2, 2)
    >>> print(reflections("A5").statement)
    A5: 2 Householder factors a letter, in irrep 1 (3 real dimensions); in no faithful representation do fewer do.
    """
    g = finite_group(target)
    if heads not in HEADS:
        raise ValueError(f"heads = {heads!r}: expected {' or '.join(map(repr, HEADS))}")
    g, used = _generated(g, _letters(g, letters))
    classes = sorted({int(g.class_of[x]) for x in used} - {0})
    every = parts(g)
    number, chosen = _several(every, classes) if heads == "several" else _one(g.name, every, classes)
    size = max((part.dimension for part in chosen), default=0) if heads == "several" else sum(p.dimension for p in chosen)
    where = " and ".join(f"irrep {part.number} ({part.dimension} real dimensions)" for part in chosen)
    each = f", {'a head each' if heads == 'several' else 'in one head'}" * (len(chosen) > 1)
    factors = f"{number} Householder factor{'s' * (number != 1)}"
    statement = f"{g.name}: {factors} a letter, in {where}{each}; in no faithful representation do fewer do."
    assumes = [Assumption(f"the layer's state is a function of the product of the letters ({GIVEN})")]
    if head_size is not None:
        head_size = positive_integer("head_size", head_size, "the size of a head")
        fits = sympy.true if size <= head_size else sympy.false
        assumes.insert(0, Assumption(f"a head of size {head_size} holds the representation of dimension {size}", fits))
    return ReflectionsNeeded(
        g.name,
        number,
        chosen,
        statement if chosen else f"{g.name}: no Householder factor, because there is one element.",
        Bound(
            sympy.Integer(number),
            f"the Householder factors a letter needs in one layer whose state follows products in {g.name}",
            tuple(assumes),
            "derived, for the layer of DeltaProduct, arXiv 2502.10297; reflections after Cartan, Dieudonne and Scherk",
            side="exact",
        ),
    )


@once_per_object
def parts(group: FiniteGroup) -> tuple[RealIrrep, ...]:
    """Return the irreducible real representations but the trivial one, with the codimensions of their fixed spaces.

    >>> [(part.dimension, part.moved) for part in parts(finite_group("S3"))]
    [(1, (0, 1, 0)), (2, (0, 1, 2))]
    """
    found, every = characters(group), []
    orders = [len(powers) for powers in found.powers]
    work = f"the fixed spaces of {len(orders)} classes of {group.name} in as many representations"
    refuse(Estimate(work, 1e-8 * len(orders) * sum(orders), 40.0 * len(orders) ** 2 / 2**30))
    # the multiplicity of 1 is the mean of the character over the powers of an element
    fixed = np.stack(
        [
            found.residues[:, powers].sum(axis=1) % found.field.prime * pow(order, -1, found.field.prime) % found.field.prime
            for powers, order in zip(found.powers, orders, strict=True)
        ],
        axis=1,
    )
    for number in range(1, len(orders)):
        if found.conjugates[number] < number:
            continue
        degree, kind = int(found.degrees[number]), found.kind(number)
        copies = 1 if kind == "real" else 2
        every.append(RealIrrep(number, copies * degree, kind, tuple((copies * (degree - fixed[number])).tolist())))
    return tuple(every)


def nearest_factor(dimension: int, trace: float, cosine: float) -> float:
    r"""Return the square distance of an orthogonal matrix A to the nearest Householder factor, in the Frobenius norm.

    With B = I - b k k^T, |k| = 1: |A - B|^2 = |A - I|^2 + 2 b k^T (A - I) k + b^2, least for b = 1 - k^T A k, which is largest
    for k in the plane of the largest angle. So it is 2 (dimension - tr A) - (1 - cos)^2.

    Args:
        dimension: Size of the matrix.
        trace: Its trace.
        cosine: The least real part of its eigenvalues.

    >>> nearest_factor(3, 1.0, -1.0)  # a reflection is one
    0.0
    """
    return 2 * (dimension - trace) - (1 - cosine) ** 2


def _letters(g: FiniteGroup, letters: str | Sequence[int | str]) -> Sequence[int]:
    if letters in ("all", "generators"):
        return range(g.order) if letters == "all" else g.generators
    if isinstance(letters, str):
        letters = [part.strip() for part in letters.split(",") if part.strip()]
    found = [_element(g, one) for one in letters]
    if not found:
        raise ValueError("letters = []: expected at least one element")
    return found


def _generated(g: FiniteGroup, letters: Sequence[int]) -> tuple[FiniteGroup, Sequence[int]]:
    """The group of all products of the letters, and the letters in it: a layer follows no other elements."""
    inside = generated(g, letters)
    if len(inside) == g.order:
        return g, letters
    within = FiniteGroup.from_table(restricted(g, inside).table, f"the subgroup of order {len(inside)} of {g.name}")
    return within, np.searchsorted(inside, letters).tolist()


def _element(g: FiniteGroup, given: Any) -> int:
    if isinstance(given, str) and given in g.names:
        return g.names.index(given)
    if isinstance(given, str) and given.isdecimal():
        given = int(given)
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and 0 <= given < g.order:
        return int(given)
    raise ValueError(
        f"{given!r:.80} is no element of {g.name}: expected a number in 0 .. {g.order - 1}, or a name such as "
        f"{', '.join(g.names[:4])}"
    )


def _most(part: RealIrrep, classes: Sequence[int]) -> int:
    return max((part.moved[c] for c in classes), default=0)


def _faithful(chosen: Sequence[RealIrrep]) -> bool:
    """Whether no class but that of the identity is fixed by all of them."""
    return not chosen or bool(np.any([part.moved[1:] for part in chosen], axis=0).all())


def _several(every: Sequence[RealIrrep], classes: Sequence[int]) -> tuple[int, tuple[RealIrrep, ...]]:
    """The least number such that the parts that need no more are faithful together, and parts that are, the smallest first."""
    for number in sorted({_most(part, classes) for part in every}):
        usable = [part for part in every if _most(part, classes) <= number]
        if _faithful(usable):
            return number, _irredundant(sorted(usable, key=lambda part: part.dimension))
    return 0, ()


def _irredundant(usable: list[RealIrrep]) -> tuple[RealIrrep, ...]:
    """One faithful part, the smallest; else a faithful set from which none can be left out, small parts preferred."""
    for part in usable:
        if _faithful([part]):
            return (part,)
    chosen = list(usable)
    for part in reversed(usable):
        rest = [other for other in chosen if other is not part]
        if rest and _faithful(rest):
            chosen = rest
    return tuple(chosen)


def _one(name: str, every: Sequence[RealIrrep], classes: Sequence[int]) -> tuple[int, tuple[RealIrrep, ...]]:
    """The least largest sum of codimensions over faithful sets of parts: every set that branches on what is still fixed."""
    best: list[Any] = [float("inf"), ()]
    ordered, tried = sorted(every, key=lambda part: _most(part, classes)), 0

    def extend(chosen: tuple[RealIrrep, ...], moved: np.ndarray) -> None:
        nonlocal tried
        if (tried := tried + 1) > TRIED:
            refuse(
                Estimate(f"the sums of representations of {name} ({len(every)} irreducible ones)", power(2, len(every)) / 1e3)
            )
        if (most := int(moved[list(classes)].max(initial=0))) >= best[0]:
            return
        fixed = np.flatnonzero(moved[1:] == 0) + 1
        if not len(fixed):
            best[:] = most, chosen
            return
        for part in ordered:
            if part.moved[fixed[0]]:
                extend((*chosen, part), moved + np.asarray(part.moved))

    if every:
        extend((), np.zeros(len(every[0].moved), int))
    return (int(best[0]), best[1]) if every else (0, ())

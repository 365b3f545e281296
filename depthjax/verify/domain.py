"""The domain of a claim: the set that its statement quantifies over, as data with a way to draw from it.

Whoever says "every order from 3 to 64" draws an order. Beside the chosen cells of a grid a run judges cells that its seed draws
from the domain, so that a statement is no wider than what it was tried on.
"""

import dataclasses
import random
from collections.abc import Callable, Mapping
from typing import Any

from depthjax.verify.grid import SIZES, Grid

DRAWN = {"test": 1, "quick": 2, "full": 16, "paper": 16}
TRIES = 400  # draws for a cell before the domain counts as exhausted, or as empty

Draw = Callable[[random.Random], Any]


@dataclasses.dataclass(frozen=True)
class Values:
    """What one field of a claim's ``Sizes`` may be.

    Attributes:
        words: For people: "every whole number from 1 to 9".
        draw: The source of randomness -> a value: a number, a text, or a tuple of these.
        within: Size -> what is drawn at this size and at smaller ones, where that is less.

    >>> whole(3, 64, quick=12).words
    'every whole number from 3 to 64'
    """

    words: str
    draw: Draw
    within: Mapping[str, "Values"] = dataclasses.field(default_factory=dict)

    def at(self, size: str) -> "Values":
        """Return what is drawn at a size: the limit of the first of this and the larger sizes that has one."""
        larger = SIZES[SIZES.index(size) :]
        return next((self.within[name] for name in larger if name in self.within), self)


def whole(low: int, high: int, *, step: int = 1, **highest: int) -> Values:
    """Return the whole numbers from ``low`` to ``high``, both among them, each as likely as another.

    Args:
        low: The smallest one.
        high: The largest one, at full size.
        step: Distance of neighbours; 2 for the odd numbers from an odd one on.
        highest: The largest one at smaller sizes, such as ``quick=12``.

    Raises:
        ValueError: the range is empty, or there is no such size.

    >>> whole(3, 9, step=2).words
    'every whole number from 3 to 9 in steps of 2'
    """
    for name, most in {"full": high, **highest}.items():
        if most < low:
            raise ValueError(f"there is no whole number from {low} to {most} ({name})")
    steps = f" in steps of {step}" if step > 1 else ""
    within = {name: whole(low, most, step=step) for name, most in _sizes(highest).items()}
    return Values(
        f"every whole number from {low} to {high}{steps}", lambda source: source.randrange(low, high + 1, step), within
    )


def real(low: float, high: float, *, digits: int = 3) -> Values:
    """Return the numbers from ``low`` to ``high``, drawn uniformly and rounded to some significant digits.

    >>> real(0.5, 2.0).words
    'every number from 0.5 to 2'
    """
    return Values(f"every number from {low:g} to {high:g}", lambda source: float(f"{source.uniform(low, high):.{digits}g}"))


def among(*values: Any, **fewer: tuple) -> Values:
    """Return listed values, each as likely as another.

    Args:
        values: All of them.
        fewer: Those that are drawn at smaller sizes, such as ``quick=("S3", "D4")``.

    >>> among("S3", "D4").words
    'one of S3, D4'
    """
    if not values:
        raise ValueError("among() needs at least one value")
    within = {name: among(*some) for name, some in _sizes(fewer).items()}
    return Values(f"one of {', '.join(map(str, values))}", lambda source: source.choice(values), within)


def drawn(draw: Draw, words: str, **within: Values) -> Values:
    """Return values that a function draws, with the words for all of them.

    >>> drawn(lambda source: source.getrandbits(32), "every automaton of 3 states").words
    'every automaton of 3 states'
    """
    return Values(words, draw, _sizes(within))


@dataclasses.dataclass(frozen=True)
class Domain:
    """The set that a claim's statement quantifies over; made by `domain` or `listed`.

    Attributes:
        fields: Field of the claim's ``Sizes`` -> what it may be. Axes that have no entry keep the values of the grid.
        where: Words of a condition -> whether a cell meets it.
        counts: Size -> how many cells are drawn.
        words: What the domain is where words say it better, or why it is a list.

    >>> domain(degree=whole(1, 9)).sentences()
    ['degree: every whole number from 1 to 9']
    """

    fields: Mapping[str, Values]
    where: Mapping[str, Callable[[Any], bool]] = dataclasses.field(default_factory=dict)
    counts: Mapping[str, int] = dataclasses.field(default_factory=lambda: dict(DRAWN))
    words: str = ""

    @property
    def listed(self) -> bool:
        """Whether the chosen cells are the whole domain."""
        return not self.fields

    def sentences(self) -> list[str]:
        """Return the domain in words: a line for the whole, one for each field, one for each condition."""
        fields = [f"{name.replace('_', ' ')}: {values.words}" for name, values in self.fields.items()]
        return [*([self.words] if self.words else []), *fields, *(f"where {words}" for words in self.where)]

    def cells(self, grid: Grid, size: str, source: str) -> tuple[Any, ...]:
        """Return cells that are drawn for a grid, none of them a chosen one and no two alike.

        Fewer are returned where the domain has no more.

        Args:
            grid: Supplies the fields that are not drawn.
            size: Of the grid.
            source: A text from which all draws follow.

        Raises:
            TypeError: the domain names a field that the grid does not have.
            ValueError: no cell meets the conditions of the domain.
        """
        known = {field.name for field in dataclasses.fields(grid)}
        if strange := sorted(self.fields.keys() - known):
            raise TypeError(f"the domain has {strange[0]!r}, which is no field of the grid: it has {', '.join(sorted(known))}")
        chosen, found = grid.cells(), []
        taken, outside, met = set(map(_values, chosen)), "", False
        randomness = random.Random(source)
        for _ in range(self.counts.get(size, 0) if self.fields and chosen else 0):
            for _ in range(TRIES):
                base = randomness.choice(chosen)
                cell = base.at(**{name: values.at(size).draw(randomness) for name, values in self.fields.items()})
                outside = self._outside(cell)
                met |= not outside
                if not outside and _values(cell) not in taken:
                    break
            else:
                if not met:
                    raise ValueError(f"none of {TRIES} draws from the domain is a cell where {outside} (the last: {cell.name})")
                break
            taken.add(_values(cell))
            found.append(cell)
        return tuple(found)

    def _outside(self, cell: Grid) -> str:
        """The first condition that a cell does not meet, in words."""
        if not cell.allows():
            return "the grid allows it"
        return next((words for words, meets in self.where.items() if not meets(cell)), "")


def domain(
    words: str = "",
    *,
    where: Mapping[str, Callable[[Any], bool]] | None = None,
    counts: Mapping[str, int] | None = None,
    **fields: Values,
) -> Domain:
    """Return the set that a claim's statement quantifies over.

    Args:
        words: What the set is where words say it better than the fields.
        where: Words of a condition -> whether a cell meets it, such as ``{"the order is odd": lambda cell: cell.order % 2}``.
        counts: Size -> cells that a run draws, where it is not `DRAWN`.
        fields: Field of the claim's ``Sizes`` -> what it may be.

    Raises:
        TypeError: no field varies; a domain that is a list is `listed`.
        ValueError: there is no such size.

    >>> from depthjax.verify import Grid, axis
    >>> @dataclasses.dataclass(frozen=True)
    ... class Sizes(Grid):
    ...     letters: int = axis(2, 3)
    ...     layers: int = 2
    >>> [cell.name for cell in domain(layers=whole(1, 9)).cells(Sizes(), "quick", "any text")]
    ['letters=2,layers=9', 'letters=2,layers=7']
    """
    if not fields:
        raise TypeError(
            "no field of the domain varies: name one, as in domain(order=whole(3, 64)), or say why it is listed(...)"
        )
    return Domain(fields, dict(where or {}), {**DRAWN, **_sizes(counts or {})}, words)


def listed(why: str) -> Domain:
    """Return the domain of a claim that speaks of its chosen cells alone, with the reason why.

    >>> listed("the orders listed: each takes a search of hours").sentences()
    ['the orders listed: each takes a search of hours']
    """
    return Domain({}, words=why)


def _sizes(given: Mapping[str, Any]) -> Mapping[str, Any]:
    if strange := sorted(given.keys() - set(SIZES)):
        raise ValueError(f"there is no size {strange[0]!r}; there are {', '.join(SIZES)}")
    return given


def _values(cell: Grid) -> tuple:
    return dataclasses.astuple(cell)

r"""Formulas of linear temporal logic, strict since and until, and of temporal logic with counting.

A word w of length n has positions 1 .. n (index 0 .. n - 1 in arrays); a formula is true or false at each of them:

    a                  the letter there is a                       !f, f & g, f | g     as always
    f S g (since)      some j < i has g, and f holds at every k with j < k < i
    f U g (until)      some j > i has g, and f holds at every k with i < k < j
    c1 #[f] + c2 #>[g] >= b     a comparison of counts: #[f] of the positions j <= i, #>[f] of those j >= i, where f holds

Since and until are *strict*: position i itself is not looked at. The usual operators are special cases:

    Y f = false S f (yesterday)    P f = true S f (once before)    H f = !P !f (always before)
    X f = false U f (tomorrow)     F f = true U f (once after)     G f = !F !f (always after)

The *depth* is how deep temporal operators and counts are nested; Boolean operators cost nothing. Formulas are immutable and
hashable, and share their parts: a directed acyclic graph of thousands of nodes is fine.

Sources: Kamp's thesis (1968) for since and until; Yang, Chiang, Angluin, arXiv 2310.13897 (strict form); Yang, Cadilhac,
Chiang, arXiv 2506.16055 (counts).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import cached_property

__all__ = ["FALSE", "TRUE", "And", "AtLeast", "Atom", "Count", "Formula", "Not", "Or", "Since", "Truth", "Until"]
__all__ += ["all_of", "always_after", "always_before", "any_of", "once_after", "once_before", "tomorrow", "yesterday"]


class Formula:
    """A formula; ``&``, ``|``, ``~`` and ``>>`` (implies) combine formulas, ``str`` prints what ``parse`` reads.

    >>> f = Since(Atom("a"), Atom("b")) & ~Atom("a")
    >>> print(f), f.depth, f.letters
    a S b & !a
    (None, 1, ('a', 'b'))
    """

    @property
    def children(self) -> tuple[Formula, ...]:
        """The formulas that this one is made of directly."""
        return ()

    @property
    def is_temporal(self) -> bool:
        """Whether it looks at other positions: a since, an until or a comparison of counts."""
        return False

    @cached_property
    def depth(self) -> int:
        """How deep temporal operators and counts are nested."""
        return int(self.is_temporal) + max((child.depth for child in self.children), default=0)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The letters that occur, sorted."""
        own = {self.letter} if isinstance(self, Atom) else set()
        return tuple(sorted(own.union(*(part.letters for part in self.children))))

    def subformulas(self) -> tuple[Formula, ...]:
        """Every different part once, parts before what they are part of; the last one is the formula itself."""
        found: dict[Formula, None] = {}
        stack: list[tuple[Formula, bool]] = [(self, False)]
        while stack:
            formula, ready = stack.pop()
            if formula in found:
                continue
            if ready:
                found[formula] = None
            else:
                stack.append((formula, True))
                stack += [(child, False) for child in reversed(formula.children)]
        return tuple(found)

    @property
    def size(self) -> int:
        """The number of different parts."""
        return len(self.subformulas())

    @property
    def looks_ahead(self) -> bool:
        """Whether some part speaks of later positions."""
        return any(
            isinstance(part, Until) or (isinstance(part, AtLeast) and any(count.ahead for count in part.counts))
            for part in self.subformulas()
        )

    @property
    def counts_positions(self) -> bool:
        """Whether some part compares counts: such a language need not be regular."""
        return any(isinstance(part, AtLeast) for part in self.subformulas())

    def __and__(self, other: Formula) -> Formula:
        return And((self, other))

    def __or__(self, other: Formula) -> Formula:
        return Or((self, other))

    def __invert__(self) -> Formula:
        return Not(self)

    def __rshift__(self, other: Formula) -> Formula:
        return Or((Not(self), other))

    def __str__(self) -> str:
        from theory.logic.syntax import show

        return show(self)

    @cached_property
    def _hash(self) -> int:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return hash((type(self).__name__, *(getattr(self, field.name) for field in fields)))

    def __hash__(self) -> int:
        return self._hash  # of each node once: a shared part is not walked again


@dataclasses.dataclass(frozen=True)
class Atom(Formula):
    """The letter at the position."""

    letter: str
    __hash__ = Formula.__hash__


@dataclasses.dataclass(frozen=True)
class Truth(Formula):
    """True or false everywhere."""

    value: bool
    __hash__ = Formula.__hash__


TRUE, FALSE = Truth(True), Truth(False)


@dataclasses.dataclass(frozen=True)
class Not(Formula):
    """Not `of`."""

    of: Formula
    __hash__ = Formula.__hash__

    @property
    def children(self) -> tuple[Formula, ...]:
        """What is negated."""
        return (self.of,)


@dataclasses.dataclass(frozen=True)
class _Several(Formula):
    parts: tuple[Formula, ...]
    __hash__ = Formula.__hash__

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise ValueError(f"{type(self).__name__} joins at least two formulas, got {len(self.parts)}: use all_of or any_of")

    @property
    def children(self) -> tuple[Formula, ...]:
        """The formulas that are joined."""
        return self.parts


@dataclasses.dataclass(frozen=True)
class And(_Several):
    """All of two or more parts."""

    __hash__ = Formula.__hash__


@dataclasses.dataclass(frozen=True)
class Or(_Several):
    """One at least of two or more parts."""

    __hash__ = Formula.__hash__


@dataclasses.dataclass(frozen=True)
class _Binary(Formula):
    left: Formula
    right: Formula
    __hash__ = Formula.__hash__

    @property
    def children(self) -> tuple[Formula, ...]:
        """Left and right."""
        return (self.left, self.right)

    @property
    def is_temporal(self) -> bool:
        """Yes."""
        return True


@dataclasses.dataclass(frozen=True)
class Since(_Binary):
    """`right` held at an earlier position, and `left` at every one since, both ends excluded."""

    __hash__ = Formula.__hash__


@dataclasses.dataclass(frozen=True)
class Until(_Binary):
    """`right` will hold at a later position, and `left` at every one until then, both ends excluded."""

    __hash__ = Formula.__hash__


@dataclasses.dataclass(frozen=True)
class Count:
    """`factor` times the number of positions up to here, this one included, where `of` holds; from here on if `ahead`."""

    factor: int
    of: Formula
    ahead: bool = False


@dataclasses.dataclass(frozen=True)
class AtLeast(Formula):
    """A sum of counts is at least `bound`."""

    counts: tuple[Count, ...]
    bound: int
    __hash__ = Formula.__hash__

    def __post_init__(self) -> None:
        if not self.counts:
            raise ValueError("a comparison of counts needs at least one count")

    @property
    def children(self) -> tuple[Formula, ...]:
        """What is counted."""
        return tuple(count.of for count in self.counts)

    @property
    def is_temporal(self) -> bool:
        """Yes."""
        return True


def all_of(parts: Iterable[Formula]) -> Formula:
    """The conjunction of any number of formulas, with constants and repetitions left out."""
    return _joined(And, parts, neutral=TRUE)


def any_of(parts: Iterable[Formula]) -> Formula:
    """The disjunction of any number of formulas, with constants and repetitions left out."""
    return _joined(Or, parts, neutral=FALSE)


def _joined(kind: type[And] | type[Or], parts: Iterable[Formula], neutral: Truth) -> Formula:
    kept = tuple(dict.fromkeys(part for part in parts if part != neutral))
    if any(isinstance(part, Truth) for part in kept):
        return FALSE if neutral.value else TRUE
    return kind(kept) if len(kept) > 1 else kept[0] if kept else neutral


def yesterday(of: Formula) -> Formula:
    """Y: there is a position before, and it holds there."""
    return Since(FALSE, of)


def once_before(of: Formula) -> Formula:
    """P: it held at some earlier position."""
    return Since(TRUE, of)


def always_before(of: Formula) -> Formula:
    """H: it held at every earlier position."""
    return Not(Since(TRUE, Not(of)))


def tomorrow(of: Formula) -> Formula:
    """X: there is a next position, and it holds there."""
    return Until(FALSE, of)


def once_after(of: Formula) -> Formula:
    """F: it will hold at some later position."""
    return Until(TRUE, of)


def always_after(of: Formula) -> Formula:
    """G: it will hold at every later position."""
    return Not(Until(TRUE, Not(of)))

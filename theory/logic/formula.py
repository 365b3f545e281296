r"""Formulas of linear temporal logic, strict since and until, and of temporal logic with counting.

A word w of length n has positions 1 .. n (index 0 .. n - 1 in arrays); a formula is true or false at each of them:

    a                  the letter there is a                       !f, f & g, f | g     not, and, or
    f S g (since)      g holds at some j < i, and f at every k with j < k < i
    f U g (until)      g holds at some j > i, and f at every k with i < k < j
    c1 #[f] + c2 #>[g] >= b     a comparison of counts: #[f] counts the positions j <= i where f holds, #>[f] those j >= i

Since and until are *strict*: they do not look at position i. The usual operators are special cases (`theory.logic.operators`):

    Y f = false S f (yesterday)    P f = true S f (once before)    H f = !P !f (always before)
    X f = false U f (tomorrow)     F f = true U f (once after)     G f = !F !f (always after)

The *depth* is the nesting depth of temporal operators and counts; Boolean operators cost nothing. Formulas are immutable and
hashable, and share their parts: a directed acyclic graph of thousands of nodes is fine.

Sources: Kamp's thesis (1968) for since and until; Yang, Chiang, Angluin, arXiv 2310.13897 (strict form); Yang, Cadilhac,
Chiang, arXiv 2506.16055 (counts).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from theory.facts import fact
from theory.logic.dialects import WORDS
from theory.logic.truth import at_least, evaluate, since

__all__ = ["FALSE", "TRUE", "And", "AtLeast", "Atom", "Count", "Formula", "Not", "Or", "Since", "Truth", "Until", "show"]


class Formula:
    """A formula. ``&``, ``|``, ``~`` and ``>>`` (implies) combine formulas; ``str`` prints the text that ``parse`` reads.

    >>> f = Since(Atom("a"), Atom("b")) & ~Atom("a")
    >>> print(f), f.depth, f.letters
    a S b & !a
    (None, 1, ('a', 'b'))
    """

    is_temporal = False
    """Whether the formula looks at other positions: a since, an until or a comparison of counts."""

    @cached_property
    def children(self) -> tuple[Formula, ...]:
        """The direct parts of the formula."""
        values = [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        flat = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
        return tuple(part for part in flat if isinstance(part, Formula))

    @cached_property
    def depth(self) -> int:
        """Nesting depth of temporal operators and counts."""
        return int(self.is_temporal) + max((child.depth for child in self.children), default=0)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The letters that occur, sorted."""
        own = {self.letter} if isinstance(self, Atom) else set()
        return tuple(sorted(own.union(*(part.letters for part in self.children))))

    @fact
    def subformulas(self) -> tuple[Formula, ...]:
        """Every different part once, each after its own parts; the formula itself comes last."""
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
        """Number of different parts."""
        return len(self.subformulas)

    @property
    def counts_positions(self) -> bool:
        """Whether some part compares counts; the language of such a formula need not be regular."""
        return any(isinstance(part, AtLeast) for part in self.subformulas)

    def evaluate(self, words: np.ndarray | Sequence, letters: str | Sequence[str] | None = None) -> np.ndarray:
        """The truth at every position of words of one length, see `theory.logic.truth.evaluate`.

        >>> Since(Atom("a"), Atom("b")).evaluate(["bba"]).tolist()
        [[False, True, True]]
        """
        return evaluate(self, words, letters)

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """The truth from that of the children: bool array of the shape of `words`, (length, words), indices of letters."""
        raise TypeError(f"{self!r} is not a formula")

    def __and__(self, other: Formula) -> Formula:
        return And((self, other))

    def __or__(self, other: Formula) -> Formula:
        return Or((self, other))

    def __invert__(self) -> Formula:
        return Not(self)

    def __rshift__(self, other: Formula) -> Formula:
        return Or((Not(self), other))

    def __str__(self) -> str:
        return show(self)

    @cached_property
    def _hash(self) -> int:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return hash((type(self).__name__, *(getattr(self, field.name) for field in fields)))

    def __hash__(self) -> int:
        return self._hash  # computed once for each node, so a shared part is not walked again


@dataclasses.dataclass(frozen=True)
class Atom(Formula):
    """The letter at the position."""

    letter: str
    __hash__ = Formula.__hash__

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return words == alphabet.index(self.letter)


@dataclasses.dataclass(frozen=True)
class Truth(Formula):
    """True or false everywhere."""

    value: bool
    __hash__ = Formula.__hash__

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return np.full(words.shape, self.value)


TRUE, FALSE = Truth(True), Truth(False)


@dataclasses.dataclass(frozen=True)
class Not(Formula):
    """The negation of `of`."""

    of: Formula
    __hash__ = Formula.__hash__

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return ~parts[self.of]


@dataclasses.dataclass(frozen=True)
class _Several(Formula):
    parts: tuple[Formula, ...]
    __hash__ = Formula.__hash__

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise ValueError(f"{type(self).__name__} joins at least two formulas, got {len(self.parts)}: use all_of or any_of")


@dataclasses.dataclass(frozen=True)
class And(_Several):
    """The conjunction of two or more parts."""

    __hash__ = Formula.__hash__

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return np.logical_and.reduce([parts[part] for part in self.parts])


@dataclasses.dataclass(frozen=True)
class Or(_Several):
    """The disjunction of two or more parts."""

    __hash__ = Formula.__hash__

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return np.logical_or.reduce([parts[part] for part in self.parts])


@dataclasses.dataclass(frozen=True)
class _Binary(Formula):
    left: Formula
    right: Formula
    is_temporal = True
    __hash__ = Formula.__hash__


@dataclasses.dataclass(frozen=True)
class Since(_Binary):
    """`right` held at an earlier position, and `left` at every position since then, both ends excluded."""

    __hash__ = Formula.__hash__

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return since(parts[self.left], parts[self.right])


@dataclasses.dataclass(frozen=True)
class Until(_Binary):
    """`right` will hold at a later position, and `left` at every position until then, both ends excluded."""

    __hash__ = Formula.__hash__

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return since(parts[self.left][::-1], parts[self.right][::-1])[::-1]


@dataclasses.dataclass(frozen=True)
class Count:
    """`factor` times the number of positions where `of` holds, up to here (inclusive), or from here on if `ahead`."""

    factor: int
    of: Formula
    ahead: bool = False


@dataclasses.dataclass(frozen=True)
class AtLeast(Formula):
    """A sum of counts is at least `bound`."""

    counts: tuple[Count, ...]
    bound: int
    is_temporal = True
    __hash__ = Formula.__hash__

    def __post_init__(self) -> None:
        if not self.counts:
            raise ValueError("a comparison of counts needs at least one count")

    @cached_property
    def children(self) -> tuple[Formula, ...]:
        """The counted formulas."""
        return tuple(count.of for count in self.counts)

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return at_least([(count.factor, count.ahead, parts[count.of]) for count in self.counts], self.bound)


def show(formula: Formula) -> str:
    """The shortest text that ``parse`` reads back as the same formula.

    A formula that shares parts is printed as a tree, so its text may be far longer than its size.

    >>> show(Not(Since(TRUE, Atom("a") | Not(Atom("b")))) & Until(FALSE, Atom("c")))
    '!P (a | !b) & X c'
    """
    return _text(formula, 0)


def _text(formula: Formula, outer: int) -> str:
    """The text of a formula inside an operator of strength `outer`: | has 1, & has 2, S and U have 3, prefixes have 4."""
    match formula:
        case Atom(letter):
            plain = re.fullmatch("[a-z0-9][a-z0-9_]*", letter) and letter not in ("true", "false", *WORDS)
            return letter if plain else f"'{letter}'"
        case Truth(value):
            return "true" if value else "false"
        case Not(Since(Truth(True), Not(of))):
            return f"H {_text(of, 4)}"
        case Not(Until(Truth(True), Not(of))):
            return f"G {_text(of, 4)}"
        case Not(of):
            return f"!{_text(of, 4)}"
        case Since(Truth(value), of):
            return f"{'P' if value else 'Y'} {_text(of, 4)}"
        case Until(Truth(value), of):
            return f"{'F' if value else 'X'} {_text(of, 4)}"
        case And(parts):
            return _bracketed(" & ".join(_text(part, 3) for part in parts), outer > 2)
        case Or(parts):
            return _bracketed(" | ".join(_text(part, 2) for part in parts), outer > 1)
        case Since(left, right) | Until(left, right):
            operator = "S" if isinstance(formula, Since) else "U"
            return _bracketed(f"{_text(left, 4)} {operator} {_text(right, 3)}", outer > 3)
        case AtLeast(counts, bound):
            first, *others = (_term(count) for count in counts)
            lead = first.removeprefix("+ ") if first.startswith("+ ") else f"-{first.removeprefix('- ')}"
            text = " ".join([lead, *others])
            return _bracketed(f"{text} >= {bound}", outer > 3)
    raise TypeError(f"{formula!r} is not a formula")


def _term(count: Count) -> str:
    factor = abs(count.factor)
    sign, times = "-" if count.factor < 0 else "+", "" if factor == 1 else f"{factor} "
    return f"{sign} {times}{'#>' if count.ahead else '#'}[{_text(count.of, 0)}]"


def _bracketed(text: str, needed: bool) -> str:
    return f"({text})" if needed else text

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
hashable, and share their parts: a directed acyclic graph of thousands of nodes is fine, in a chain too.

Sources: Kamp's thesis (1968) for since and until; Yang, Chiang, Angluin, arXiv 2310.13897 (strict form); Yang, Cadilhac,
Chiang, arXiv 2506.16055 (counts).
"""

from __future__ import annotations

import dataclasses
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from theory.facts import fact
from theory.logic.dialects import WORDS
from theory.logic.truth import at_least, evaluate, since

__all__ = ["FALSE", "TRUE", "And", "AtLeast", "Atom", "Count", "Formula", "Not", "Or", "Since", "Truth", "Until"]
__all__ += ["shortened", "show"]

_SHALLOW = 64  # levels that pickle and copy walk by recursion


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
        self._settle("depth")
        return int(self.is_temporal) + max((child.depth for child in self.children), default=0)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The letters that occur, sorted."""
        self._settle("letters")
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

    def __repr__(self) -> str:
        return _unrolled(self, _constructor) if dataclasses.is_dataclass(self) else object.__repr__(self)

    @cached_property
    def _hash(self) -> int:
        self._settle("_hash")
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return hash((type(self).__name__, *(getattr(self, field.name) for field in fields)))

    def __hash__(self) -> int:
        return self._hash  # computed once for each node, so a shared part is not walked again

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Formula):
            return NotImplemented
        if type(self) is not type(other):
            return False
        pairs: list[tuple[Formula, Formula]] = [(self, other)]
        seen = set[tuple[int, int]]()
        while pairs:
            a, b = pairs.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            if type(a) is not type(b) or a._hash != b._hash or a._shape != b._shape:
                return False
            seen.add((id(a), id(b)))
            pairs += zip(a.children, b.children, strict=True)
        return True

    def __reduce__(self) -> tuple:
        # without what is cached: the hash of a text differs from process to process
        if self._height <= _SHALLOW:
            return type(self), tuple(getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        place = {part: number for number, part in enumerate(self.subformulas)}
        return _rebuilt, tuple((type(part), part._shape, [place[child] for child in part.children]) for part in place)

    @cached_property
    def _height(self) -> int:
        self._settle("_height")
        return 1 + max((child._height for child in self.children), default=0)

    @cached_property
    def _shape(self) -> tuple:
        """The fields, with the class `Formula` where a part stands."""
        return tuple(_map_parts(getattr(self, field.name), lambda _: Formula) for field in dataclasses.fields(self))  # type: ignore[arg-type]

    def _settle(self, name: str) -> None:
        """Compute a cached property of all parts, each after its own parts, so that no question recurses through all levels."""
        waiting = [self]
        while waiting:
            last = waiting[-1]
            if missing := [child for child in last.children if name not in vars(child)]:
                waiting += missing
            elif waiting.pop() is not self:
                getattr(last, name)


def _check_parts(formula: Formula, *parts: object) -> None:
    if wrong := [part for part in parts if not isinstance(part, Formula)]:
        raise TypeError(
            f"{type(formula).__name__} was given {wrong[0]!r:.60}: expected a formula, such as Atom('a') or parse('a S b')."
        )


def _listed(formula: Formula, parts: Any) -> tuple:
    if isinstance(parts, (str, Formula, Count)) or not isinstance(parts, Iterable):
        raise TypeError(f"{type(formula).__name__} was given a {type(parts).__name__}: expected its parts in a tuple.")
    return tuple(parts)


def _integer(name: str, number: Any) -> int:
    if isinstance(number, (bool, np.bool_)) or not hasattr(number, "__index__"):
        raise TypeError(f"{name} = {number!r:.60}: expected an integer, because it is compared with counts.")
    return operator.index(number)


def _map_parts(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value of a field with each part changed, in the order of `Formula.children`."""
    if isinstance(value, tuple):
        return tuple(_map_parts(each, change) for each in value)
    if isinstance(value, Count):
        return dataclasses.replace(value, of=change(value.of))
    return change(value) if isinstance(value, Formula) or value is Formula else value


def _rebuilt(*records: tuple[type[Formula], tuple, list[int]]) -> Formula:
    """The formula of `Formula.__reduce__`: each part after its own parts."""
    made: list[Formula] = []
    for kind, shape, places in records:
        parts: Iterator[Formula] = iter([made[place] for place in places])
        made.append(kind(*_map_parts(shape, lambda _, parts=parts: next(parts))))
    return made[-1]


def _unrolled(first: Any, pieces: Callable[[Any], list], most: float = math.inf) -> str:
    """The text of an object whose pieces are texts and objects with pieces, without recursion; it may stop after `most`."""
    waiting, text, length = [first], list[str](), 0
    while waiting and length <= most:
        piece = waiting.pop()
        if isinstance(piece, str):
            text.append(piece)
            length += len(piece)
        else:
            waiting += reversed(pieces(piece))
    return "".join(text)


def _constructor(value: Any) -> list:
    """What builds a formula, a count or a tuple of them, in pieces for `_unrolled`."""
    if isinstance(value, tuple):
        each = [piece for item in value for piece in (", ", item if _has_parts(item) else repr(item))][1:]
        return ["(", *each, ",)" if len(value) == 1 else ")"]
    fields = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    each = [piece for name, item in fields for piece in (f", {name}=", item if _has_parts(item) else repr(item))]
    return (
        [f"{type(value).__qualname__}(", each[0].removeprefix(", "), *each[1:], ")"]
        if each
        else [f"{type(value).__qualname__}()"]
    )


def _has_parts(value: Any) -> bool:
    return isinstance(value, (Formula, Count, tuple))


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Atom(Formula):
    """The letter at the position."""

    letter: str

    def __post_init__(self) -> None:
        if not isinstance(self.letter, str):
            raise TypeError(f"Atom was given letter = {self.letter!r:.60}: expected a text, the name of a letter.")

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return words == alphabet.index(self.letter)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Truth(Formula):
    """True or false everywhere."""

    value: bool

    def __post_init__(self) -> None:
        if not isinstance(self.value, (bool, np.bool_)):
            raise TypeError(f"Truth was given value = {self.value!r:.60}: expected True or False.")
        object.__setattr__(self, "value", bool(self.value))

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return np.full(words.shape, self.value)


TRUE, FALSE = Truth(True), Truth(False)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Not(Formula):
    """The negation of `of`."""

    of: Formula

    def __post_init__(self) -> None:
        _check_parts(self, self.of)

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return ~parts[self.of]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class _Several(Formula):
    parts: tuple[Formula, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _listed(self, self.parts))
        _check_parts(self, *self.parts)
        if len(self.parts) < 2:
            raise ValueError(f"{type(self).__name__} joins at least two formulas, got {len(self.parts)}: use all_of or any_of")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class And(_Several):
    """The conjunction of two or more parts."""

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return np.logical_and.reduce([parts[part] for part in self.parts])


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Or(_Several):
    """The disjunction of two or more parts."""

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return np.logical_or.reduce([parts[part] for part in self.parts])


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class _Binary(Formula):
    left: Formula
    right: Formula
    is_temporal = True

    def __post_init__(self) -> None:
        _check_parts(self, self.left, self.right)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Since(_Binary):
    """`right` held at an earlier position, and `left` at every position since then, both ends excluded."""

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return since(parts[self.left], parts[self.right])


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Until(_Binary):
    """`right` will hold at a later position, and `left` at every position until then, both ends excluded."""

    def truth(self, parts: Mapping[Formula, np.ndarray], words: np.ndarray, alphabet: tuple[str, ...]) -> np.ndarray:
        """See `Formula.truth`."""
        return since(parts[self.left][::-1], parts[self.right][::-1])[::-1]


@dataclasses.dataclass(frozen=True)
class Count:
    """`factor` times the number of positions where `of` holds, up to here (inclusive), or from here on if `ahead`."""

    factor: int
    of: Formula
    ahead: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", _integer("factor", self.factor))


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class AtLeast(Formula):
    """A sum of counts is at least `bound`."""

    counts: tuple[Count, ...]
    bound: int
    is_temporal = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", _listed(self, self.counts))
        object.__setattr__(self, "bound", _integer("bound", self.bound))
        if wrong := [count for count in self.counts if not isinstance(count, Count)]:
            raise TypeError(f"AtLeast was given {wrong[0]!r:.60}: expected counts, such as Count(1, Atom('a')).")
        _check_parts(self, *(count.of for count in self.counts))
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
    return _unrolled((formula, 0), lambda piece: _pieces(*piece))


def shortened(formula: Formula, most: int) -> str:
    """The text of a formula, cut to `most` characters; a formula that shares its parts may have a text without end.

    >>> shortened(Since(Atom("a"), Since(Atom("b"), Atom("a"))), 9)
    'a S b ...'
    """
    text = _unrolled((formula, 0), lambda piece: _pieces(*piece), most)
    return text if len(text) <= most else text[: most - 3] + "..."


def _pieces(formula: Formula, outer: int) -> list:
    """The text of a formula inside an operator of strength `outer`, in pieces for `_unrolled`.

    | has strength 1, & has 2, S and U have 3, prefixes have 4.
    """
    match formula:
        case Atom(letter):
            plain = re.fullmatch("[a-z0-9][a-z0-9_]*", letter) and letter not in ("true", "false", *WORDS)
            return [str(letter) if plain else f"'{letter}'"]
        case Truth(value):
            return ["true" if value else "false"]
        case Not(Since(Truth(True), Not(of))):
            return ["H ", (of, 4)]
        case Not(Until(Truth(True), Not(of))):
            return ["G ", (of, 4)]
        case Not(of):
            return ["!", (of, 4)]
        case Since(Truth(value), of):
            return ["P " if value else "Y ", (of, 4)]
        case Until(Truth(value), of):
            return ["F " if value else "X ", (of, 4)]
        case And(parts):
            return _bracketed([piece for part in parts for piece in (" & ", (part, 3))][1:], outer > 2)
        case Or(parts):
            return _bracketed([piece for part in parts for piece in (" | ", (part, 2))][1:], outer > 1)
        case Since(left, right) | Until(left, right):
            return _bracketed([(left, 4), " S " if isinstance(formula, Since) else " U ", (right, 3)], outer > 3)
        case AtLeast(counts, bound):
            terms = [piece for number, count in enumerate(counts) for piece in _term(count, number == 0)]
            return _bracketed([*terms, f" >= {bound}"], outer > 3)
    raise TypeError(f"{formula!r} is not a formula")


def _term(count: Count, first: bool) -> list:
    factor = abs(count.factor)
    signs = ("-", "") if first else (" - ", " + ")
    times = "" if factor == 1 else f"{factor} "
    return [f"{signs[count.factor >= 0]}{times}{'#>' if count.ahead else '#'}[", (count.of, 0), "]"]


def _bracketed(pieces: list, needed: bool) -> list:
    return ["(", *pieces, ")"] if needed else pieces

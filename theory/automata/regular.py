r"""Regular expressions as minimal automata, by positions.

Number the letters of an expression. A word matches if it can be read along positions that may follow each other (Glushkov).
Three facts about every part give the positions that may follow each position: where the part may begin, where it may end, and
whether it matches the empty word. The states of the automaton are the sets of positions that a word may have reached. There may
be 2^positions of them, so the subset construction compares their number with the limit of `theory.cost` as it goes.

Source: Glushkov, Russian Mathematical Surveys 16 (1961); Rabin and Scott 1959 for the sets.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from theory.automata.alphabet import alphabet_of
from theory.automata.cost import positions as positions_cost
from theory.automata.cost import subsets as subsets_cost
from theory.automata.dfa import Dfa
from theory.automata.expression import Either, Expression, Letter, Product, Repeat, parse_expression, skipped_blank
from theory.cost import refuse
from theory.errors import ParseError

__all__ = ["regular"]


def regular(text: str, letters: str | Sequence[str] | None = None, *, name: str = "") -> Dfa:
    """The minimal automaton of a regular expression in the grammar of `theory.automata.expression`.

    Args:
        text: The expression.
        letters: The alphabet, letters of one character; by default the letters that occur in the expression, sorted. The
            language depends on it: ``(aa)*`` over a and b has words that no more letters bring back.
        name: Name used in messages; by default the expression.

    Raises:
        ParseError: The text does not follow the grammar; the message says where, and what was expected.
        ValueError: The alphabet lacks a letter of the expression, is empty, or has a letter twice.
        TooExpensive: The expression has too many positions, or its automaton too many states, for the limit of `theory.cost`.

    >>> regular("(ab)*").num_states, regular("(ab)*").is_star_free
    (3, True)
    >>> regular("b*(ab*ab*)*").period_witness()
    (('a',), (0, 1))
    >>> regular("a{2,3}b").counts(4)
    (0, 0, 0, 1, 1)
    """
    expression = parse_expression(text)
    alphabet = alphabet_of(f"the regular expression {text!r}", _letters(expression), letters)
    if blank := skipped_blank(text, alphabet):
        what = f"a backslash before {text[blank - 1]!r}, which is a letter, because blanks are skipped"
        raise ParseError("regular expression", text, blank, what)
    sizes = {"letters": len(alphabet), "positions": _size(expression)}
    refuse(positions_cost(name or text, **sizes))
    reading = _Positions(expression, alphabet)
    cost = partial(subsets_cost, name or text, **sizes)
    return Dfa.explored(reading.start, reading.step, reading.accepts, alphabet, name=name or text, cost=cost).minimal


def _letters(expression: Expression) -> set[str]:
    """All letters that an expression names."""
    match expression:
        case Letter(of):
            return set(of)
        case Repeat(of):
            return _letters(of)
    return set().union(*map(_letters, expression.parts))


def _size(expression: Expression) -> int:
    """Number of positions, with every repetition written out."""
    match expression:
        case Letter():
            return 1
        case Repeat(of, least, most):
            return _size(of) * (max(least, 1) if most is None else most)
    return sum(map(_size, expression.parts))


@dataclasses.dataclass(frozen=True)
class _Part:
    """The three facts about a part of an expression; a set of positions is the bits of an integer."""

    empty: bool
    first: int
    last: int


_EMPTY_WORD = _Part(True, 0, 0)


class _Positions:
    """The positions of an expression. A state is the set of positions that were just read, as bits of an integer."""

    def __init__(self, expression: Expression, alphabet: Sequence[str]) -> None:
        self.letters: list[Letter] = []
        self.follow: list[int] = []
        whole = self.part(expression)
        self.start = 1 << len(self.follow)  # one more position, before the first letter
        self.follow.append(whole.first)
        self.final = whole.last | (self.start if whole.empty else 0)
        self.reads = {x: sum(1 << i for i, own in enumerate(self.letters) if own.reads(x)) for x in alphabet}
        self.reach = lru_cache(maxsize=1)(self._reach)  # the letters of one state are asked for in a row

    def step(self, state: int, letter: str) -> int:
        """The positions that a letter reads after some positions."""
        return self.reach(state) & self.reads[letter]

    def accepts(self, state: int) -> bool:
        """Whether the word may end."""
        return bool(state & self.final)

    def _reach(self, state: int) -> int:
        found = 0
        for position in _bits(state):
            found |= self.follow[position]
        return found

    def part(self, expression: Expression) -> _Part:
        """Number the positions of a part; every copy that a repetition makes has positions of its own."""
        match expression:
            case Letter():
                self.letters.append(expression)
                self.follow.append(0)
                here = 1 << len(self.follow) - 1
                return _Part(False, here, here)
            case Either(parts):
                found = list(map(self.part, parts))
                return _Part(any(p.empty for p in found), _union(p.first for p in found), _union(p.last for p in found))
            case Product(parts):
                result = _EMPTY_WORD
                for inner in reversed(parts):
                    result = self.then(self.part(inner), result)
                return result
            case Repeat(of, least, most):
                return self.endless(of, least) if most is None else self.bounded(of, least, most)

    def endless(self, of: Expression, least: int) -> _Part:
        """At least some number of copies, of which the last may repeat."""
        result = self.part(of)
        self.lead(result.last, result.first)
        result = dataclasses.replace(result, empty=result.empty or least == 0)
        for _ in range(least - 1):
            result = self.then(self.part(of), result)
        return result

    def bounded(self, of: Expression, least: int, most: int) -> _Part:
        """At least and at most some numbers of copies: each copy but the first `least` may be left out with all that follow."""
        result = _EMPTY_WORD
        for copy in range(most, 0, -1):
            result = self.then(self.part(of), result)
            if copy > least:
                result = dataclasses.replace(result, empty=True)
        return result

    def then(self, left: _Part, right: _Part) -> _Part:
        """Two parts one after the other."""
        self.lead(left.last, right.first)
        first = left.first | (right.first if left.empty else 0)
        last = right.last | (left.last if right.empty else 0)
        return _Part(left.empty and right.empty, first, last)

    def lead(self, sources: int, targets: int) -> None:
        """Let the positions of one set be followed by those of another."""
        for position in _bits(sources):
            self.follow[position] |= targets


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _union(sets: Iterator[int]) -> int:
    result = 0
    for found in sets:
        result |= found
    return result

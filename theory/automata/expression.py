r"""Regular expressions as text: the one grammar of the toolkit, and its parser.

    expression  =  product { "|" product }                either
    product     =  { repeated }                           one after the other; nothing at all is the empty word
    repeated    =  atom [ "*" | "+" | "?" | "{" count "}" ]
    count       =  m | m "," | "," n | m "," n            m times, at least m, at most n, m to n times
    atom        =  letter | "." | class | "(" expression ")"
    class       =  "[" [ "^" ] { letter | letter "-" letter } "]"

A letter is any character but a blank and ``( ) [ ] { } | * + ? . \ ^ $ &``; a backslash makes each of them a letter, ``-``
too. A dot is any letter of the alphabet, ``[^ab]`` any letter but a and b. Blanks are skipped. The whole word must match, so
there are no anchors. A repetition of a repetition needs brackets, because other languages read ``a+?`` in other ways.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NoReturn

from theory.errors import ParseError

__all__ = ["NESTED", "Either", "Expression", "Letter", "Product", "Repeat", "parse_expression"]

NESTED = 64
"""Largest number of brackets inside each other, because reading an expression recurses."""
_SPECIAL = frozenset("()[]{}|*+?.\\^$&")
_DIGITS = 6  # of a count


@dataclasses.dataclass(frozen=True)
class Letter:
    """One letter of a set, or one letter outside the set; the dot is a letter outside the empty set."""

    of: frozenset[str]
    outside: bool = False


@dataclasses.dataclass(frozen=True)
class Either:
    """One of several expressions."""

    parts: tuple[Expression, ...]


@dataclasses.dataclass(frozen=True)
class Product:
    """Several expressions one after the other; none at all is the empty word."""

    parts: tuple[Expression, ...]


@dataclasses.dataclass(frozen=True)
class Repeat:
    """An expression `least` to `most` times; None has no upper end."""

    of: Expression
    least: int
    most: int | None


Expression = Letter | Either | Product | Repeat


def parse_expression(text: str) -> Expression:
    """The expression that a text spells.

    Raises:
        ParseError: The text does not follow the grammar, or is nested more than `NESTED` deep; the message says where, and
            what was expected.

    >>> parse_expression("a{2,}")
    Repeat(of=Letter(of=frozenset({'a'}), outside=False), least=2, most=None)
    """
    if not isinstance(text, str):
        raise TypeError(f"text = {text!r}: expected a regular expression such as '(ab)*'")
    reader = _Reader(text)
    found = reader.either()
    if reader.token:
        reader.fail("a letter, '(', '|', '*', '+', '?', '{' or the end")
    return found


class _Reader:
    """Recursive descent over the characters of a text."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.level = text, 0, 0

    @property
    def token(self) -> str:
        """The next character that is not a blank; "" at the end."""
        while self.text[self.place : self.place + 1].isspace():
            self.place += 1
        return self.text[self.place : self.place + 1]

    def fail(self, expected: str) -> NoReturn:
        _ = self.token  # skips blanks
        raise ParseError("regular expression", self.text, self.place + 1, expected)

    def take(self, tokens: str, expected: str = "") -> str:
        """The next character if it is one of these; otherwise "", or an error if one of them is expected."""
        if (token := self.token) and token in tokens:
            self.place += 1
            return token
        if expected:
            self.fail(expected)
        return ""

    def enclosed(self, read: Callable[[], Expression]) -> Expression:
        """The expression up to the closing bracket."""
        if self.level == NESTED:
            self.fail(f"at most {NESTED} brackets inside each other")
        self.level += 1
        found = read()
        self.take(")", expected="more letters or ')'")
        self.level -= 1
        return found

    def either(self) -> Expression:
        parts = [self.product()]
        while self.take("|"):
            parts.append(self.product())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def product(self) -> Expression:
        parts = []
        while self.token and self.token not in ")|":
            parts.append(self.repeated())
        return parts[0] if len(parts) == 1 else Product(tuple(parts))

    def repeated(self) -> Expression:
        found = self.atom()
        match self.take("*+?{"):
            case "*":
                found = Repeat(found, 0, None)
            case "+":
                found = Repeat(found, 1, None)
            case "?":
                found = Repeat(found, 0, 1)
            case "{":
                found = Repeat(found, *self.count())
        if self.token and self.token in "*+?{":
            self.fail("a letter, '|', ')' or the end (a repetition of a repetition needs brackets, as in '(a*)?')")
        return found

    def count(self) -> tuple[int, int | None]:
        """The bounds of a count, after its opening brace."""
        start = self.place
        least = self.number()
        most = least
        if self.take(","):
            most = self.number()
        elif least is None:
            self.fail("a number of repetitions such as '2', '2,' or '2,3'")
        self.take("}", expected="'}'")
        if (least is None and most is None) or (most is not None and most < (least or 0)):
            self.place = start
            self.fail("a number of repetitions such as '2', '2,' or '2,3', the smaller number first")
        return least or 0, most

    def number(self) -> int | None:
        digits = ""
        while digit := self.take("0123456789"):
            digits += digit
        if len(digits.lstrip("0")) > _DIGITS:
            self.fail(f"at most {10**_DIGITS - 1} repetitions")
        return int(digits.lstrip("0") or 0) if digits else None

    def atom(self) -> Expression:
        if self.take("("):
            return self.enclosed(self.either)
        if self.take("."):
            return Letter(frozenset(), outside=True)
        if self.take("["):
            return self.letters()
        return Letter(frozenset(self.letter("a letter or '('")))

    def letter(self, expected: str) -> str:
        escaped = bool(self.take("\\"))
        if escaped and self.place == len(self.text):
            self.fail("a letter after the backslash")
        if not escaped and (not self.token or self.token in _SPECIAL):
            hint = " (a backslash makes a letter of any character)" if self.token in ("^", "$", "&") else ""
            self.fail(expected + hint)
        self.place += 1
        return self.text[self.place - 1]

    def letters(self) -> Letter:
        """The letters of a class, after its opening bracket."""
        outside, found = bool(self.take("^")), set[str]()
        while not found or self.token != "]":
            start, first = self.place, self.letter("a letter or ']'" if found else "a letter")
            last = self.letter("the last letter of a range") if self.take("-") else first
            if last < first:
                self.place = start
                self.fail("a range whose last letter comes after its first")
            found.update(map(chr, range(ord(first), ord(last) + 1)))
        self.take("]")
        return Letter(frozenset(found), outside)

r"""Regular expressions as text: the one grammar of the toolkit, and its parser.

    expression  =  product { "|" product }                either
    product     =  { repeated }                           one after the other; nothing at all is the empty word
    repeated    =  atom [ "*" | "+" | "?" | "{" count "}" ]
    count       =  m | m "," | "," n | m "," n            m times, at least m, at most n, m to n times
    atom        =  letter | "." | class | "(" expression ")"
    class       =  "[" [ "^" ] { letter | letter "-" letter } "]"

A letter is any character but a blank and ``( ) [ ] { } | * + ? . \ ^ $ &``. A backslash makes a letter of each of them, and of
every other character but ASCII letters and digits; ``\t \n \r \f \v \a``, ``\x41``, ``\u0041`` and ``\U00000041`` are letters
by their codes. Inside a class only ``[ ] \`` and blanks need a backslash. A dot is any letter of the alphabet but the line
break, ``[^ab]`` any letter but a and b. Blanks between letters are skipped, as Python skips them under ``re.VERBOSE``.

The whole word must match. So what both this grammar and ``re.fullmatch`` of Python read has one language in both. Everything
else that some dialect reads is refused, with the way to write it here: classes by name (``\d``, ``[[:alpha:]]``, ``\p{L}``),
because an alphabet is a finite list; anchors, lazy and possessive repetitions, lookaround, flags and named groups; and back
references, whose languages need not be regular. A repetition of a repetition needs brackets, because other languages read
``a+?`` in other ways.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Collection
from typing import NoReturn

from theory.errors import ParseError

__all__ = ["BLANKS", "NESTED", "Either", "Expression", "Letter", "Product", "Repeat", "parse_expression", "skipped_blank"]

BLANKS = " \t\n\r\v\f"
"""The characters that are skipped between letters."""
NESTED = 64
"""Largest number of brackets inside each other, because reading an expression recurses."""
_SPECIAL = frozenset("()[]{}|*+?.\\^$&")
_DIGITS = 6  # of a count

_CODES = {"x": 2, "u": 4, "U": 8}  # hexadecimal digits of a letter by its code
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_ANCHOR = "the whole word must match, so leave anchors out"
_BACK = "a language with back references need not be regular: write its words out"
_BLANK = r"\ \t\n\r\f\v"
_ESCAPES = (  # the characters after a backslash that other dialects read, and how to write that here
    ("d", "write [0-9], or the digits of your alphabet"),
    ("D", "write [^0-9], or the letters of your alphabet that are no digits"),
    ("w", "write [A-Za-z0-9_], or the letters of your alphabet"),
    ("W", "write [^A-Za-z0-9_], or the other letters of your alphabet"),
    ("s", f"write [{_BLANK}]"),
    ("S", f"write [^{_BLANK}]"),
    ("hHRX", "list the letters that you mean in a class, as in [ab]"),
    ("pP", "classes by property are not read: list their letters in a class, as in [a-z]"),
    ("bB", "boundaries of words are not read: say what stands on each side"),
    ("AZzG", _ANCHOR),
    ("123456789kg", _BACK),
    ("0", "write the letter of this code as \\x00"),
    ("e", "write \\x1b"),
    ("coN", "write the letter itself, or its code as in \\x41"),
    ("QEK", "quoting is not read: put a backslash before each character that is special"),
)
_GROUPS = (  # what other dialects write behind an opening bracket
    ("?:", "plain brackets group and nothing else: leave '?:' out"),
    ("?=", "lookaround is not read: say by the letters what follows, or ask a formula of temporal logic"),
    ("?!", "lookaround is not read: say by the letters what may follow, or ask a formula of temporal logic"),
    ("?<=", "lookaround is not read: say by the letters what stands before, or ask a formula of temporal logic"),
    ("?<!", "lookaround is not read: say by the letters what may stand before, or ask a formula of temporal logic"),
    ("?P=", _BACK),
    ("?P", "groups have no names: write plain brackets"),
    ("?<", "groups have no names: write plain brackets"),
    ("?'", "groups have no names: write plain brackets"),
    ("?>", "atomic groups are not read: write plain brackets, and check that the words are the same"),
    ("?#", "comments are not read: leave it out"),
    ("?(", "conditions are not read: write both cases with '|'"),
    ("?R", "recursion is not regular: write it out to a depth"),
    ("?", "flags are not read: list both cases of a letter, as in [aA]"),
)
_SETS = ("&&", "||", "--", "~~")
_SET = "classes are not joined, cut or subtracted: list their letters"


@dataclasses.dataclass(frozen=True)
class Letter:
    """One letter of a set, or one letter outside the set; the dot is a letter outside the empty set."""

    of: frozenset[str]
    outside: bool = False

    def reads(self, letter: str) -> bool:
        """Whether the letter is one of these; the dot leaves the line break out, as elsewhere."""
        return letter != "\n" if self == _DOT else (letter in self.of) != self.outside


_DOT = Letter(frozenset(), outside=True)


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


def skipped_blank(text: str, letters: Collection[str]) -> int:
    r"""The position, from 1, of the first blank that is skipped although it is one of the letters; 0 if there is none.

    >>> skipped_blank("a b", "ab"), skipped_blank("a b", "ab "), skipped_blank(r"a\ b", "ab ")
    (0, 2, 0)
    """
    escaped = False
    for position, character in enumerate(text, 1):
        if character in BLANKS and character in letters and not escaped:
            return position
        escaped = character == "\\" and not escaped
    return 0


class _Reader:
    """Recursive descent over the characters of a text."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.level = text, 0, 0

    @property
    def character(self) -> str:
        """The next character; "" at the end."""
        return self.text[self.place : self.place + 1]

    @property
    def token(self) -> str:
        """The next character that is not a blank; "" at the end."""
        while self.character and self.character in BLANKS:
            self.place += 1
        return self.character

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        raise ParseError("regular expression", self.text, self.place + 1, expected, hint)

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
        for opening, hint in _GROUPS:
            if self.text.startswith(opening, self.place):
                self.fail("a letter or '('", hint)
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
            hints = {
                "?": "the whole word must match, so a lazy repetition has the language of a greedy one: leave the last '?' out",
                "+": "possessive repetitions are not read: leave the last '+' out, and check that the words are the same",
            }
            self.fail(
                "a letter, '|', ')' or the end (a repetition of a repetition needs brackets, as in '(a*)?')",
                hints.get(self.token, ""),
            )
        return found

    def count(self) -> tuple[int, int | None]:
        """The bounds of a count, after its opening brace; a blank ends it, because elsewhere it is then no count."""
        start = self.place
        least = self.number()
        most = least
        if self.character == ",":
            self.place += 1
            most = self.number()
        elif least is None:
            self.fail("a number of repetitions such as '2', '2,' or '2,3'")
        if self.character != "}":
            self.fail("'}'")
        self.place += 1
        if (least is None and most is None) or (most is not None and most < (least or 0)):
            self.place = start
            self.fail("a number of repetitions such as '2', '2,' or '2,3', the smaller number first")
        return least or 0, most

    def number(self) -> int | None:
        start = self.place
        while self.character and self.character in "0123456789":
            self.place += 1
        digits = self.text[start : self.place]
        if len(digits.lstrip("0")) > _DIGITS:
            self.fail(f"at most {10**_DIGITS - 1} repetitions")
        return int(digits.lstrip("0") or 0) if digits else None

    def atom(self) -> Expression:
        if self.take("("):
            return self.enclosed(self.either)
        if self.take("."):
            return _DOT
        if self.take("["):
            return self.letters()
        _ = self.token  # skips blanks
        return Letter(frozenset(self.letter("a letter or '('", _SPECIAL)))

    def letter(self, expected: str, special: Collection[str]) -> str:
        """The next letter; `special` characters are letters behind a backslash alone."""
        found = self.character
        if found == "\\":
            return self.escaped()
        if not found or found in special or not found.isprintable():
            hint = ""
            if found and found in "^$":
                hint = f"{_ANCHOR}; a backslash makes a letter of any character"
            elif found:
                hint = "a backslash makes a letter of any character"
            self.fail(expected, hint)
        self.place += 1
        return found

    def escaped(self) -> str:
        """The letter that a backslash and what follows it stand for."""
        start = self.place
        self.place += 1
        found = self.character
        if not found:
            self.fail("a letter after the backslash")
        self.place += 1
        if digits := _CODES.get(found):
            code = self.text[self.place : self.place + digits]
            if re.fullmatch(f"[0-9A-Fa-f]{{{digits}}}", code) and int(code, 16) <= sys.maxunicode:
                self.place += digits
                return chr(int(code, 16))
            self.place = start
            self.fail(
                "a letter", f"the code of a letter has {digits} hexadecimal digits here, as in \\{found}{'41':0>{digits}}"
            )
        if found in _CONTROL:
            return _CONTROL[found]
        if found.isascii() and found.isalnum():
            self.place = start
            self.fail("a letter", next((hint for known, hint in _ESCAPES if found in known), "leave the backslash out"))
        return found

    def letters(self) -> Letter:
        """The letters of a class, after its opening bracket."""
        outside, found = self.character == "^", set[str]()
        self.place += outside
        while not found or self.character != "]":
            start, first = self.place, self.member("a letter or ']'" if found else "a letter")
            last = first
            if self.text.startswith("--", self.place):
                self.fail("the last letter of a range", _SET)
            if self.character == "-" and self.text[self.place + 1 : self.place + 2] != "]":
                self.place += 1
                last = self.member("the last letter of a range")
            if last < first:
                self.place = start
                self.fail("a range whose last letter comes after its first")
            found.update(map(chr, range(ord(first), ord(last) + 1)))
        self.place += 1
        return Letter(frozenset(found), outside)

    def member(self, expected: str) -> str:
        """A letter of a class, where blanks count and most special characters are letters."""
        if self.text[self.place : self.place + 2] in _SETS:
            self.fail(expected, _SET)
        if self.text.startswith(("[:", "[.", "[="), self.place):
            self.fail(expected, "classes have no names: list their letters, as in [a-z]")
        return self.letter(expected, f"[]{BLANKS}")

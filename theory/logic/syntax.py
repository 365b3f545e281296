r"""Formulas from text: the grammar, and a parser that says where it stopped and what it expected.

From the loosest to the tightest: ``<->``, ``->`` (to the right), ``|``, ``&``, ``S`` and ``U`` (to the right), then ``!``,
``Y P H X F G``. Letters are words in lower case or digits (``a``, ``open``, ``1``), or anything between single quotes
(``'('``). ``true`` and ``false`` are constants, and words that are operators elsewhere must be quoted. A comparison of counts
is ``2 #[f] - #>[g] >= 3`` with ``>=``, ``>``, ``<=``, ``<`` or ``=`` and an integer on the right; ``#`` counts up to here,
``#>`` from here on. `theory.logic.formula.show` prints the same language. What other tools write is not read, and
`theory.logic.dialects` says how to write it here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from theory.errors import ParseError
from theory.logic import operators
from theory.logic.dialects import FOREIGN, WORDS, hint
from theory.logic.formula import And, AtLeast, Atom, Count, Formula, Not, Or, Since, Truth, Until

__all__ = ["DIGITS", "NESTED", "parse"]

_TOKEN = re.compile(r"\s*(?:([a-z0-9][a-z0-9_]*)|'([^']*)'|([A-Z])|(<->|->|>=|<=|#>\[|#\[|[!&|()\]+\-<>=]))")
_PREFIX: dict[str, Callable[[Formula], Formula]] = {
    "!": Not,
    "Y": operators.yesterday,
    "P": operators.once_before,
    "H": operators.always_before,
    "X": operators.tomorrow,
    "F": operators.once_after,
    "G": operators.always_after,
}
_BINARY = {"S": Since, "U": Until}
_COMPARISONS = (">=", ">", "<=", "<", "=")
NESTED = 64
"""Largest number of operators and brackets inside each other, because reading a text recurses."""
DIGITS = 1000
"""Most digits of a number; Python reads and prints no more than 4300."""


def parse(text: str) -> Formula:
    """The formula that a text spells.

    Raises:
        ParseError: The text does not follow the grammar, is nested more than `NESTED` deep, or has a number of more than
            `DIGITS` digits; the message says where, and what was expected.

    >>> parse("P (a & Y b)").depth
    2
    >>> parse("a S b U c") == parse("a S (b U c)")
    True
    >>> parse("a & | b")
    Traceback (most recent call last):
    theory.errors.ParseError: formula 'a & | b': expected a formula at position 5, but found '|'
    """
    if not isinstance(text, str):
        raise TypeError(f"text = {text!r}: expected a formula such as 'a S b'")
    reader = _Reader(text)
    found = reader.equivalence()
    if reader.token is not None:
        reader.fail("an operator or the end")
    return found


class _Reader:
    """Recursive descent over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens = text, list[tuple[str, str, int]]()
        place = 0
        while rest := text[place:].lstrip():
            start = len(text) - len(rest)
            if foreign := FOREIGN.match(text, start):
                self.tokens.append(("foreign", foreign[0], start + 1))
                place = foreign.end()
                continue
            match = _TOKEN.match(text, place)
            if match is None:
                strange = [(token, at) for kind, token, at in self.tokens if kind == "foreign"] or [(rest[0], start + 1)]
                raise ParseError("formula", text, strange[0][1], "a letter, an operator or a bracket", hint(strange[0][0]))
            kind, token = ("word", "quoted", "operator", "operator")[(match.lastindex or 1) - 1], match[match.lastindex or 1]
            self.tokens.append(("foreign" if kind == "word" and token in WORDS else kind, token, start + 1))
            place = match.end()
        self.place = self.level = 0

    def deeper(self, read: Callable[[], Formula]) -> Formula:
        """The formula that is read one level further inside."""
        if self.level == NESTED:
            self.fail(f"at most {NESTED} operators or brackets inside each other")
        self.level += 1
        found = read()
        self.level -= 1
        return found

    @property
    def token(self) -> str | None:
        """The next operator or bracket; "letter" before a letter, "foreign" before what other tools read, None at the end."""
        if self.place == len(self.tokens):
            return None
        kind, token, _ = self.tokens[self.place]
        return {"operator": token, "foreign": "foreign"}.get(kind, "letter")

    def fail(self, expected: str) -> NoReturn:
        _, token, position = self.tokens[self.place] if self.token else ("", "", len(self.text.rstrip()) + 1)
        word = re.match(r"\w*", self.text[position - 1 :])
        raise ParseError("formula", self.text, position, expected, hint(token, word[0] if word else ""))

    def take(self, *tokens: str, expected: str = "") -> str | None:
        """The next token if it is one of these; otherwise None, or an error if one of them is expected."""
        if (token := self.token) in tokens:
            self.place += 1
            return token
        if expected:
            self.fail(expected)
        return None

    def number(self) -> int | None:
        """The next token if it is a number in digits."""
        kind, digits, _ = self.tokens[self.place] if self.token == "letter" else ("", "", 0)
        if kind != "word" or not digits.isdigit():
            return None
        if len(digits) > DIGITS:
            self.fail(f"a number of at most {DIGITS} digits")
        self.place += 1
        return int(digits)

    def equivalence(self) -> Formula:
        left, links = self.implication(), 0
        while self.take("<->"):
            links += 1
            if links > NESTED:
                self.fail(f"at most {NESTED} equivalences in a row")
            right = self.implication()
            left = And((Or((Not(left), right)), Or((Not(right), left))))
        return left

    def implication(self) -> Formula:
        left = self.disjunction()
        return Or((Not(left), self.deeper(self.implication))) if self.take("->") else left

    def disjunction(self) -> Formula:
        parts = [self.conjunction()]
        while self.take("|"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def conjunction(self) -> Formula:
        parts = [self.temporal()]
        while self.take("&"):
            parts.append(self.temporal())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def temporal(self) -> Formula:
        left = self.prefixed()
        operator = self.take("S", "U")
        return _BINARY[operator](left, self.deeper(self.temporal)) if operator else left

    def prefixed(self) -> Formula:
        if operator := self.take(*_PREFIX):
            return _PREFIX[operator](self.deeper(self.prefixed))
        if self.take("("):
            inside = self.deeper(self.equivalence)
            self.take(")", expected="an operator or ')'")
            return inside
        if self._counts_follow():
            return self.comparison()
        if self.token != "letter":
            self.fail("a formula")
        kind, word, _ = self.tokens[self.place]
        self.place += 1
        return Truth(word == "true") if kind == "word" and word in ("true", "false") else Atom(word)

    def _counts_follow(self) -> bool:
        """Whether a comparison starts here: a sign, a count, or a number before a count. A digit alone is a letter."""
        if self.token in ("#[", "#>[", "-", "+"):
            return True
        following = self.tokens[self.place + 1][1:2] if self.place + 1 < len(self.tokens) else ()
        return self.token == "letter" and self.tokens[self.place][1].isdigit() and following in (("#[",), ("#>[",))

    def comparison(self) -> Formula:
        counts = []
        while not counts or self.token in ("+", "-"):
            sign = -1 if self.take("+", "-") == "-" else 1
            factor = self.number()
            ahead = self.take("#[", "#>[", expected="a count '#[' or '#>['") == "#>["
            counts.append(Count(sign * (1 if factor is None else factor), self.deeper(self.equivalence), ahead))
            self.take("]", expected="an operator or ']'")
        comparison = self.take(*_COMPARISONS, expected="'+', '-' or one of " + ", ".join(_COMPARISONS))
        sign = -1 if self.take("-") else 1
        bound = self.number()
        if bound is None:
            self.fail("an integer")
        bound *= sign
        opposite = tuple(Count(-count.factor, count.of, count.ahead) for count in counts)
        least, most = AtLeast(tuple(counts), bound), AtLeast(opposite, -bound)
        match comparison:
            case ">=":
                return least
            case "<=":
                return most
            case ">":
                return AtLeast(tuple(counts), bound + 1)
            case "<":
                return AtLeast(opposite, 1 - bound)
        return And((least, most))

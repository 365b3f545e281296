r"""Formulas as text: a parser that says where it stopped and what it expected, and the printer that it undoes.

From the loosest to the tightest: ``<->``, ``->`` (to the right), ``|``, ``&``, ``S`` and ``U`` (to the right), then ``!``,
``Y P H X F G``. Letters are words in lower case or digits (``a``, ``open``, ``1``), or anything between single quotes
(``'('``); ``true`` and ``false`` are constants. A comparison of counts is ``2 #[f] - #>[g] >= 3`` with ``>=``, ``>``, ``<=``,
``<`` or ``=`` and an integer on the right; ``#`` counts up to here, ``#>`` from here on.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from theory.logic import formula as f
from theory.logic.formula import And, AtLeast, Atom, Count, Formula, Not, Or, Since, Truth, Until

__all__ = ["FormulaError", "parse", "show"]

_TOKEN = re.compile(r"\s*(?:([a-z0-9][a-z0-9_]*)|'([^']*)'|([A-Z])|(<->|->|>=|<=|#>\[|#\[|[!&|()\]+\-<>=]))")
_PREFIX: dict[str, Callable[[Formula], Formula]] = {
    "!": Not,
    "Y": f.yesterday,
    "P": f.once_before,
    "H": f.always_before,
    "X": f.tomorrow,
    "F": f.once_after,
    "G": f.always_after,
}
_BINARY = {"S": Since, "U": Until}
_COMPARISONS = (">=", ">", "<=", "<", "=")
NESTED = 64
"""Operators and brackets inside each other: reading, printing and measuring a formula recurse, a few calls a level."""


class FormulaError(ValueError):
    """Text that is no formula.

    Attributes:
        position: of the first character that does not fit, from 1; one behind the end where the text stops too early.
        expected: what could have stood there.
    """

    def __init__(self, text: str, position: int, expected: str) -> None:
        self.position, self.expected = position, expected
        rest = text[position - 1 :].split()
        found = f"found {rest[0][:12]!r}" if rest else "the text ends"
        shown = text if len(text) <= 400 else f"{text[:200]} .. {text[-200:]}"
        super().__init__(f"formula {shown!r}: expected {expected} at position {position}, but {found}")


def parse(text: str) -> Formula:
    """The formula that a text says.

    Raises:
        FormulaError: at the first place that does not fit, or that is more than `NESTED` levels deep; says where, and what was
            expected.

    >>> parse("P (a & Y b)").depth
    2
    >>> parse("a S b U c") == parse("a S (b U c)")
    True
    >>> parse("a & | b")
    Traceback (most recent call last):
    theory.logic.syntax.FormulaError: formula 'a & | b': expected a formula at position 5, but found '|'
    """
    if not isinstance(text, str):
        raise TypeError(f"text = {text!r}: expected a formula such as 'a S b'")
    reader = _Reader(text)
    found = reader.equivalence()
    if reader.token is not None:
        reader.fail("an operator or the end")
    return found


def show(formula: Formula) -> str:
    """The shortest text of a formula that ``parse`` reads back as the same formula.

    A formula that shares parts is printed as a tree: its text may be far longer than its size.

    >>> show(parse("!(true S !(a -> b)) & (false U c)"))
    'H (!a | b) & X c'
    """
    return _text(formula, 0)


def _text(formula: Formula, outer: int) -> str:
    """The text of a part of an operator that binds with strength `outer`: | 1, & 2, S and U 3, prefixes 4."""
    match formula:
        case Atom(letter):
            return letter if re.fullmatch("[a-z0-9][a-z0-9_]*", letter) and letter not in ("true", "false") else f"'{letter}'"
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
    raise TypeError(f"{formula!r} is no formula")


def _term(count: Count) -> str:
    factor = abs(count.factor)
    sign, times = "-" if count.factor < 0 else "+", "" if factor == 1 else f"{factor} "
    return f"{sign} {times}{'#>' if count.ahead else '#'}[{_text(count.of, 0)}]"


def _bracketed(text: str, needed: bool) -> str:
    return f"({text})" if needed else text


class _Reader:
    """Recursive descent over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens = text, list[tuple[str, str, int]]()
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            start = len(text) - len(text[place:].lstrip())
            if match is None:
                raise FormulaError(text, start + 1, "a letter, an operator or a bracket")
            kind = ("word", "quoted", "operator", "operator")[(match.lastindex or 1) - 1]
            self.tokens.append((kind, match[match.lastindex or 1], start + 1))
            place = match.end()
        self.place = self.level = 0

    def deeper(self, read: Callable[[], Formula]) -> Formula:
        """What is read one level further inside."""
        if self.level == NESTED:
            self.fail(f"at most {NESTED} operators or brackets inside each other")
        self.level += 1
        found = read()
        self.level -= 1
        return found

    @property
    def token(self) -> str | None:
        """The operator or bracket that comes next, "letter" before a letter, None at the end."""
        if self.place == len(self.tokens):
            return None
        kind, token, _ = self.tokens[self.place]
        return token if kind == "operator" else "letter"

    def fail(self, expected: str) -> None:
        end = len(self.text.rstrip()) + 1
        raise FormulaError(self.text, self.tokens[self.place][2] if self.place < len(self.tokens) else end, expected)

    def take(self, *tokens: str, expected: str = "") -> str | None:
        """The next token if it is one of these; otherwise None, or an error where one is expected."""
        if (token := self.token) in tokens:
            self.place += 1
            return token
        if expected:
            self.fail(expected)
        return None

    def number(self) -> int | None:
        """The next token if it is a number in digits."""
        if self.token == "letter" and self.tokens[self.place][0] == "word" and self.tokens[self.place][1].isdigit():
            self.place += 1
            return int(self.tokens[self.place - 1][1])
        return None

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
        """A sign, a count, or a number in front of a count; a digit alone is a letter."""
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
            raise AssertionError
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

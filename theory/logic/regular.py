r"""Regular expressions as minimal automata, by derivatives.

The derivative of a language by a letter is what may follow that letter. Sums are sets and products associate to the right, so
that an expression has finitely many derivatives; they are the states. Source: Brzozowski, Journal of the ACM 11 (1964).
"""

from __future__ import annotations

from collections.abc import Sequence

from theory.logic.automaton import Dfa
from theory.logic.syntax import NESTED, FormulaError

__all__ = ["regular"]

# an expression: ("nothing",), ("empty",), ("letter", a), ("sum", frozenset), ("product", left, right), ("star", inside)
_Expression = tuple
_NOTHING, _EMPTY = ("nothing",), ("empty",)


def regular(text: str, letters: str | Sequence[str] | None = None, *, name: str = "") -> Dfa:
    """The minimal automaton of a regular expression.

    A letter is one character other than ``( ) | * + ? .`` and blanks; ``.`` is any letter, ``()`` the empty word.

    Raises:
        FormulaError: no expression; says where, and what was expected.
        ValueError: a letter that the alphabet lacks.

    >>> regular("(ab)*").num_states, regular("(ab)*").is_star_free
    (3, True)
    >>> regular("b*(ab*ab*)*").period_witness()
    (('a',), (0, 1))
    """
    if not isinstance(text, str):
        raise TypeError(f"text = {text!r}: expected a regular expression such as '(ab)*'")
    alphabet = tuple(letters) if letters is not None else tuple(sorted(set(text) - set("()|*+?. ")))
    missing = sorted(set(text) - set("()|*+?. ") - set(alphabet))
    if missing or not alphabet:
        raise ValueError(f"the expression {text!r} needs the letters {missing or 'of an alphabet'}: name them in `letters`")
    reader = _Reader(text, alphabet)
    expression = reader.sum()
    if reader.place < len(text):
        raise FormulaError(text, reader.place + 1, "a letter, '(', '|', '*', '+', '?' or the end")
    return Dfa.explored(expression, _derivative, _nullable, alphabet, name=name or text).minimal


class _Reader:
    def __init__(self, text: str, alphabet: tuple[str, ...]) -> None:
        self.text, self.alphabet, self.place, self.level = text, alphabet, 0, 0

    def next(self) -> str:
        while self.text[self.place : self.place + 1] == " ":
            self.place += 1
        return self.text[self.place : self.place + 1]

    def sum(self) -> _Expression:
        terms = [self.product()]
        while self.next() == "|":
            self.place += 1
            terms.append(self.product())
        return _sum(terms)

    def product(self) -> _Expression:
        factors = []
        while (token := self.next()) and token not in ")|":
            factors.append(self.repeated())
        result = _EMPTY
        for factor in reversed(factors):
            result = _product(factor, result)
        return result

    def repeated(self) -> _Expression:
        inside = self.atom()
        while (token := self.next()) and token in "*+?":
            self.place += 1
            inside = {
                "*": ("star", inside),
                "+": _product(inside, ("star", inside)),
                "?": _sum([inside, _EMPTY]),
            }[token]
        return inside

    def atom(self) -> _Expression:
        token = self.next()
        if token in "*+?":
            raise FormulaError(self.text, self.place + 1, "a letter or '('")
        self.place += 1
        if token == "(":
            if self.level == NESTED:
                raise FormulaError(self.text, self.place, f"at most {NESTED} brackets inside each other")
            self.level += 1
            inside = self.sum()
            self.level -= 1
            if self.next() != ")":
                raise FormulaError(self.text, self.place + 1, "')'")
            self.place += 1
            return inside
        return _sum([("letter", letter) for letter in self.alphabet]) if token == "." else ("letter", token)


def _sum(terms: Sequence[_Expression]) -> _Expression:
    flat = frozenset(part for term in terms for part in (term[1] if term[0] == "sum" else (term,)) if part != _NOTHING)
    return _NOTHING if not flat else next(iter(flat)) if len(flat) == 1 else ("sum", flat)


def _product(left: _Expression, right: _Expression) -> _Expression:
    if _NOTHING in (left, right):
        return _NOTHING
    if left == _EMPTY or right == _EMPTY:
        return right if left == _EMPTY else left
    return _product(left[1], _product(left[2], right)) if left[0] == "product" else ("product", left, right)


def _nullable(expression: _Expression) -> bool:
    match expression:
        case ("sum", terms):
            return any(map(_nullable, terms))
        case ("product", left, right):
            return _nullable(left) and _nullable(right)
    return expression[0] in ("empty", "star")


def _derivative(expression: _Expression, letter: str) -> _Expression:
    match expression:
        case ("letter", own):
            return _EMPTY if own == letter else _NOTHING
        case ("sum", terms):
            return _sum([_derivative(term, letter) for term in terms])
        case ("product", left, right):
            first = _product(_derivative(left, letter), right)
            return _sum([first, _derivative(right, letter)]) if _nullable(left) else first
        case ("star", inside):
            return _product(_derivative(inside, letter), expression)
    return _NOTHING

"""Formulas made from formulas: conjunctions and disjunctions of any number, and the usual operators of temporal logic."""

from __future__ import annotations

from collections.abc import Iterable

from theory.logic.formula import FALSE, TRUE, And, AtLeast, Formula, Not, Or, Since, Truth, Until

__all__ = ["all_of", "always_after", "always_before", "any_of", "once_after", "once_before", "reading", "tomorrow", "yesterday"]


def all_of(parts: Iterable[Formula]) -> Formula:
    """The conjunction of any number of formulas, without constants and repetitions."""
    return _joined(And, parts, neutral=TRUE)


def any_of(parts: Iterable[Formula]) -> Formula:
    """The disjunction of any number of formulas, without constants and repetitions."""
    return _joined(Or, parts, neutral=FALSE)


def _joined(kind: type[And] | type[Or], parts: Iterable[Formula], neutral: Truth) -> Formula:
    kept = tuple(dict.fromkeys(part for part in parts if part != neutral))
    if any(isinstance(part, Truth) for part in kept):
        return FALSE if neutral.value else TRUE
    return kind(kept) if len(kept) > 1 else kept[0] if kept else neutral


def yesterday(of: Formula) -> Formula:
    """Y: there is a previous position, and the formula holds there."""
    return Since(FALSE, of)


def once_before(of: Formula) -> Formula:
    """P: the formula held at some earlier position."""
    return Since(TRUE, of)


def always_before(of: Formula) -> Formula:
    """H: the formula held at every earlier position."""
    return Not(Since(TRUE, Not(of)))


def tomorrow(of: Formula) -> Formula:
    """X: there is a next position, and the formula holds there."""
    return Until(FALSE, of)


def once_after(of: Formula) -> Formula:
    """F: the formula will hold at some later position."""
    return Until(TRUE, of)


def always_after(of: Formula) -> Formula:
    """G: the formula will hold at every later position."""
    return Not(Until(TRUE, Not(of)))


def reading(formula: Formula) -> str:
    """How a formula is read, in a sentence for answers, because other tools read the same operators otherwise.

    >>> reading(Until(TRUE, TRUE))
    'one letter holds at each position; S, U, P, F, H, G are strict: they leave out the position where they stand'
    """
    found = ["one letter holds at each position"]
    parts = formula.subformulas
    if any(isinstance(part, (Since, Until)) for part in parts):
        found.append("S, U, P, F, H, G are strict: they leave out the position where they stand")
        if any(isinstance(part, (Since, Until)) and part.left == FALSE for part in parts):
            found.append("X and Y are false where there is no next or previous position")
    if any(isinstance(part, AtLeast) for part in parts):
        found.append("counts take in the position where they stand")
    return "; ".join(found)

"""Errors with their parts as data: a theorem outside its hypotheses, and text outside its grammar."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["OutsideHypotheses", "ParseError"]


class OutsideHypotheses(ValueError):
    """A statement was applied outside its hypotheses.

    Attributes:
        subject: The statement that was applied.
        checks: Every hypothesis as ``(statement, holds)``, including those that hold.

    >>> print(OutsideHypotheses("the tail bound", [("mass < 1", False), ("order >= 1", True)], given="mass=2"))
    the tail bound does not apply to mass=2: mass < 1 (fails). Outside its hypotheses the formula is not a bound; use smaller...
    """

    def __init__(
        self,
        subject: str,
        checks: Iterable[tuple[str, bool]],
        *,
        given: str = "this case",
        remedy: str = "use smaller or fewer pieces, or another bound",
    ) -> None:
        self.subject = subject
        self.checks = [(statement, bool(holds)) for statement, holds in checks]
        failed = "; ".join(f"{statement} (fails)" for statement in self.failed)
        super().__init__(
            f"{subject} does not apply to {given}: {failed}. Outside its hypotheses the formula is not a bound; {remedy}."
        )

    @property
    def failed(self) -> list[str]:
        """The statements that do not hold."""
        return [statement for statement, holds in self.checks if not holds]


class ParseError(ValueError):
    """A text that does not follow its grammar.

    Attributes:
        position: Position of the first character that does not fit, from 1; one past the end if the text stops too early.
        expected: What could stand at this position.
        hint: How to write here what the same text means elsewhere; "" if nothing is known of it.

    >>> print(ParseError("formula", "a & | b", 5, "a formula"))
    formula 'a & | b': expected a formula at position 5, but found '|'
    """

    def __init__(self, kind: str, text: str, position: int, expected: str, hint: str = "") -> None:
        self.position, self.expected, self.hint = position, expected, hint
        rest = text[position - 1 :].split()
        found = f"found {rest[0][:12]!r}" if rest else "the text ends"
        shown = text if len(text) <= 400 else f"{text[:200]} .. {text[-200:]}"
        message = f"{kind} {shown!r}: expected {expected} at position {position}, but {found}"
        super().__init__(f"{message} ({hint})" if hint else message)

"""The error that a theorem raises when it is asked about a case that it does not cover."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["OutsideHypotheses"]


class OutsideHypotheses(ValueError):
    """A statement was applied outside its hypotheses.

    Attributes:
        subject: The statement that was applied.
        checks: All hypotheses as ``(statement, holds)``, including those that hold.

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

"""A numerical answer with what decided it: the singular values on both sides of the cut, and the gap between them."""

import dataclasses
import math
from typing import Any

import numpy as np
from jaxtyping import Float

LEAST_GAP = 10.0  # two neighbouring singular values that are closer than this decide nothing
HEAD = ("question", "answer", "standing", "why")  # of a table of decisions
STANDINGS = ("certain", "numerical", "sampled", "at least")


@dataclasses.dataclass(frozen=True)
class Decision:
    """An answer, how sure it is, and why.

    Attributes:
        value: The answer; None where the numbers decide nothing.
        standing: "certain" follows from exact mathematics and what was given; "numerical" from singular values with a gap;
            "sampled" from some of infinitely many cases; "at least" says that the answer is a lower bound, which is certain.
        why: The reason, in a sentence.
        kept: Smallest singular value that counted as not zero, relative to the largest; infinite if none did.
        dropped: Largest singular value that counted as zero, relative to the largest one.
    """

    value: Any
    standing: str
    why: str
    kept: float = math.inf
    dropped: float = 0.0

    @property
    def gap(self) -> float:
        """Ratio of the two singular values around the cut; infinite where nothing had to be cut."""
        return math.inf if self.dropped == 0 else self.kept / self.dropped

    @property
    def reason(self) -> str:
        """The reason with the gap that decided, where there is one."""
        if self.standing != "numerical" or not math.isfinite(self.kept):
            return self.why
        return f"{self.why}; gap {self.gap:.2g}" if self.dropped else f"{self.why}; {self.kept:.2g} counts, and nothing was cut"

    def __repr__(self) -> str:
        gap = f", gap {self.gap:.2g}" if math.isfinite(self.gap) else ""
        return f"<{'undecided' if self.value is None else self.value}: {self.standing}{gap}>"

    def as_dict(self) -> dict[str, Any]:
        """Return the decision as plain data; singular values and gaps that are infinite are None."""
        kept, dropped, gap = (number if math.isfinite(number) else None for number in (self.kept, self.dropped, self.gap))
        value = "infinity" if self.value == math.inf else self.value
        return {"value": value, "standing": self.standing, "why": self.why, "kept": kept, "dropped": dropped, "gap": gap}


def decided_rank(values: Float[np.ndarray, " count"], tolerance: float, what: str) -> Decision:
    """Return the number of singular values above a tolerance, or no number if some are not surely above it.

    Args:
        values: Singular values, largest first, in the scale of the tolerance.
        tolerance: Values up to this size count as zero. Those of up to `LEAST_GAP` times this size decide nothing.
        what: What the number is, for the reason.
    """
    rank, sure = int((values > tolerance).sum()), int((values > LEAST_GAP * tolerance).sum())
    kept = float(values[rank - 1]) if rank else math.inf
    dropped = float(values[rank]) if rank < len(values) else 0.0
    return decision(rank, sure, kept, dropped, tolerance, what)


def decision(value: int, sure: int, kept: float, dropped: float, tolerance: float, what: str) -> Decision:
    """Return a numerical decision, undecided between `sure` and `value` if what counts is not surely above the tolerance."""
    if sure < value:
        why = (
            f"cannot decide between {what} {sure} and {value}: the singular value {kept:.3g} is above the tolerance "
            f"{tolerance:.2g} by less than the gap of {LEAST_GAP:.0f} that decides"
        )
        return Decision(None, "numerical", why, kept, max(dropped, tolerance))
    smallest = f"smallest singular value {kept:.2g}" if math.isfinite(kept) else "no singular value counts"
    return Decision(value, "numerical", f"{what} {value}: {smallest}, largest that counts as zero {dropped:.2g}", kept, dropped)

"""The refusal of what would not fit into memory, told from sizes before any work is done."""

import math

GIB = 4.0
"""What tables that grow with powers of the sizes may hold, where nothing else is said."""


class TooExpensive(ValueError):
    """Work was refused before it began, because of its estimated size."""


def refuse(work: str, gib: float, limit: float = 1.0, switch: str = "limit=") -> None:
    """Do nothing if work of so many GiB (2^30 bytes) is within the limit, a multiple of `GIB`.

    Raises:
        TooExpensive: names the work, the estimate, the limit and the argument that lifts the limit.
        ValueError: the limit is not a positive number.
    """
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit > 0:
        raise ValueError(f"{switch}{limit!r}: expected a number above 0, a multiple of {GIB:g} GiB")
    if gib > limit * GIB:
        size = f"about {gib:.2g} GiB" if gib < 1e6 else "more than a million GiB"
        needed = math.ceil(gib / GIB) if gib < 1e6 else "inf" if switch.endswith(" ") else "math.inf"
        raise TooExpensive(
            f"{work} would take {size}, but the limit is {limit * GIB:g} GiB; ask for less, or allow it with {switch}{needed}"
        )


def power(base: int, exponent: int) -> float:
    """``base ** exponent`` for counts, infinite where no float holds it."""
    logarithm = min(exponent, 10**9) * math.log(base)  # a longer exponent is no float itself
    return math.exp(logarithm) if logarithm < 700 else math.inf

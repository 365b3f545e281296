"""Refusal of work that would not fit into memory, from an estimate of its size before it begins."""

import math

GIB = 4.0
"""Default limit for tables that grow with powers of the sizes."""


class TooLarge(ValueError):
    """Work was refused before it began, because of its estimated size."""


def refuse(work: str, gib: float, limit: float = 1.0, switch: str = "limit=") -> None:
    """Refuse work of more than `limit` * `GIB` GiB (2^30 bytes).

    Raises:
        TooLarge: The work is too large; the message names it, the estimate, the limit and the argument that lifts the
            limit.
        ValueError: The limit is not a positive number.
    """
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit > 0:
        raise ValueError(f"{switch}{limit!r}: expected a number above 0, a multiple of {GIB:g} GiB")
    if gib > limit * GIB:
        size = f"about {gib:.2g} GiB" if gib < 1e6 else "more than a million GiB"
        needed = math.ceil(gib / GIB) if gib < 1e6 else "inf" if switch.endswith(" ") else "math.inf"
        raise TooLarge(
            f"{work} would take {size}, but the limit is {limit * GIB:g} GiB; ask for less, or allow it with {switch}{needed}"
        )


def power(base: int, exponent: int) -> float:
    """Return ``base ** exponent`` for counts, infinite where no float holds it."""
    logarithm = min(exponent, 10**9) * math.log(base)  # a larger exponent overflows anyway
    return math.exp(logarithm) if logarithm < 700 else math.inf

"""What both sides of the claim know."""

from theory import bounds

EVERY = range(1, 10)  # the hops that any size judges


def _needed(hops: int) -> int:
    return int(bounds.hop(hops, "strict").at())

"""How many rounds tell one cycle of N vertices from two cycles of N/2: by local views, and by pointer doubling.

That any parallel computation needs Omega(log N) rounds is the usual conjecture; nothing here speaks of it.
"""

from __future__ import annotations

from theory.checks import positive_integer

__all__ = ["cycle_rounds", "cycle_views"]


def cycle_views(length: int) -> tuple[int, int]:
    """Return the largest radius whose balls agree, and the most rounds of messages that agree, in one cycle and in two.

    A ball of radius r in a cycle of N/2 vertices is a path while it has a gap, ``2 r + 1 < N / 2``, as in the cycle of N.
    Messages of r rounds never pass along the edge between the two ends of the ball. So they agree for one vertex more,
    ``2 r + 1 <= N / 2``, if the ball has the same names in both graphs; beyond that the shorter cycle lacks names.

    Raises:
        ValueError: `length` is odd or below 6.

    >>> [cycle_views(length) for length in (6, 8, 10, 64)]
    [(0, 1), (1, 1), (1, 2), (15, 15)]
    """
    half = _half(length)
    return (half - 2) // 2, (half - 1) // 2


def cycle_rounds(length: int) -> tuple[int, int]:
    """Return two numbers of rounds of pointer doubling, to tell an N-cycle from two N/2-cycles: too few, and enough.

    After R rounds a vertex knows the vertex 2^R steps ahead. While ``2^R < N / 2`` this is a new vertex in both graphs, so the
    first number is the largest such R. The second is ``ceil(log2 N)``, after which every vertex has been reached.

    Raises:
        ValueError: `length` is odd or below 6.

    >>> cycle_rounds(16)
    (2, 4)
    """
    half = _half(length)
    return (half - 1).bit_length() - 1, (2 * half - 1).bit_length()


def _half(length: int) -> int:
    length = positive_integer("length", length, "the number of vertices")
    if length % 2 or length < 6:
        raise ValueError(f"length = {length}: expected an even number >= 6, because it is split into two cycles.")
    return length // 2

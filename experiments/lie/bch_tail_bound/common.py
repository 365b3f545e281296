"""What both sides of the claim know."""

from fractions import Fraction

SUMS = tuple(Fraction(k, 8) for k in (1, 6, 10, 14))  # of the two norms: from a sixteenth to seven eighths of the radius 2


BEYOND = Fraction(9, 4)  # a sum outside the radius of the bound


def norms_of(share: float, total: Fraction | float) -> tuple[float, float]:
    """The norms of X and Y with this sum, of which X has the share; no number of the grids is rounded."""
    return share * float(total), (1 - share) * float(total)

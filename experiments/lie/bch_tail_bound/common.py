"""What both sides of the claim know."""

SUMS = 1 / 8, 6 / 8, 10 / 8  # of the two norms, beside the largest one of the cell; the radius is 2


BEYOND = 9 / 4  # a sum outside the radius of the bound


TOGETHER = 12  # degree beyond which the bound takes words together


def norms_of(share: float, total: float) -> tuple[float, float]:
    """The norms of X and Y with this sum, of which X has the share; no number of the grids is rounded."""
    return share * total, (1 - share) * total

"""The placements of the norm, what is judged in few numbers, and the correlation that noise is said to leave."""

NORMS = ("post", "pre", "admin")


LINEAR = ("post", "admin")  # norms that commute with positive factors, of branches that are linear


FEW = (5, 9)  # depths at which the 1/n term is judged: less deep it is small, deeper the next one is not


LAYERS = 6  # of the narrowest stream


def correlation(noise: float) -> float:
    """The correlation of weights W with W + noise G at the variance of W."""
    return (1 + noise**2) ** -0.5

"""The laws of training and of testing."""

UNIFORM = 0.5  # the published Pr[1] in training


def laws(rare: float) -> tuple[float, float]:
    """Return Pr[1] in training, for each of the two laws."""
    return rare, UNIFORM


def shifted(frequent: float) -> tuple[float, float, float]:
    """Return Pr[1] in the tests off the law of training."""
    return 0.7, frequent, 0.9

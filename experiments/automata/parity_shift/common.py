"""The laws of training and of testing."""

from depthjax.verify import Cell

UNIFORM = 0.5  # the published Pr[1] in training


def laws(cell: Cell) -> tuple[float, float]:
    """Return Pr[1] in training, for each of the two laws."""
    return cell.rare, UNIFORM


def shifted(cell: Cell) -> tuple[float, float, float]:
    """Return Pr[1] in the tests off the law of training."""
    return 0.7, cell.frequent, 0.9

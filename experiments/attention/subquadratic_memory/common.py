"""What both sides of the claim know."""

from depthjax.verify import Cell, axis

GRIDS = {
    "test": Cell(features=axis(2), width=axis(1), bits=axis(2), layers=axis(3), keys=10, read=5),
    "quick": Cell(),
    "full": Cell(window=axis(1, 2, 5), layers=axis(1, 2, 3, 4)),
    "paper": Cell(window=axis(1, 2, 5), layers=axis(1, 2, 3, 4), keys=18, length=64),
}

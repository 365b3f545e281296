"""What the program does."""

from depthjax.verify import Quantity, measured


def measure(cell, key):
    return measured(measured=Quantity(float(cell.name == "all"), floor=0.0))

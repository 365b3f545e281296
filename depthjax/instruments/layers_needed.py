"""The fewest layers with which a network is right, found by taking layers away."""

from collections.abc import Callable

__all__ = ["fewest_layers"]


def fewest_layers(errors: Callable[[int], int], most: int) -> int:
    """Return the fewest layers L such that L, L + 1, ..., ``most`` layers make no error; ``most`` + 1 if ``most`` layers err.

    Layers are taken away one by one until the network errs.

    Args:
        errors: Number of layers -> number of wrong answers.
        most: The largest number of layers that is tried, at least 0.

    >>> fewest_layers(lambda layers: max(3 - layers, 0), most=5)
    3
    """
    needed = most + 1
    while needed and not errors(needed - 1):
        needed -= 1
    return needed

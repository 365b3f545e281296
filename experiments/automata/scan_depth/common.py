"""Lengths at which networks have the construction's own number of layers."""


def own_lengths(length: int) -> tuple[int, int, int]:
    """Return the shortest that takes two layers, one that a cell names, and a power of two."""
    return 3, length, 128

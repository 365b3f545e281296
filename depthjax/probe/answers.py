"""What theory says of what the instruments have found: the one file of this package that may import `theory`.

Everything here takes and returns plain numbers, arrays and words. While a claim measures, the names from `theory` refuse to be
used here as they do in the claim (`depthjax.runs.border`).
"""

from theory import lie


def error_order(letters: int, layers: int) -> int:
    """Return the order of the error of a tower of abelian layers on letters without relations: m_k(n).

    It is the lowest degree of the k-th derived ideal of the free Lie algebra on n letters, for k >= 1 layers and n >= 2.
    """
    return lie.derived_ideal_degree(letters, layers)

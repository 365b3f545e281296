"""The order in which k abelian layers err on given generators: the lowest degree of the derived ideal that does not vanish.

The k-th derived ideal of the free Lie algebra is graded. Its part of degree m, evaluated at the generators, spans

    D_0(1) = span of the generators,  D_0(m) = [D_0(1), D_0(m - 1)],  D_k(m) = sum over a + b = m of [D_{k-1}(a), D_{k-1}(b)].

A tower of k layers errs by eps^m times an element of D_k(m), so its order is the first m with D_k(m) != 0. It is the degree
m_k(n) of the free Lie algebra unless the generators satisfy relations.
"""

from functools import cache

import numpy as np
from jaxtyping import Float

from depthjax.probe.decision import Decision, decided_rank


def first_degree(
    generators: Float[np.ndarray, "letters size size"], layers: int, lowest: int, highest: int, tolerance: float
) -> Decision:
    """Return the lowest degree m from `lowest` to `highest` with D_layers(m) != 0.

    Args:
        generators: The matrices.
        layers: k, at least 1.
        lowest: A degree below which D_layers is zero.
        highest: Degree at which the search ends, without a value.
        tolerance: Relative singular values up to this one count as zero.

    Cost: highest^2 / 2 spans of up to size^4 brackets for every layer.
    """
    size = generators.shape[-1]
    flat = generators.reshape(len(generators), -1)
    scaled = flat / (np.linalg.norm(flat, axis=1).max(initial=0.0) or 1.0)

    @cache
    def span(level: int, degree: int) -> tuple[np.ndarray, Decision]:
        if level == 0:
            rows = scaled if degree == 1 else brackets(span(0, 1)[0], span(0, degree - 1)[0])
        else:
            halves = [(a, degree - a) for a in range(2 ** (level - 1), degree // 2 + 1)]
            rows = np.concatenate([scaled[:0], *(brackets(span(level - 1, a)[0], span(level - 1, b)[0]) for a, b in halves)])
        values, vectors = np.linalg.svd(rows, full_matrices=False)[1:] if len(rows) else (np.zeros(0), rows)
        rank = decided_rank(values, tolerance, f"degree {degree} of dimension")
        return vectors[: int((values > tolerance).sum())], rank

    def brackets(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        left, right = a.reshape(-1, 1, size, size), b.reshape(1, -1, size, size)
        return (left @ right - right @ left).reshape(-1, size * size)

    for degree in range(lowest, highest + 1):
        rank = span(layers, degree)[1]
        if rank.value is None:
            return Decision(None, "numerical", f"order {degree} or more: {rank.why}", rank.kept, rank.dropped)
        if rank.value:
            return Decision(degree, "numerical", f"lower degrees vanish; {rank.why}", rank.kept, rank.dropped)
    return Decision(None, "numerical", f"no element of degree {lowest} .. {highest} was found")

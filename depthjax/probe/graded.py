"""The order in which k abelian layers err on given generators: the lowest degree of the derived ideal that does not vanish.

The k-th derived ideal of the free Lie algebra is graded. Its part of degree m, evaluated at the generators, spans

    D_0(1) = span of the generators,  D_0(m) = [D_0(1), D_0(m - 1)],  D_k(m) = sum over a + b = m of [D_{k-1}(a), D_{k-1}(b)].

A tower of k layers errs by eps^m times an element of D_k(m), so its order is the first m with D_k(m) != 0. It is the degree
m_k(n) of the free Lie algebra unless the generators satisfy relations.
"""

from functools import cache

import numpy as np
from jaxtyping import Float

from depthjax.probe.decision import Decision
from depthjax.probe.generated_algebra import bracket_noise, of_norm_one
from depthjax.probe.spans import NoisySpan, noisy_span


def first_degree(
    generators: Float[np.ndarray, "letters size size"],
    layers: int,
    lowest: int,
    highest: int,
    tolerance: float,
    noise: Float[np.ndarray, " letters"],
) -> Decision:
    """Return the lowest degree m from `lowest` to `highest` with D_layers(m) != 0.

    Args:
        generators: The matrices.
        layers: k, at least 1.
        lowest: A degree below which D_layers is zero.
        highest: Degree at which the search ends, without a value.
        tolerance: Unit of the noise; singular values over their noise up to this one count as zero.
        noise: Error of each matrix, over its norm and over the tolerance. No D_k(m) changes when a generator is scaled.

    Cost: highest^2 / 2 spans of up to size^4 brackets for every layer.
    """
    size = generators.shape[-1]
    scaled, norms = of_norm_one(generators)
    letters, errors = scaled[norms > 0].reshape(-1, size * size), noise[norms > 0]

    @cache
    def span(level: int, degree: int) -> NoisySpan:
        if level == 0:
            rows, spoiled = (letters, errors) if degree == 1 else brackets(span(0, 1), span(0, degree - 1))
        else:
            halves = [(a, degree - a) for a in range(2 ** (level - 1), degree // 2 + 1)]
            parts = [(letters[:0], errors[:0]), *(brackets(span(level - 1, a), span(level - 1, b)) for a, b in halves)]
            rows, spoiled = (np.concatenate(part) for part in zip(*parts, strict=True))
        return noisy_span(rows, spoiled, tolerance, f"degree {degree} of dimension")

    def brackets(a: NoisySpan, b: NoisySpan) -> tuple[np.ndarray, np.ndarray]:
        left, right = a.vectors.reshape(-1, 1, size, size), b.vectors.reshape(1, -1, size, size)
        return (left @ right - right @ left).reshape(-1, size * size), bracket_noise(a.noise, b.noise).ravel()

    for degree in range(lowest, highest + 1):
        rank = span(layers, degree).rank
        if rank.value is None:
            return Decision(None, "numerical", f"order {degree} or more: {rank.why}", rank.kept, rank.dropped)
        if rank.value:
            return Decision(degree, "numerical", f"lower degrees vanish; {rank.why}", rank.kept, rank.dropped)
    return Decision(None, "numerical", f"no element of degree {lowest} .. {highest} was found")

"""Encodings that are drawn for a cell, in which one irrep leads, and the conditions under which features are predicted.

The thresholds only say which encodings are drawn. They keep the budgets small: what is left at the start is a power of alpha
with an exponent of at least (1 - NEXT) 5/6, and the loss that Adam leaves counts by the inverse of the least singular value.
"""

import numpy as np

from depthjax.verify import Hypothesis
from theory.composition import score, spectrum
from theory.composition.features import first_irreps
from theory.groups import FiniteGroup, fourier

AHEAD = 1.15  # the least ratio of the largest score and the next one
NEXT = 0.6  # the largest ratio of the second singular value of the leading coefficient and its first one
LEAST = 0.3  # the least singular value of all coefficients, in the norm of the encoding by Plancherel
DRAWS = 2_000  # of an encoding; in 60 drawn groups at most 138 were needed


def drawn_encoding(finite: FiniteGroup, leader: int, lead: float, seed: int) -> np.ndarray:
    """Return a centred encoding of norm one: Gaussian up to the size of one part, drawn until its hypotheses hold.

    Args:
        finite: The group.
        leader: The irrep of the largest score, counted from the last one; a conjugate pair counts once.
        lead: The ratio of its score and the next one.
        seed: Of all draws.
    """
    source = np.random.default_rng(seed)
    for _ in range(DRAWS):
        encoding = _led(finite, leader, lead, source.normal(size=finite.order))
        if all(condition.holds for condition in hypotheses(finite, encoding)):
            break
    return encoding


def hypotheses(finite: FiniteGroup, encoding: np.ndarray) -> tuple[Hypothesis, ...]:
    """Return the conditions, and whether they hold."""
    components, first = spectrum(finite, encoding), first_irreps(finite, encoding)
    leader = min(first)
    twice = 2 if components[leader].kind == "quaternionic" else 1
    values = np.linalg.svd(fourier(finite, encoding)[leader], compute_uv=False)[::twice]
    scores = [float(score(component, 2)) for component in components]
    others = [own for number, own in enumerate(scores) if number not in first]
    least = min(float(component.smallest) for component in components[1:])  # type: ignore[arg-type]
    power = sum(component.dimension * float(component.square_norm) for component in components)  # type: ignore[arg-type]
    return (
        Hypothesis("one irrep has the largest score", scores[leader] > AHEAD * max(others)),
        Hypothesis("one singular value of its coefficient is the largest", bool((values[1:] < NEXT * values[0]).all())),
        Hypothesis("no other coefficient is nearly singular", least > LEAST * (power / finite.order) ** 0.5),
    )


def function(finite: FiniteGroup, coefficients: list[np.ndarray]) -> np.ndarray:
    """Return the real function with these coefficients, summed with the matrices of the irreps."""
    total = np.zeros(finite.order, complex)
    for irrep, coefficient in zip(finite.irreps, coefficients, strict=True):
        total += irrep.dimension * np.einsum("gij,ji->g", np.asarray(irrep.matrices), coefficient)
    return np.real(total) / finite.order


def _led(finite: FiniteGroup, leader: int, lead: float, values: np.ndarray) -> np.ndarray:
    """The centred encoding of norm one with another size at the irrep that leads, and at its conjugate."""
    scores = [float(score(component, 2)) for component in spectrum(finite, values)]
    irreps = [irrep for irrep in finite.irreps[1:] if irrep.conjugate >= irrep.number]
    first = irreps[-1 - leader % len(irreps)]
    behind = max((scores[irrep.number] for irrep in irreps if irrep is not first), default=0.0)
    stretch = (lead * behind / scores[first.number]) ** (1 / 3) if behind else 1.0
    both = {first.number, first.conjugate}
    coefficients = fourier(finite, values)
    part = function(finite, [(stretch - 1) * c if i in both else 0 * c for i, c in enumerate(coefficients)])
    led = values - values.mean() + part
    return led / np.linalg.norm(led)

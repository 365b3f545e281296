"""The hypotheses of Theorem 4.1 and of the explicit weights on an encoding, checked."""

from __future__ import annotations

import itertools

import numpy as np
import sympy

from theory.composition.spectrum import Component, spectrum
from theory.composition.utility import score
from theory.groups import FiniteGroup

__all__ = ["hypotheses"]


def hypotheses(group: FiniteGroup, encoding: np.ndarray, length: int) -> list[tuple[str, bool]]:
    """Return the hypotheses of the order of learning as ``(statement, holds)``; a statement that fails names the irreps.

    (a) The encoding is centred. (b) Each Fourier coefficient is zero or invertible. (c) The scores of irreps differ, unless the
    irreps are conjugate. Networks can be trained on any encoding, but the order is predicted only under these hypotheses.

    >>> from theory.groups import group
    >>> s3 = group("S3")
    >>> [holds for _, holds in hypotheses(s3, np.array([5, -1, -1, -1, -1, -1]), 2)]
    [True, True, True]
    """
    components = spectrum(group, encoding)
    centred = components[0].norm == 0
    singular = [i for i, c in enumerate(components) if c.norm != 0 and float(c.smallest) <= 1e-10 * float(c.norm)]  # type: ignore[arg-type]
    ties = _ties(group, components, length)
    return [
        ("the encoding is centred: its trivial coefficient is zero", centred),
        (
            "each Fourier coefficient is zero or invertible"
            + (f" (irreps {', '.join(map(str, singular))} are neither)" if singular else ""),
            not singular,
        ),
        (
            "the scores of the irreps differ" + (f" (equal: {', '.join(f'{i} and {j}' for i, j in ties)})" if ties else ""),
            not ties,
        ),
    ]


def _ties(group: FiniteGroup, components: list[Component], length: int) -> list[tuple[int, int]]:
    irreps = group.irreps
    active = [i for i, c in enumerate(components) if i > 0 and c.norm != 0 and irreps[i].conjugate >= i]
    scores = {i: sympy.N(score(components[i], length)) for i in active}
    return [(i, j) for i, j in itertools.combinations(active, 2) if abs(scores[i] - scores[j]) <= 1e-9 * scores[i]]

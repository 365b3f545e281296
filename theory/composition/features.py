r"""The features of a network that composes two letters: its weights, convolved on the group.

A network of quadratic neurons w (<u, x_a> + <v, x_b>)^2 answers the letters a and b. Its feature is the function

.. math:: t[g] = \sum_{\text{neurons}} \sum_{c b^{-1} a = g} u[c]\, w[b]\, v[a], \qquad
   \hat t[\rho] = \sum_{\text{neurons}} \hat v\, \hat w^* \hat u.

**How it starts.** A small neuron climbs its utility, the mean of 2 <w, x_ab> <u, x_a> <v, x_b>. By Plancherel it is :math:`2
|G|^{-3} \sum_\rho n_\rho \operatorname{tr}(\hat x^* \hat w\, \hat v^* \hat x\, \hat u^* \hat x)`. The neurons that grow first
lie in the irrep of the largest score. Norms bound the trace, and it reaches its bound where :math:`\hat u \propto p q r^*`,
:math:`\hat v \propto p \beta^*` and :math:`\hat w \propto p q \beta^*`: p and r are the leading singular vectors of the
coefficient, q is a sign, a phase or a unit quaternion as the type of the irrep has it, and beta is free. Both cancel in
:math:`\hat v \hat w^* \hat u \propto p r^*`. A real function of norm one has :math:`\|\hat u\|_F^2 = |G| / n` at an irrep, or
half of it at each of a conjugate pair. Quaternionic :math:`p r^*` has rank two and the square norm two. So the multiple is
:math:`(|G| / C n)^{3/2}`, with C = 1 for real type and 2 otherwise.

**How it ends.** Where there is no loss, :math:`2 \sum \langle u, x_a \rangle \langle v, x_b \rangle w = x_{ab}`. Entries of
irreps are linearly independent, so their products on both sides have the same factors: with :math:`A = \hat u^* \hat x` and
:math:`B = \hat v^* \hat x` the sum of :math:`A_{ji} B_{lk} \hat w_{nm}` over the neurons is :math:`|G|^2 / (2 n^2)\,
\delta_{jk} \delta_{lm} \hat x_{ni}`. Contracted as :math:`\hat t^* = \sum A \hat x^{-1} \hat w B \hat x^{-1}` it leaves
:math:`|G|^2 / 2 \; \hat x^{-1}`.

Both are derived here. The trivial coefficient of an encoding that is centred is zero, so nothing is said of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theory.composition.spectrum import spectrum
from theory.composition.utility import learning_order
from theory.groups import fourier

if TYPE_CHECKING:
    from theory.groups import FiniteGroup

__all__ = ["final_features", "first_features", "first_irreps"]


def first_irreps(group: FiniteGroup, encoding: np.ndarray) -> set[int]:
    """Return the irrep that is learned first, with its conjugate.

    Raises:
        IndexError: the encoding is constant, so no irrep is learned.

    >>> from theory.groups import group
    >>> first_irreps(group("C5"), np.cos(2 * np.pi * np.arange(5) / 5)) == {1, group("C5").irreps[1].conjugate}
    True
    """
    centred = np.asarray(encoding) - np.mean(encoding)
    leader = group.irreps[learning_order(spectrum(group, centred), 2)[0]]
    return {leader.number, leader.conjugate}


def first_features(group: FiniteGroup, encoding: np.ndarray) -> list[np.ndarray]:
    r"""Return the coefficients of the feature with which learning starts: that of one neuron whose three blocks have norm one.

    They are :math:`(|G| / C n)^{3/2} p r^*` at the irrep that is learned first and at its conjugate, and zero at all others.
    Where the largest singular value is not alone, p and r are some of its vectors. Cost: that of `spectrum`.

    >>> from theory.groups import group
    >>> [c.round(6).tolist() for c in first_features(group("C2"), np.array([-3, 3]))]
    [[[0.0]], [[-2.828427]]]
    """
    first, found = first_irreps(group, encoding), []
    for irrep, coefficient in zip(group.irreps, fourier(group, np.asarray(encoding)), strict=True):
        left, _, right = np.linalg.svd(coefficient)
        rank = 2 if irrep.kind == "quaternionic" else 1
        doubled = irrep.dimension * (1 if irrep.kind == "real" else 2)
        multiple = (group.order / doubled) ** 1.5 if irrep.number in first else 0.0
        found.append(multiple * left[:, :rank] @ right[:rank])
    return found


def final_features(group: FiniteGroup, encoding: np.ndarray) -> list[np.ndarray]:
    r"""Return the coefficients :math:`|G|^2 / 2\; (\hat x^*)^{-1}` of the feature of any network without loss.

    Cost: a transform and an inverse for each irrep.

    Raises:
        numpy.linalg.LinAlgError: a coefficient is singular, so the codes do not determine the feature.

    >>> from theory.groups import group
    >>> [c.tolist() for c in final_features(group("C2"), np.array([-4, 4]))]
    [[[0.0]], [[-0.25]]]
    """
    trivial, *others = fourier(group, np.asarray(encoding))
    return [0 * trivial, *(group.order**2 / 2 * np.linalg.inv(c).conj().T for c in others)]

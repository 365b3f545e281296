"""Encodings on which the theory is tried: generic ones, and ones whose Fourier coefficients are given exactly.

`SPECTRA` are chosen such that the score orders the irreps of each group otherwise than their power does. Non-trivial irreps
take the sizes of their dimension and kind in turn, a conjugate takes that of its partner, and the trivial coefficient is zero.

`PAIRS` are two irreps with sizes at either side of the tie of their scores, so that a score with another exponent, without a
factor, or of another norm puts one of the two sizes on the wrong side. Their coefficients are not multiples of the identity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import sympy

from theory.composition.spectrum import Component
from theory.composition.utility import score
from theory.groups.fourier import fourier, inverse_fourier

if TYPE_CHECKING:
    from theory.groups import FiniteGroup

__all__ = [
    "PAIRS",
    "SPECTRA",
    "Pair",
    "SpectralTask",
    "generic_task",
    "last_share",
    "part_in",
    "scalar_components",
    "spectral_task",
]

Sizes = Mapping[tuple[int, str], Sequence[int | Fraction]]

SPECTRA: Mapping[str, Sizes] = {
    "S3": {(1, "real"): (1,), (2, "real"): (Fraction(4, 5),)},
    "C6": {(1, "real"): (1,), (1, "complex"): (Fraction(9, 10), Fraction(7, 10))},
    "D4": {(1, "real"): (1, Fraction(4, 5), 0), (2, "real"): (Fraction(4, 5),)},
    "Q8": {(1, "real"): (1, Fraction(4, 5), 0), (2, "quaternionic"): (Fraction(17, 20),)},
}


@dataclass(frozen=True)
class Pair:
    """Two irreps of a group, and two sizes of the second.

    Attributes:
        irreps: Their numbers in ``group.irreps``; a complex one stands for its conjugate too.
        sizes: Operator norm of the second coefficient where the first has norm 1: one size for each order of learning.
    """

    irreps: tuple[int, int]
    sizes: tuple[Fraction, Fraction]

    def singular_values(self, group: FiniteGroup, size: int) -> tuple[tuple[Fraction, ...], ...]:
        """The singular values of both coefficients: the largest, and half of it as often as the type allows.

        Singular values of a quaternionic coefficient come in pairs.

        >>> from theory.groups import group
        >>> [[str(s) for s in values] for values in PAIRS["S3", 2].singular_values(group("S3"), 0)]
        [['1'], ['16/15', '8/15']]
        """
        irreps = [group.irreps[number] for number in self.irreps]
        largest = [2 if irrep.kind == "quaternionic" else 1 for irrep in irreps]
        return tuple(
            (norm,) * many + (norm / 2,) * (irrep.dimension - many)
            for irrep, norm, many in zip(irreps, (Fraction(1), self.sizes[size]), largest, strict=True)
        )

    def components(self, group: FiniteGroup, size: int) -> list[Component]:
        """The components of both irreps, exactly.

        >>> from theory.groups import group
        >>> [component.square_norm for component in PAIRS["S3", 2].components(group("S3"), 0)]
        [1, 64/45]
        """
        irreps = [group.irreps[number] for number in self.irreps]
        return [
            Component(irrep.dimension, irrep.kind, *map(sympy.Rational, (s[0], sum(x**2 for x in s), s[-1])))
            for irrep, s in zip(irreps, self.singular_values(group, size), strict=True)
        ]


# sizes within seven percent of the tie of the scores, by group and length
PAIRS: Mapping[tuple[str, int], Pair] = {
    ("S3", 2): Pair((1, 2), (Fraction(16, 15), Fraction(13, 11))),
    ("S3", 3): Pair((1, 2), (Fraction(9, 8), Fraction(5, 4))),
    ("C6", 2): Pair((3, 4), (Fraction(16, 15), Fraction(13, 11))),
    ("Q8", 2): Pair((1, 4), (Fraction(6, 5), Fraction(4, 3))),
    ("A4", 2): Pair((1, 3), (Fraction(51, 50), Fraction(9, 8))),
    ("C7:C3", 2): Pair((1, 3), (Fraction(8, 7), Fraction(19, 15))),
    ("S4", 2): Pair((2, 3), (Fraction(51, 50), Fraction(9, 8))),
    ("A5", 2): Pair((1, 4), (Fraction(31, 30), Fraction(8, 7))),
}


def generic_task(group: FiniteGroup, *, centred: bool = True, condition: float = 1e4) -> dict:
    """A task whose encoding has integer entries up to a factor, so that its Fourier coefficients are not scalar.

    The integers depend on the name of the group alone. No coefficient is zero, or nearly singular, but the trivial one of a
    centred encoding.

    Args:
        group: The group.
        centred: Subtract the mean, before anything is rounded.
        condition: Largest condition number of the codes before they are centred; one draw in fifty has 10 or less for order 60.

    Returns:
        ``table``, the Cayley table; ``encoding``, the encoding x in float64, one number for each element; ``irreps``, kind and
        matrices of the non-trivial irreps, in the order of ``group.irreps``.

    >>> from theory.groups import group
    >>> bool(abs(generic_task(group("S3"))["encoding"].sum()) < 1e-15)
    True
    """
    source = np.random.default_rng([ord(letter) for letter in group.name])
    entries = source.integers(-99, 100, size=group.order)
    while np.linalg.cond(entries[group.table]) > condition:  # the singular values of the coefficients, each n times
        entries = source.integers(-99, 100, size=group.order)
    encoding = group.order * entries - (entries.sum() if centred else 0)
    encoding = encoding / (group.order * float(np.sqrt(entries @ entries)))
    irreps = tuple((irrep.kind, np.asarray(irrep.matrices)) for irrep in group.irreps[1:])
    return {"table": np.asarray(group.table), "encoding": encoding, "irreps": irreps}


def part_in(group: FiniteGroup, encoding: np.ndarray, kept: Sequence[bool]) -> np.ndarray:
    """Return the part of an encoding in some irreps: the Fourier coefficients of the others are set to zero.

    Args:
        group: The group.
        encoding: One real number for each element.
        kept: Whether each irrep is kept, in the order of ``group.irreps``; conjugates together, so that the part is real.

    >>> from theory.groups import group
    >>> part_in(group("C2"), np.array([3.0, 1.0]), [False, True])
    array([ 1., -1.])
    """
    coefficients = [c * keep for c, keep in zip(fourier(group, encoding), kept, strict=True)]
    return np.real(np.asarray(inverse_fourier(group, coefficients)))


def last_share(group: FiniteGroup, encoding: np.ndarray) -> float:
    """Return the largest entry of the part of an encoding in the last irrep and its conjugate, over that of the encoding.

    A code is the encoding moved by an element, so a network for all other irreps misses as much of the code of every product.

    Args:
        group: The group; its last irrep is that of ``group.irreps``.
        encoding: One real number for each element.

    >>> from theory.groups import group
    >>> last_share(group("C2xC2"), np.array([3, 1, -2, -2]))  # 2 (1, 1, -1, -1), and half of each of the other two signs
    0.16666666666666666
    """
    last = group.irreps[-1]
    part = part_in(group, encoding, [irrep.number in (last.number, last.conjugate) for irrep in group.irreps])
    return float(np.abs(part).max() / np.abs(encoding).max())


def scalar_components(group: FiniteGroup, sizes: Sizes) -> list[Component]:
    """The components of the encoding whose coefficients are these multiples of the identity, in the order of the irreps.

    Args:
        group: The group.
        sizes: For each dimension and kind the sizes of its non-trivial irreps, one for each conjugate pair.

    Raises:
        ValueError: the sizes are more or fewer than the irreps.

    >>> from theory.groups import group
    >>> [component.norm for component in scalar_components(group("C6"), SPECTRA["C6"])]
    [0, 9/10, 9/10, 1, 7/10, 7/10]
    """
    remaining = {place: list(given) for place, given in sizes.items()}
    found: list[Component] = [Component.scalar(1, "real", sympy.Integer(0))]
    for irrep in group.irreps[1:]:
        place = irrep.dimension, irrep.kind
        if irrep.conjugate < irrep.number:
            found.append(found[irrep.conjugate])
        elif remaining.get(place):
            found.append(Component.scalar(*place, sympy.Rational(remaining[place].pop(0))))
        else:
            raise ValueError(f"no size is left for irrep {irrep.number} of {group.name}, of dimension and kind {place}")
    if left := {place: unused for place, unused in remaining.items() if unused}:
        raise ValueError(f"{group.name} has no irreps for the sizes {left} by dimension and kind")
    return found


@dataclass(frozen=True)
class SpectralTask:
    """A composition task whose Fourier coefficients are exact multiples of the identity.

    Attributes:
        group: The group.
        components: The components of all irreps, in the order of ``group.irreps``.
    """

    group: FiniteGroup
    components: tuple[Component, ...]

    @property
    def active(self) -> list[int]:
        """The irreps that can be learned: those with a coefficient that is not zero, the first of each conjugate pair."""
        irreps = enumerate(self.group.irreps)
        return [i for i, irrep in irreps if self.components[i].norm != 0 and irrep.conjugate >= i]

    @property
    def parts(self) -> list[Component]:
        """The components of these irreps, each of which stands for its conjugate too."""
        return [self.components[i] for i in self.active]

    def scores_differ(self, length: int) -> bool:
        """Whether no two parts have the same score, compared exactly."""
        scores = [score(component, length) for component in self.parts]
        return len(set(scores)) == len(scores)


def spectral_task(group: FiniteGroup) -> SpectralTask:
    """The task of this group with its coefficients in `SPECTRA`.

    >>> from theory.groups import group
    >>> task = spectral_task(group("C6"))
    >>> task.active, task.scores_differ(2)
    ([1, 3, 4], True)
    """
    return SpectralTask(group, tuple(scalar_components(group, SPECTRA[group.name])))

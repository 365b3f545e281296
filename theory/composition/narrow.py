r"""What a network that is too narrow leaves of the composition of k elements: the tail of a flattening, in closed form.

The part of a unit of z^k that depends on every letter is a tensor of rank one, and the target has no other part
(`least_two_layer_width`). So the loss of H units is at least the distance of the target, as a matrix, from the matrices of
rank H: the squares of its singular values beyond the first H (Eckart and Young).

In the irrep rho of dimension n the target is ``(n / |G|) tr(rho(g_1) .. rho(g_k) rho(h) x^)``. Write ``x^ = U S V*``. The
entries of ``V* rho(g_1)``, ``rho(g_2)``, .., ``rho(h) U`` are orthogonal with mean square 1/n. So each closed path of indices
through the k + 1 sites is a product of orthogonal functions. Its weight is ``s_i / |G| n^(1 - (k+1)/2)``, with i the index
between output and first letter. With every other site as rows,

* odd k: row and column each determine the path: ``n^k`` singular values for every s_i;
* even k: first letter and output are both rows, and the paths that differ in i alone are one row: ``n^k`` singular values
  with ``sum_i s_i^2`` in the place of ``s_i^2``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy

from theory.bound import Assumption, Bound, Report, integral
from theory.checks import integer
from theory.composition.bilinear import Typed
from theory.composition.crossed import crossed_units
from theory.composition.dihedral import plane_and_signs
from theory.composition.lengths import word_length
from theory.composition.sufficient import sufficient
from theory.composition.widths import least_two_layer_width, least_units
from theory.groups import FiniteGroup
from theory.groups import group as finite_group
from theory.registry import registered

__all__ = ["WidthDichotomy", "flattening_squares", "least_loss", "narrow_loss", "width_dichotomy"]

_MOST_TOKENS = 1000


class WidthDichotomy(Report):
    """The least width that is proved for one hidden layer of z^k, and the widths that are known to suffice.

    Attributes:
        bound: The lower bound.
        sufficient: Widths of explicit networks by their construction.
    """

    def __init__(self, bound: Bound, sufficient: dict[str, int]) -> None:
        self.bound, self.sufficient = bound, sufficient

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The widths that suffice."""
        return {"sufficient": tuple(f"{width} units: {name}" for name, width in self.sufficient.items())}


@registered
def width_dichotomy(group: str | FiniteGroup, tokens: int) -> WidthDichotomy:
    """Return a lower bound on the hidden units of one layer of z^k that composes k elements.

    It is exponential in k for every non-abelian group. For a fixed abelian group the bound is |G| - 1 up to one unit, and a
    number of units that is polynomial in k suffices.

    Args:
        group: A group, or its name: C12, D4 (of order 8), Q8, S4, A5, ...
        tokens: Number of elements k that are multiplied, from 2 to 1000.

    Raises:
        ValueError: No group has this name, or `tokens` is not an integer from 1 to 1000.

    >>> width_dichotomy(group="S3", tokens=6).at()
    98.0
    >>> width_dichotomy("S3", 2).at(), next(iter(width_dichotomy("S3", 2).sufficient.items()))
    (10.0, ('squared distances', 10))
    >>> [(width_dichotomy(name, 2).at(), min(width_dichotomy(name, 2).sufficient.values())) for name in ("C3", "C4")]
    [(3.0, 3), (5.0, 5)]
    >>> min(width_dichotomy("C2", 8).sufficient.values())
    8
    >>> width_dichotomy("S3", 3).at(), min(width_dichotomy("S3", 3).sufficient.values())
    (18.0, 27)
    """
    g, k = finite_group(group), sympy.Symbol("tokens", positive=True)
    length = _number_of_tokens(tokens)
    irreps = g.irreps[1:]
    least = least_units(irreps, max(length, 2))
    return WidthDichotomy(
        Bound(
            side="below",
            expr=sympy.Integer(least),
            quantity=f"the units of one hidden layer of z^k that composes {length} elements of {g.name} exactly",
            assumes=(
                integral(k, least=2),
                Assumption("the units are powers z^k with k the number of elements (taken as given)"),
                Assumption("the code is real and no Fourier coefficient but the trivial one is singular (taken as given)"),
            ),
            source=_least_source(irreps, max(length, 2)),
            values={k: sympy.Integer(length)},
        ),
        sufficient(g, length),
    )


def _least_source(irreps: Sequence[Typed], length: int) -> str:
    """Where the least number of units comes from."""
    if least_units(irreps, length) == least_two_layer_width(irreps, length):
        return "rank of the flattened target (derived, theory.composition.widths)"
    if length > 2 and length % 2 == 0 and least_units(irreps, length) == crossed_units(irreps, length):
        return "rank of three outputs of the target, crossed, and the units of a sign (derived, theory.composition.crossed)"
    if length > 2:
        return "rank of the flattened target, and the units of a sign or a complex irrep (derived, theory.composition.widths)"
    if plane_and_signs(irreps):
        return "de Groote, Theoret. Comput. Sci. 7 (1978), and squares out of balance (derived, theory.composition.dihedral)"
    return "Alder and Strassen, Theoret. Comput. Sci. 15 (1981), and units of rank one (derived, theory.composition.widths)"


@registered
def narrow_loss(group: str | FiniteGroup, tokens: int, units: int) -> Bound:
    """Return the least mean square error of one hidden layer of z^k with few units, for the one-hot code.

    The mean is over all words and over the entries of the code, and the code is centred.

    Args:
        group: A group, or its name.
        tokens: Number of elements k that are multiplied, from 2 to 1000.
        units: Number of hidden units H, at least 0.

    Raises:
        ValueError: No group has this name, or a number is out of its range.

    >>> narrow_loss("S3", tokens=2, units=4).expr, narrow_loss("S3", 2, 0).expr, narrow_loss("S3", 2, 5).expr
    (1/36, 5/36, 0)
    """
    g = finite_group(group)
    units = integer("units", units, "of the hidden layer", least=0)
    length = _number_of_tokens(tokens)
    k = sympy.Symbol("tokens", positive=True)
    parts = [(irrep.dimension, [sympy.Integer(1)] * irrep.dimension) for irrep in g.irreps[1:]]
    return Bound(
        side="below",
        expr=sympy.sympify(least_loss(flattening_squares(parts, g.order, max(length, 2)), units)),
        quantity=f"the mean square error of {units} units of z^k that compose {length} elements of {g.name}, one-hot code",
        assumes=(
            integral(k, least=2),
            Assumption("the units are powers z^k with k the number of elements (taken as given)"),
        ),
        source="tail of the singular values of the flattened target (derived, theory.composition.narrow)",
        values={k: sympy.Integer(length)},
    )


def _number_of_tokens(tokens: int) -> int:
    length = integer("tokens", tokens, "a number of group elements", least=1)
    if length > _MOST_TOKENS:
        raise ValueError(f"tokens = {length}: expected at most {_MOST_TOKENS}, because the answer has thousands of digits.")
    return length


def flattening_squares(parts: Iterable[tuple[int, Sequence[Any]]], order: int, length: int) -> list[tuple[Any, int]]:
    """Return the squared singular values of the flattened target and how often each occurs, the largest first.

    The squares add up to the mean square of the target over all words and outputs.

    Args:
        parts: Dimension n of each non-trivial irrep, and the n squared singular values of its Fourier coefficient.
        order: Order of the group.
        length: Number of elements k, at least 2.

    >>> flattening_squares([(1, [1]), (2, [1, 1])], 6, 2)
    [(1/36, 5)]
    """
    parts = list(parts)
    length = word_length(length, 2, sizes=(n for n, _ in parts))
    found: dict[Any, int] = {}
    for n, squares in parts:
        weight = sympy.Rational(1, order**2 * n ** (length - 1))
        for square in squares if length % 2 else [sum(squares)]:
            found[weight * square] = found.get(weight * square, 0) + n**length
    return sorted(found.items(), key=lambda item: -float(item[0]))


def least_loss(squares: Iterable[tuple[Any, int]], units: int) -> Any:
    """Return what the largest `units` squares leave of their sum.

    Raises:
        ValueError: `units` is not an integer >= 0.

    >>> least_loss([(3, 2), (1, 4)], 3)
    3
    """
    units = integer("units", units, "of the hidden layer", least=0)
    left = 0
    for square, times in squares:
        taken = min(units, times)
        units -= taken
        left += (times - taken) * square
    return left

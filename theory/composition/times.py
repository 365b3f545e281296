"""When gradient flow from a vanishing start learns each irrep of a composition, as a question with a number for an answer."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from theory.bound import Assumption, Bound, Number, Report
from theory.checks import integer, nonnegative_number, positive_integer
from theory.composition.spectrum import Component
from theory.composition.utility import activation_time
from theory.groups import FiniteGroup
from theory.groups.given import finite_group
from theory.registry import registered

__all__ = ["LearningTime", "learning_time"]

_MOST = 200


@dataclass(frozen=True, repr=False)
class LearningTime(Report):
    """The time at which gradient flow learns an irrep.

    Attributes:
        group: The group.
        irrep: The number of the irrep.
        times: The times of all irreps but the trivial one, if each had this coefficient, by number.
        bound: The time of the one that was asked for.
    """

    group: FiniteGroup
    irrep: int
    times: dict[int, sympy.Expr]
    bound: Bound

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The times of all irreps with this coefficient."""
        named = self.group.irreps
        lines = (
            f"irrep {number} (dimension {named[number].dimension}, {named[number].kind}): {float(time):.6g}"
            for number, time in sorted(self.times.items(), key=lambda item: float(item[1]))
        )
        return {"times": tuple(lines)}


@registered(subject="NAME|FILE")
def learning_time(group: str | FiniteGroup, irrep: int = 1, tokens: int = 2, coefficient: Number = 1) -> LearningTime:
    r"""Return when gradient flow from a vanishing start learns an irrep of a composition (AGF).

    One hidden layer of z^k units learns the product of k elements. Every neuron theta moves at the rate ||theta||^(1-k), as in
    the alternating gradient flow. The time is in units of log(1/alpha) for a start of scale alpha:

        1 / ((k+1) U),   U = k! s / ((k+1) |G|)^((k+1)/2),   s = c^(k+1) / (C n)^((k-1)/2)

    with c the coefficient, n the dimension, and C = 1 for a real irrep, 2 for others. At rate 1 an aligned neuron takes
    alpha^(1-k) / ((k-1) (k+1) U) instead, which is no multiple of log(1/alpha).

    Args:
        group: The group, or its name.
        irrep: Number of the irrep, in the order of the character table; 0 is the trivial one, which is the mean.
        tokens: Number k of elements that are composed, from 2 to 200.
        coefficient: Size c of the Fourier coefficient of the code; 1 for the one-hot code.

    Raises:
        ValueError: There is no such irrep or group, or a number is not positive.
        TooExpensive: The group is too large, see `theory.cost`.

    >>> round(learning_time("C2").at(), 6), learning_time("S3", irrep=2).irrep
    (2.44949, 2)
    """
    found = finite_group(group)
    tokens = positive_integer("tokens", tokens, "the number of elements that are composed")
    if tokens > _MOST:
        raise ValueError(f"tokens = {tokens}: expected at most {_MOST}, because the time is a root of a factorial of it.")
    count = len(found.irreps)
    irrep = integer("irrep", irrep, "the number of an irrep", least=0)
    if count == 1:
        raise ValueError(
            f"{found.name} has the trivial irrep alone, which is learned as the mean: expected a group of two elements or more"
        )
    if not 0 < irrep < count:
        raise ValueError(
            f"irrep = {irrep!r}: expected a number from 1 to {count - 1}, because {found.name} has {count} irreps and the "
            "trivial one is learned as the mean"
        )
    size = nonnegative_number("coefficient", coefficient)
    if not size > 0:
        raise ValueError(f"coefficient = {coefficient!r}: expected a positive number, because a zero is never learned")
    times = {
        number: activation_time(Component.scalar(each.dimension, each.kind, size), tokens, found.order)
        for number, each in enumerate(found.irreps)
        if number
    }
    symbol = sympy.Symbol("tokens", positive=True)
    return LearningTime(
        found,
        irrep,
        times,
        Bound(
            expr=times[irrep],
            quantity=f"the time, in units of log(1/alpha), at which irrep {irrep} of {found.name} is learned from a start of "
            "scale alpha, as alpha vanishes",
            assumes=(
                Assumption("tokens is an integer >= 2", sympy.Ge(symbol, 2)),
                Assumption("every neuron theta moves at the rate ||theta||^(1 - tokens) (taken as given)"),
                Assumption(
                    "some neuron starts in the basin of the irrep, and coefficients are multiples of unitary matrices "
                    "(taken as given)"
                ),
            ),
            source="Kunin et al., arXiv 2506.06489; score: arXiv 2602.03655, Theorem 4.1; time and rate derived",
            values={symbol: sympy.Integer(tokens)},
            side="exact",
        ),
    )

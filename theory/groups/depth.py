"""The number of abelian layers that track products in a finite group."""

from __future__ import annotations

from dataclasses import dataclass

from theory.bound import Bound, Report
from theory.groups import FiniteGroup
from theory.groups.cost import order_of_name, structure
from theory.groups.given import finite_group
from theory.groups.series import Series, series, series_of_name, spelled
from theory.groups.spelling import standard_name
from theory.groups.subgroups import sign_length
from theory.lie.depth import derived_length_bound
from theory.registry import registered

__all__ = ["GroupDepth", "expressible", "group"]


@dataclass(frozen=True, repr=False)
class GroupDepth(Report):
    """The series of a finite group and the depth that follows from them.

    Attributes:
        name: The group's name.
        order: Number of elements.
        derived_orders: Orders of the derived series, down to 1 or to the first repetition.
        composition_orders: Orders of a composition series.
        derived_length: Number of steps of the derived series to the identity, or None if it does not reach the identity.
        stages: Orders of the cyclic factors of each abelian stage, lowest stage first; empty if the group is not solvable.
        statement: The depth in a sentence.
        bound: The number of layers; it refuses to evaluate for a group that is not solvable.
    """

    name: str
    order: int
    derived_orders: tuple[int, ...]
    composition_orders: tuple[int, ...]
    derived_length: int | None
    stages: tuple[tuple[int, ...], ...]
    statement: str
    bound: Bound

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The depth in words, which says of a group that is not solvable why there is none."""
        return {"in words": (self.statement,)}


@registered(subject="NAME")
def group(target: str | FiniteGroup) -> GroupDepth:
    """Return the diagonal unitary layers that track products in a finite group: its derived length.

    Args:
        target: A group, or its name: C12, D4 (of order 8), Q8, S4, A5, H3_3, SL2_3, C3xC3, C7:C3, M11, ...; or generators, a
            table or a file, as `theory.groups.finite_group` reads them.

    Returns:
        The series of the group and the depth that follows from them.

    Raises:
        ValueError: No group has this name, or a text or a file holds none.
        TooExpensive: The group is too large for a table, and its name does not tell its series, see `theory.groups.series`.

    >>> group("S4").bound.at()
    3.0
    >>> group("S4").stages
    ((2,), (3,), (2, 2))
    >>> group("C1000000x" + "S4").stages, group("S100").derived_length is None
    (((1000000, 2), (3,), (2, 2)), True)
    >>> group("A5").statement
    'A5 is not solvable (perfect subgroup of order 60): no number of abelian layers tracks it.'
    """
    name, found = _series(target)
    orders = found.derived_orders
    length = len(orders) - 1 if orders[-1] == 1 else None
    if length is None:
        statement = (
            f"{name} is not solvable (perfect subgroup of order {spelled(orders[-1])}): no number of abelian layers tracks it."
        )
    else:
        layers = "1 abelian layer tracks" if length == 1 else f"{length} abelian layers track"
        statement = f"{name} has derived length {length}: {layers} it, and fewer do not."
    return GroupDepth(
        name=name,
        order=orders[0],
        derived_orders=orders,
        composition_orders=found.composition_orders,
        derived_length=length,
        stages=found.stages,
        statement=statement,
        bound=derived_length_bound(
            name,
            length,
            quantity=f"the number of diagonal unitary layers that track products in {name} over words of any length "
            f"(derived series of orders {', '.join(map(spelled, orders))})",
            taken_as_given=("states are finitely many, or inverse letters act inversely",),
            source="derived series as a tower of abelian stages (derived); subnormal series of arXiv 2603.01959",
        ),
    )


def _series(target: str | FiniteGroup) -> tuple[str, Series]:
    """The name of a group and its series: from its table where that is affordable."""
    if isinstance(target, str):
        name = standard_name(target)
        if structure(order_of_name(name)[0], name).factor > 1:
            return name, series_of_name(name)
    g = finite_group(target)
    return g.name, series(g)


def expressible(kind: str, target: FiniteGroup, depth: int) -> bool | None:
    """Whether layers of a kind have exact weights for words of every length in a group, in the closure of the kind.

    Unit complex diagonals follow a group through its derived series, signs through quotients of exponent 2 (Shakerinava et
    al., arXiv 2603.01959), positive diagonals no group; dense recurrences any, at every depth. Precision is finite.

    Args:
        kind: A name of `depthjax.models.KINDS`.
        target: A group.
        depth: Number of layers.

    Returns:
        None where it is not known here.

    >>> [expressible(kind, finite_group("S3"), 2) for kind in ("mamba", "signed_mamba", "aussm", "lstm", "transformer")]
    [False, False, True, True, None]
    """
    match kind:
        case "mamba" | "gla":
            return target.order == 1
        case "signed_mamba":
            return (length := sign_length(target)) is not None and length <= depth
        case "aussm":
            return target.derived_length is not None and target.derived_length <= depth
        case "rnn" | "lstm" | "dense":
            return True
    return None

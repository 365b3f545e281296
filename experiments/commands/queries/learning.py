"""Bounds on what trains and on what data can tell: residual streams, noise contrast, masked prediction."""

import dataclasses
from typing import TYPE_CHECKING, Literal

from experiments.commands.queries.query import Query

if TYPE_CHECKING:
    from theory.bounds import Bound as TheoryBound


@dataclasses.dataclass(frozen=True, kw_only=True)
class Residual(Query):
    """Growth of a residual stream x + scale W x: mean squared norm over the first.

    Example: depthjax bound residual --depth 64 --scale 0.125 --weights tied
    """

    depth: int
    """Layers."""
    scale: float
    """Of the branch."""
    weights: Literal["fresh", "tied"] = "fresh"
    """Their own in every layer, or the same in all."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.residual`."""
        from theory.bounds import residual

        return residual(self.depth, self.scale, self.weights)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sensitivity(Query):
    """How far noise on all weights turns the stream, by the placement of the norm.

    Example: depthjax bound sensitivity --depth 60 --norm admin
    """

    depth: int
    """Layers."""
    norm: Literal["post", "pre", "admin"] = "post"
    """After or before each layer, or after it with the stream weighed by sqrt(l + 1)."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.sensitivity`."""
        from theory.bounds import sensitivity

        return sensitivity(self.depth, self.norm)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Contrastive(Query):
    """Condition number of noise contrastive estimation between two Gaussians.

    Example: depthjax bound contrastive --radius 6 --loss ence
    """

    radius: float
    """Distance of the means."""
    loss: Literal["nce", "ence"] = "nce"
    """Logistic, or exponential."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.contrastive`."""
        from theory.bounds import contrastive

        return contrastive(self.radius, self.loss)


@dataclasses.dataclass(frozen=True, kw_only=True)
class MaskedPairs(Query):
    """Dimension of the hidden Markov models that masked prediction of single symbols cannot tell apart.

    Example: depthjax bound masked-pairs --states 4
    """

    states: int
    """Hidden states."""
    symbols: int | None = None
    """Symbols; as many as states by default."""
    adjacent: bool = False
    """Only neighbours are predicted."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.masked_pairs`."""
        from theory.bounds import masked_pairs

        return masked_pairs(self.states, self.symbols, adjacent=self.adjacent)

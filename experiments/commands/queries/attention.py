"""Bounds on attention: hops, one layer, glitches, separation rank, collapse."""

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

from experiments.commands.queries.query import Query

if TYPE_CHECKING:
    from theory.bounds import Bound as TheoryBound


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hop(Query):
    """Attention layers that suffice for k hops, by mask.

    Example: depthjax bound hop --hops 3 --mask causal --length 512 --dtype float32
    """

    hops: int
    """Number of hops."""
    mask: Literal["strict", "causal"] = "strict"
    """What layer 1 sees: earlier positions, or itself too."""
    length: int | None = None
    """Letters of a word; checked against the dtype."""
    dtype: Literal["float64", "float32", "float16", "bfloat16"] = "float32"
    """Type that holds the scores."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.hop`."""
        from theory.bounds import hop

        return hop(self.hops, self.mask, self.length, self.dtype)


@dataclasses.dataclass(frozen=True, kw_only=True)
class OneLayer(Query):
    """Longest word on which one attention layer can solve the induction head.

    Example: depthjax bound one-layer --heads 1 --width 16 --bits 32
    """

    heads: int
    """Heads of the layer."""
    width: int
    """Numbers that a head returns."""
    bits: int
    """Bits of a number."""
    length: int | None = None
    """Letters of a word; refused as vacuous where the bound says nothing of words so short."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.one_layer`."""
        from theory.bounds import one_layer

        return one_layer(self.heads, self.width, self.bits, self.length)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Glitch(Query):
    """How often attention to the most recent write reads a wrong bit of the flip-flop language, by the margin of its softmax.

    Example: depthjax bound glitch --margin 4 --ignore 0.98 --length 256
    """

    margin: float
    """Score that one position is worth."""
    ignore: float = 0.8
    """Probability that an instruction is ignored."""
    length: int = 256
    """Instructions of a word."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.glitch_rate`."""
        from theory.bounds import glitch_rate

        return glitch_rate(self.ignore, self.length)

    def numbers(self) -> dict[str, Any]:
        """The margin."""
        return {"margin": self.margin}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rank(Query):
    """Separation rank of linearised attention, or the width at which fewer layers have as much of it.

    Example: depthjax bound rank --width 3 --layers 3 --shallower 2
    """

    width: int
    """Width of the network."""
    layers: int
    """Attention layers."""
    heads: int = 1
    """Heads that share the width."""
    shallower: int | None = None
    """Answer with the least width at which so many layers of one head have the same rank."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.rank` and `theory.bounds.rank_width`."""
        from theory.bounds import rank, rank_width

        if self.shallower is None:
            return rank(self.width, self.layers, self.heads)
        if self.heads != 1:
            raise ValueError(f"--heads {self.heads} with --shallower: widths are compared for one head; leave --heads out")
        return rank_width(self.width, self.layers, self.shallower)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Collapse(Query):
    """Residual of pure attention after some layers: the doubly exponential bound.

    Example: depthjax bound collapse --layers 3 --width 16 --beta 0.5 --residual 0.5
    """

    layers: int
    """Layers of attention alone."""
    width: int
    """Size of queries and keys: logits are divided by its root."""
    beta: float
    """Largest |W_QK|_1 (|W_V|_1 |W_V|_inf)^(1/2) of a layer."""
    residual: float
    """|X - 1 x^T|_(1,inf) of the input: root of its largest column sum times its largest row sum."""
    heads: int = 1
    """Heads of a layer."""
    gamma: float | None = None
    """Factor that depends on the attention entries; by default 1, for logits up to 0.5089."""
    query_key: float | None = None
    """Largest |W_QK|_1; with it the size of the logits is checked."""
    decades: bool = False
    """Answer with the decades by which the residual lies under one, at least."""
    lipschitz: float | None = None
    """A map of rows follows each layer: the size |Lambda|_(1,inf) of its entrywise slopes."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.collapse`."""
        from theory.bounds import collapse

        sizes = (self.width, self.beta, self.residual, self.heads, self.gamma, self.query_key)
        return collapse(self.layers, *sizes, decades=self.decades, lipschitz=self.lipschitz)

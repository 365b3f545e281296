r"""A stack of attention layers is the sum of its H^L paths, (1+H)^L with skips; each has its head's rank and none is redundant.

Statement: Take every attention matrix P from one forward pass of L layers of H heads, X_{l+1} = sum_h P_h X_l W_h + 1 b_l^T.
    The output is the sum over all H^L paths (h_1, .., h_L) through the heads, plus one row c that all tokens share:
    c_{l+1} = c_l sum_h W_h + b_l. With skips a zeroth head P = I, W = I joins: then (1 + H)^L paths, of which C(L, l) H^l pass
    l attention layers, and the sum over W_h includes I. Heads of width r make the rank of every path r, while the path that
    skips all layers keeps the rank of X. The paths are as independent as n d numbers allow: none is a sum of others.
    $$ X_L = \sum_{(h_1,\dots,h_L)} P^L_{h_L}\cdots P^1_{h_1}\, X\, W^1_{h_1}\cdots W^L_{h_L} + \mathbf 1 c^\top $$
Hypotheses: attention matrices are frozen from the forward pass; no norm and no feed-forward part between the layers;
    weights and tokens are generic.
Source: Dong, Cordonnier, Loukas, “Attention is not all you need: pure attention loses rank doubly exponentially with depth”,
    arXiv 2103.03404, Theorem 2.1, re-derived.
Refuted by: a difference between the network and the sum of paths and shared row, or another number of paths, a path of
    another rank, or a path that is a sum of others.
Cost: quick 7 s on one core, full about 10 s.

Derivation: expand the product. Rows of P sum to one, so a bias stays the same in all rows, and so does a row that I passes on.
Because attention is frozen, the statement says nothing of what a path does to another input.

That the sum is the network is an identity. The ranks are not: softmax could make paths dependent, as flat attention does. They
are predicted by exact arithmetic at random attention matrices (`paths`) and read off singular values of the
paths through the first two layers; after more layers collapse hides them in rounding.
"""

import dataclasses

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from experiments.collapse.collapse_paths_exact.common import LONGEST
from experiments.collapse.collapse_paths_exact.paths import PathRanks, path_count, path_ranks

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "independent"


RANKED = 2  # layers whose paths are far enough from collapse to show their ranks


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Layers, heads and whether layers are skipped by the identity; rank of the value matrix of a head."""

    layers: int = axis(1, 4)
    heads: int = axis(1, 2)
    skip: int = axis(0, 1)
    tokens: int = 6
    width: int = 4
    head_width: int = 2

    @property
    def first(self) -> int:
        """Layers whose paths are ranked."""
        return min(self.layers, RANKED)


DOMAIN = domain(
    layers=whole(1, LONGEST),
    heads=whole(1, 3),
    tokens=whole(3, 12, quick=8),
    width=whole(2, 8, quick=6),
    head_width=whole(1, 4),
    where={"a head is no wider than the tokens": lambda cell: cell.head_width <= cell.width},
)
GRIDS = {
    "test": Sizes(layers=axis(3), heads=axis(2), skip=axis(1)),
    "quick": Sizes(),
    "full": Sizes(layers=axis(1, 2, 3, 4), heads=axis(1, 2, 3)),
    "paper": Sizes(layers=axis(1, 2, 3, 4), heads=axis(1, 2, 3), tokens=32, width=16, head_width=4),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Nothing is left; paths by length, their ranks, and the dimension of their span."""
    alike = path_ranks(cell.first, 1, bool(cell.skip), tokens=cell.tokens, width=cell.width, head_width=cell.head_width)
    paths = cell.heads + cell.skip  # of one layer
    return (
        Prediction(0.0, of="difference"),
        _paths(cell, skip=bool(cell.skip)),
        _rank(cell),
        _independent(cell),
        # every row of flat attention is the mean, so that a path through it has equal rows
        _padded(
            tuple(min(rank, 1) if k else rank for k, rank in enumerate(_ranks(cell, cell.head_width).by_length)), "flat_rank"
        ),
        Prediction(alike.independent, of="alike_independent"),
        Prediction(paths**cell.layers - 1, of="fewer_paths", formula="(H + [skip])^L - 1"),
    )


def _paths(cell: Sizes, skip: bool) -> Prediction:
    counts = path_count(cell.layers, cell.heads, skip)
    return Prediction(counts + (0,) * (LONGEST + 1 - len(counts)), of="paths", dims=("length",))


def _ranks(cell: Sizes, head_width: int) -> PathRanks:
    sizes = {"tokens": cell.tokens, "width": cell.width, "head_width": head_width}
    return path_ranks(cell.first, cell.heads, bool(cell.skip), **sizes)


def _rank(cell: Sizes, head_width: int | None = None) -> Prediction:
    return _padded(_ranks(cell, head_width or cell.head_width).by_length, "rank")


def _padded(ranks: tuple[int, ...], of: str) -> Prediction:
    """The smallest and the largest rank by length, which are the same."""
    return Prediction((ranks + (0,) * (LONGEST + 1 - len(ranks)),) * 2, of=of, dims=("end", "length"))


def _independent(cell: Sizes) -> Prediction:
    return Prediction(_ranks(cell, cell.head_width).independent, of="independent")


def _full_rank(cell: Sizes) -> Prediction | None:
    """Where it differs: a head that is narrower than the tokens need not have a lower rank than few tokens."""
    told = _rank(cell, cell.width)
    return None if told == _rank(cell) else told


def _same(cell: Sizes) -> Prediction:
    """The prediction of the claim that is false of these controls; its others hold for them too."""
    return Prediction(0.0, of="difference")


def _without_one(cell: Sizes) -> tuple[Prediction, ...]:
    """One path less; the ranks are of all paths."""
    return Prediction((cell.heads + cell.skip) ** cell.layers - 1, of="summed"), _rank(cell), _independent(cell)


def _without_biases(cell: Sizes) -> tuple[Prediction, ...]:
    """All paths, which are the network without a row."""
    return _paths(cell, skip=bool(cell.skip)), _rank(cell), _independent(cell), Prediction(0.0, of="without_row")


def _averaged(cell: Sizes) -> tuple[Prediction, ...]:
    """Flat attention averages every path, while the network keeps its tokens less their mean: this is the difference."""
    return Prediction((cell.heads + 1) ** cell.layers, of="summed"), Prediction(1.0, of="flat_difference")


CONTROLS = (
    control(
        "one path dropped",
        "the sum over all paths but the most visible one is the network too",
        measure="one_path_dropped",
        predict=_same,
        finds=_without_one,
    ),
    control(
        "W_0 without P_0",
        "the zeroth head keeps the first head's attention",
        measure="w_0_without_p_0",
        predict=lambda cell: _same(cell) if cell.skip else None,
        finds=_averaged,
    ),
    control(
        "no biases",
        "the shared row is there without biases",
        measure="no_biases",
        predict=_same,
        finds=_without_biases,
    ),
    control(
        "flat attention",
        "paths keep the rank of their heads when every token sees all tokens alike",
        instead={"rank": "flat_rank"},
        where=lambda cell: max(_ranks(cell, cell.head_width).by_length[1:]) > 1,  # elsewhere nothing is left to fall
    ),
    control(
        "heads alike",
        "paths through equal heads are independent",
        instead={"independent": "alike_independent"},
        where=lambda cell: cell.heads > 1,
    ),
)


RIVALS = (
    rival("paths without skips", lambda cell: _paths(cell, skip=False) if cell.skip else None, "skips add no paths"),
    rival("heads of full rank", _full_rank, "a path has the rank of the tokens"),
    off_by(-1, of="independent"),
)

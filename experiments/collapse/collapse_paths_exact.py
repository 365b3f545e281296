r"""A stack of attention layers is the sum over its paths, attention frozen, up to one row that all tokens share.

Statement: with ``X_{l+1} = sum_h P_h X_l W_h + 1 b_l^T`` and every P taken from that run,

    X_L = sum over (h_1, .., h_L) of P^L_{h_L} .. P^1_{h_1} X W^1_{h_1} .. W^L_{h_L} + 1 c^T,

``H^L`` paths; with skips a zeroth head P = I, W = I joins: ``C(L, l) H^l`` paths that pass l attention layers, ``(1 + H)^L`` in
all.

Derivation: expand the product; rows of P sum to one, so a bias stays the same in all rows, and so does a row that I passes on.

Hypotheses: none on the weights; attention is frozen, so this says nothing of what a path does to another input. Source: Dong,
Cordonnier, Loukas, arXiv 2103.03404, Theorem 2.1. Refuted by: a difference that is not the same in all rows. Cost: 5 s on a
CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Weights, path_sum, paths
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import UNSHARP, Claim, Control, Grid, Prediction, Relation, Source, axis
from theory.attention import collapse as exact

CLAIM = Claim(
    slug="collapse_paths_exact",
    title="A stack of attention layers is the sum of its H^L paths ((1+H)^L with skips), up to one shared row",
    statement=(
        "With attention frozen from the forward pass, L layers of H heads are the sum over H^L paths, or over (1+H)^L with "
        "skips, C(L,l) H^l of length l, plus a row that all tokens share."
    ),
    latex=r"X_L = \sum_{(h_1,\dots,h_L)} P^L_{h_L}\cdots P^1_{h_1}\, X\, W^1_{h_1}\cdots W^L_{h_L} + \mathbf 1 c^\top",
    relation=Relation.EQUALS,
    source=Source(
        "Dong, Cordonnier, Loukas",
        "Attention is not all you need: pure attention loses rank doubly exponentially with depth",
        "arXiv 2103.03404",
        "Theorem 2.1; re-derived",
    ),
    assumes=("attention matrices are frozen from the forward pass", "no norm and no feed-forward part between the layers"),
    refuted_by="a difference between network and path sum that differs from token to token, or another number of paths",
    cost="5 s on a CPU at every size",
    needs_float64=True,
)


LONGEST = 4  # layers of any size
SHARPNESS = 3.0  # of the attention: with flat rows all long paths collapse below rounding, and nothing would show


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Layers, heads and whether layers are skipped by the identity."""

    layers: int = axis(1, 3)
    heads: int = axis(1, 2)
    skip: int = axis(0, 1)
    tokens: int = 6
    width: int = 4


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(layers=axis(1, 2, 3, 4), heads=axis(1, 2, 3)),
    "paper": Sizes(layers=axis(1, 2, 3, 4), heads=axis(1, 2, 3), tokens=32, width=16),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Nothing is left but a shared row; paths by length; the bias is really there."""
    counts = exact.path_count(cell.layers, cell.heads, bool(cell.skip))
    return (
        Prediction(0.0, of="difference"),
        Prediction(_padded(counts), of="paths", dims=("length",)),
        Prediction(0.1, of="shared_row", resolution=UNSHARP, relation=Relation.AT_LEAST),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Network and path sum on random tokens, weights and biases."""
    return _measured(cell, key)


def _measured(cell: Sizes, key: jax.Array, dropped: int = 0, identity_attention: bool = True) -> xr.Dataset:
    shape = (cell.layers, cell.heads, cell.width, cell.width)
    sizes = (cell.tokens * cell.width, int(np.prod(shape)), int(np.prod(shape)), cell.layers * cell.width)
    # one draw, cut up
    tokens, a, w, bias = np.split(np.asarray(jax.random.normal(key, (sum(sizes),))), np.cumsum(sizes)[:-1])
    a, w = (scale * part.reshape(shape) / np.sqrt(cell.width) for scale, part in ((SHARPNESS, a), (1.0, w)))
    walks = paths(cell.layers, cell.heads, bool(cell.skip))
    output, terms = path_sum(
        jnp.asarray(tokens.reshape(cell.tokens, cell.width)),
        Weights(jnp.asarray(a), jnp.asarray(w)),
        jnp.asarray(bias.reshape(cell.layers, cell.width)),
        cell.width**-0.5,
        jnp.asarray(walks),
        bool(cell.skip),
        identity_attention,
    )
    terms = np.asarray(terms)
    visible = np.abs(terms - terms.mean(axis=1, keepdims=True)).max(axis=(1, 2))
    kept = np.argsort(visible, kind="stable")[: len(walks) - dropped]
    difference = np.asarray(output) - terms[kept].sum(axis=0)
    # products along the longest path, and the sum over all of them
    count = cell.layers * (cell.tokens + cell.width) * len(walks)
    size = np.linalg.norm(tokens) * np.prod([1 + np.linalg.norm(layer, ord=2, axis=(1, 2)).sum() for layer in w])
    lengths = np.bincount((walks > 0).sum(axis=1), minlength=LONGEST + 1)
    spread = np.abs(difference - difference.mean(axis=0, keepdims=True)).max()
    return xr.Dataset(
        {
            "difference": ((), spread, {"long_name": "largest deviation from a shared row"}),
            "difference_floor": ((), rounding_floor(count, jnp.dtype(float), float(size))),
            "shared_row": ((), np.linalg.norm(difference.mean(axis=0)), {"long_name": "size of the shared row"}),
            "paths": ("length", lengths, {"long_name": "paths by length"}),
        },
        coords={"length": np.arange(LONGEST + 1)},
    )


def _padded(counts: tuple[int, ...]) -> tuple[int, ...]:
    return counts + (0,) * (LONGEST + 1 - len(counts))


def _count_without_skip(cell: Sizes) -> Prediction | None:
    if not cell.skip:
        return None
    return Prediction(_padded(exact.path_count(cell.layers, cell.heads)), of="paths", dims=("length",))


def _identity(cell: Sizes) -> Prediction:
    return Prediction(0.0, of="difference")


def _one_fewer(cell: Sizes) -> Prediction | None:
    """Nothing where a single path is all there is: deep enough, its rank has collapsed below rounding."""
    return _identity(cell) if cell.heads > 1 or cell.skip else None


CONTROLS = (
    Control(
        "one path dropped",
        "the sum over all paths but the most visible one is the network too",
        _one_fewer,
        lambda cell, key: _measured(cell, key, dropped=1),
    ),
    Control(
        "W_0 without P_0",
        "the zeroth head keeps the first head's attention",
        lambda cell: _identity(cell) if cell.skip else None,
        lambda cell, key: _measured(cell, key, identity_attention=False),
    ),
    Control("paths without skips", "skips add no paths", _count_without_skip),
)

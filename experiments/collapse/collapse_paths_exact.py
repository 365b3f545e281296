r"""A stack of attention layers is the sum of its H^L paths, (1+H)^L with skips, up to one row that all tokens share.

Statement: Take every attention matrix P from one forward pass of L layers of H heads, X_{l+1} = sum_h P_h X_l W_h + 1 b_l^T.
    The output is the sum over all H^L paths (h_1, .., h_L) through the heads, plus one row c that all tokens share:
    c_{l+1} = c_l sum_h W_h + b_l. With skips a zeroth head P = I, W = I joins: then (1 + H)^L paths, of which C(L, l) H^l pass
    l attention layers, and the sum over W_h includes I.
    $$ X_L = \sum_{(h_1,\dots,h_L)} P^L_{h_L}\cdots P^1_{h_1}\, X\, W^1_{h_1}\cdots W^L_{h_L} + \mathbf 1 c^\top $$
Hypotheses: attention matrices are frozen from the forward pass; no norm and no feed-forward part between the layers.
Source: Dong, Cordonnier, Loukas, “Attention is not all you need: pure attention loses rank doubly exponentially with depth”,
    arXiv 2103.03404, Theorem 2.1, re-derived.
Refuted by: a difference between the network and the sum of paths and shared row, or another number of paths.
Cost: 5 s on a CPU at every size.

Derivation: expand the product. Rows of P sum to one, so a bias stays the same in all rows, and so does a row that I passes on.
Because attention is frozen, the statement says nothing of what a path does to another input.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Weights, path_sum, paths
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory.attention.remedies import path_count

CLAIM = claim(Relation.EQUALS, needs_float64=True)

LONGEST = 4  # layers of any size
SHARPNESS = 3.0  # of the attention: with flat rows all long paths collapse below rounding, and nothing would show


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Layers, heads and whether layers are skipped by the identity."""

    layers: int = axis(1, 4)
    heads: int = axis(1, 2)
    skip: int = axis(0, 1)
    tokens: int = 6
    width: int = 4


GRIDS = {
    "test": Sizes(layers=axis(3), heads=axis(2), skip=axis(1)),
    "quick": Sizes(),
    "full": Sizes(layers=axis(1, 2, 3, 4), heads=axis(1, 2, 3)),
    "paper": Sizes(layers=axis(1, 2, 3, 4), heads=axis(1, 2, 3), tokens=32, width=16),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Nothing is left; paths by length."""
    return Prediction(0.0, of="difference"), _paths(cell, skip=bool(cell.skip))


def _paths(cell: Sizes, skip: bool) -> Prediction:
    counts = path_count(cell.layers, cell.heads, skip)
    return Prediction(counts + (0,) * (LONGEST + 1 - len(counts)), of="paths", dims=("length",))


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Network and path sum on random tokens, weights and biases."""
    return _measured(cell, key)


def _measured(
    cell: Sizes, key: jax.Array, dropped: int = 0, identity_attention: bool = True, biased: bool = True
) -> xr.Dataset:
    shape = (cell.layers, cell.heads, cell.width, cell.width)
    sizes = (cell.tokens * cell.width, int(np.prod(shape)), int(np.prod(shape)), cell.layers * cell.width)
    # one draw, cut up
    tokens, a, w, bias = np.split(np.asarray(jax.random.normal(key, (sum(sizes),))), np.cumsum(sizes)[:-1])
    a, w = (scale * part.reshape(shape) / np.sqrt(cell.width) for scale, part in ((SHARPNESS, a), (1.0, w)))
    walks = paths(cell.layers, cell.heads, bool(cell.skip))
    output, terms = map(
        np.asarray,
        path_sum(
            jnp.asarray(tokens.reshape(cell.tokens, cell.width)),
            Weights(jnp.asarray(a), jnp.asarray(w)),
            jnp.asarray(bias.reshape(cell.layers, cell.width) * biased),
            cell.width**-0.5,
            jnp.asarray(walks),
            bool(cell.skip),
            identity_attention,
        ),
    )
    visible = np.abs(terms - terms.mean(axis=1, keepdims=True)).max(axis=(1, 2))
    kept = np.argsort(visible, kind="stable")[: len(walks) - dropped]
    # what the biases become: a row that all tokens share passes a layer as a product with its values
    row = np.zeros(cell.width)
    for values, own in zip(w, bias.reshape(cell.layers, cell.width), strict=True):
        row = row @ values.sum(axis=0) + cell.skip * row + own
    difference = output - terms[kept].sum(axis=0) - row
    # products along the longest path, and the sum over all of them
    count = cell.layers * (cell.tokens + cell.width) * len(walks)
    size = np.linalg.norm(tokens) * np.prod([1 + np.linalg.norm(layer, ord=2, axis=(1, 2)).sum() for layer in w])
    floor = rounding_floor(count, output.dtype, float(size))
    lengths = np.bincount((walks[kept] > 0).sum(axis=1), minlength=LONGEST + 1)
    return measured(
        length=np.arange(LONGEST + 1),
        difference=Quantity(np.abs(difference).max(), floor=floor, label="largest deviation from the sum"),
        paths=Quantity(lengths, "length", label="paths by length"),
    )


CONTROLS = (
    control(
        "one path dropped",
        "the sum over all paths but the most visible one is the network too",
        measure=lambda cell, key: _measured(cell, key, dropped=1),
    ),
    control(
        "W_0 without P_0",
        "the zeroth head keeps the first head's attention",
        measure=lambda cell, key: _measured(cell, key, identity_attention=False),
        predict=lambda cell: predict(cell)[0] if cell.skip else None,
    ),
    control(
        "no biases", "the shared row is there without biases", measure=lambda cell, key: _measured(cell, key, biased=False)
    ),
)
RIVALS = (rival("paths without skips", lambda cell: _paths(cell, skip=False) if cell.skip else None, "skips add no paths"),)

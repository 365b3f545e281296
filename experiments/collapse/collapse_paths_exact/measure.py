"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.collapse import Weights, path_sum, paths, term_ranks
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.collapse.collapse_paths_exact.common import LONGEST

RANKED = 2  # layers whose paths are far enough from collapse to show their ranks
DRAWS = 4  # of weights and tokens for ranks: a draw whose attention is nearly flat or nearly one-hot hides some in rounding
SHARPNESS = 3.0  # of the attention: with flat rows all long paths collapse below rounding, and nothing would show


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Network and path sum on random tokens, weights and biases."""
    flat, alike, fewer = _measured(cell, key, sharpness=0.0), _measured(cell, key, alike=True), _measured(cell, key, dropped=1)
    return _measured(cell, key).merge(
        measured(
            flat_rank=Quantity(flat["rank"].values, "end length", label="smallest and largest rank of a path, flat attention"),
            alike_independent=Quantity(
                alike["independent"].values, label="dimension of the span of the paths through equal heads"
            ),
            fewer_paths=Quantity(fewer["paths"].values.sum(), label="paths of which one is left out"),
        )
    )


def _measured(
    cell: Cell,
    key: jax.Array,
    dropped: int = 0,
    identity_attention: bool = True,
    biased: bool = True,
    sharpness: float = SHARPNESS,
    alike: bool = False,
) -> xr.Dataset:
    shape, draw = (cell.layers, cell.heads), np.random.default_rng(np.asarray(jax.random.key_data(key))).standard_normal

    def generic() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        tokens, bias = draw((cell.tokens, cell.width)), draw((cell.layers, cell.width))
        a = sharpness * draw((*shape, cell.width, cell.width)) / np.sqrt(cell.width)
        # values of the rank of a head, with entries of variance 1/width
        w = draw((*shape, cell.width, cell.head_width)) @ draw((*shape, cell.head_width, cell.width))
        w /= np.sqrt(cell.width * cell.head_width)
        if alike:
            a, w = (np.repeat(part[:, :1], cell.heads, axis=1) for part in (a, w))
        return tokens, bias, a, w

    def walked(layers: int, tokens, bias, a, w) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        walks = paths(layers, cell.heads, bool(cell.skip))
        weights, shifts = Weights(jnp.asarray(a[:layers]), jnp.asarray(w[:layers])), jnp.asarray(bias[:layers] * biased)
        scale, skip = cell.width**-0.5, bool(cell.skip)
        output, terms = path_sum(jnp.asarray(tokens), weights, shifts, scale, jnp.asarray(walks), skip, identity_attention)
        # products along the longest path, and the sum over all of them
        count = layers * (cell.tokens + cell.width) * len(walks)
        size = np.linalg.norm(tokens) * np.prod([1 + np.linalg.norm(own, ord=2, axis=(1, 2)).sum() for own in w[:layers]])
        return walks, np.asarray(output), np.asarray(terms), float(rounding_floor(count, output.dtype, float(size)))

    tokens, bias, _, w = network = generic()
    walks, output, terms, floor = walked(cell.layers, *network)
    visible = np.abs(terms - terms.mean(axis=1, keepdims=True)).max(axis=(1, 2))
    kept = np.argsort(visible, kind="stable")[: len(walks) - dropped]
    # what the biases become: a row that all tokens share passes a layer as a product with its values
    row = np.zeros(cell.width)
    for values, own in zip(w, bias, strict=True):
        row = row @ values.sum(axis=0) + cell.skip * row + own
    without_row = output - terms[kept].sum(axis=0)
    difference, apart = without_row - row, np.abs(tokens - tokens.mean(axis=0)).max()
    lengths = np.bincount((walks[kept] > 0).sum(axis=1), minlength=LONGEST + 1)
    # a rank above the rounding is certain, and no draw has more than generic ones
    found = []
    for one in (network, *(generic() for _ in range(DRAWS - 1))):
        first, _, parts, noise = walked(min(cell.layers, RANKED), *one)
        found.append(term_ranks(first, parts, noise, LONGEST))
    rank, independent = (np.max(part, axis=0) for part in zip(*found, strict=True))
    return measured(
        length=np.arange(LONGEST + 1),
        difference=Quantity(np.abs(difference).max(), floor=floor, label="largest deviation from the sum"),
        without_row=Quantity(np.abs(without_row).max(), floor=floor, label="largest deviation from the paths alone"),
        share=Quantity(
            np.abs(difference).max() / apart, floor=floor / apart, label="deviation over that of tokens from their mean"
        ),
        summed=Quantity(len(kept), label="paths that are summed"),
        paths=Quantity(lengths, "length", label="paths by length"),
        rank=Quantity(rank, "end length", label="smallest and largest rank of a path through the first layers"),
        independent=Quantity(independent, label="dimension of the span of the paths through the first layers"),
    )


def one_path_dropped(cell: Cell, key: jax.Array) -> xr.Dataset:
    """One path dropped."""
    return _measured(cell, key, dropped=1)


def w_0_without_p_0(cell: Cell, key: jax.Array) -> xr.Dataset:
    """W_0 without P_0; the same under flat attention, over the largest deviation of a token from the mean."""
    found, flat = (_measured(cell, key, identity_attention=False, sharpness=sharpness) for sharpness in (SHARPNESS, 0.0))
    share = Quantity(
        flat["share"].values, floor=flat["share_floor"].values, label="deviation over that of tokens from their mean"
    )
    return found.merge(measured(flat_difference=share))


def no_biases(cell: Cell, key: jax.Array) -> xr.Dataset:
    """No biases."""
    return _measured(cell, key, biased=False)

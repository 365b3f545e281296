"""What one layer of so many bits keeps of a word: answers, summaries, and pairs of words that fool it."""

from collections.abc import Callable

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.attention.one_layer_bottleneck import fooling
from experiments.attention.one_layer_bottleneck.one_layer import OneLayer, index_layer


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The least precision at which a layer answers every question, summaries, and fooling pairs just below that precision."""
    precisions = range(1, cell.precisions + 1)
    enough = _least(cell, lambda p: fooling.answers_all(_layer(cell, p), cell.bits, p))
    pairs = _pairs(cell, key, enough - 1)
    two = [fooling.two_layers_err(pair, cell.bits, enough - 1) for _, pair in pairs]
    return measured(
        precision=Quantity(np.array(precisions), "precision", label="bits p of a number"),
        threshold=Quantity(enough, label="least precision that answers every question"),
        summaries=Quantity([_kept(cell, _layer(cell, p), p) for p in precisions], "precision", label="distinct summaries"),
        counted=Quantity(
            [_kept(cell, _layer(cell, p, base=1), p) for p in precisions],
            "precision",
            label="summaries where numbers count bits",
        ),
        needed=Quantity(len(np.unique(fooling.answers(cell.bits), axis=0)), label="distinct rows of answers"),
        needed_for_one=Quantity(len(np.unique(fooling.answers(cell.bits)[:, 0])), label="the same for the first question"),
        two_layers=Quantity(
            _least(cell, lambda p: fooling.two_layers_answer_all(cell.bits, p)), label="least precision of two layers"
        ),
        fooled=Quantity(
            sum(fooling.errs(layer, pair, cell.bits, enough - 1) for layer, pair in pairs),
            label="searched layers that a pair fools just below that precision",
        ),
        fooled_two=Quantity(sum(err for err, _ in two), label="the same for two layers"),
        units_of_two=Quantity(sum(units for _, units in two), label="units of the denominators of two layers on all pairs"),
    )


def _layer(cell: Cell, precision: int, base: int = 2) -> OneLayer:
    return index_layer(cell.bits, cell.heads, cell.width, precision, base)


def _least(cell: Cell, right: Callable[[int], bool]) -> int:
    """The least precision that is right; one more than the last where none is."""
    return next((p for p in range(1, cell.precisions + 1) if right(p)), cell.precisions + 1)


def _kept(cell: Cell, layer: OneLayer, precision: int) -> int:
    return int(fooling.summaries(layer, cell.bits, precision).max()) + 1


def _pairs(cell: Cell, key: jax.Array, precision: int) -> list[tuple[OneLayer, np.ndarray]]:
    """Searched layers of this precision, each with two words of one summary where it has some; none below one bit."""
    sizes = {"bits": cell.bits, "heads": cell.heads, "width": cell.width, "layers": cell.layers, "rounds": cell.rounds}
    layers = fooling.searched_layers(key, precision=precision, **sizes) if precision else []
    pairs = [fooling.fooling_pair(layer, cell.bits, precision) for layer in layers]
    return [(layer, pair) for layer, pair in zip(layers, pairs, strict=True) if pair is not None]

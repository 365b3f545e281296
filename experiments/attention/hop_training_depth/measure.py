"""Errors of transformers of every depth that are trained on k hops, and where their heads look."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.trained_hops import hop_recipe, train_hops
from depthjax.tasks.hops import hop_words
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.attention.hop_training_depth.hop_patterns import ROWS, hop_patterns

REFUTING = 14  # seeds of a control, of which one may fail


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Errors of every depth, k and seed on fresh words; patterns of one trained and of the constructed model on one word."""
    sizes = {"alphabet": cell.alphabet, "length": cell.length, "largest": cell.largest, "depths": cell.depths}
    recipe = hop_recipe(cell.steps, cell.rate)
    network = {"width": cell.width, "heads": cell.heads, "mlp": cell.mlp}
    model, runs = train_hops(key, recipe, batch=cell.batch, seeds=cell.seeds, tests=cell.tests, **sizes, **network)
    errors, shorter = (runs.finite(runs.test[name]) for name in ("errors", "cut"))
    learned, cut = (where_trained(np.logical_and.accumulate(part <= cell.level, axis=-1), part) for part in (errors, shorter))
    best = int(np.nan_to_num(errors[-1].mean(axis=1), nan=1.0).argmin())
    params = jax.tree.map(lambda array: jnp.asarray(array[-1, best]), runs.fit.params)
    word = hop_words(jax.random.fold_in(key, 1), cell.alphabet, 1, cell.length)[0]
    hops = range(1, cell.largest + 1)
    return measured(
        layers=np.arange(1, cell.depths + 1),
        hops=Quantity(np.array(hops), "hops", label="hops k"),
        model=ROWS,
        error=Quantity(errors, "layers seed hops", label="share of wrong answers"),
        reach=Quantity(learned.sum(axis=-1), "layers seed", label="hops learned, K(L)"),
        deepest=Quantity(learned[-1, :, -1], "seed", label="the deepest networks learn all hops"),
        pattern=Quantity(hop_patterns(model, params, word), "model layer row column"),
        **{f"learned_{k}": _of(learned, k) for k in hops},
        **{f"cut_{k}": _of(cut, k) for k in hops},
    )


def _of(learned: np.ndarray, k: int) -> Quantity:
    return Quantity(learned[..., k - 1], "layers seed", label=f"hop_1, ..., hop_{k} learned")


def three_letters(cell: Cell, key: jax.Array) -> xr.Dataset:
    """One and two layers trained on one and two hops over three letters, all else equal."""
    return measure(cell.replace(alphabet=3, depths=2, largest=2, seeds=REFUTING), key)

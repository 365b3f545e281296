"""Errors of transformers of every depth that are trained on k hops, and where their heads look."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.trained import MOVED, Facts, positions_read, travel
from depthjax.instruments.trained_hops import hop_recipe, train_hops
from depthjax.tasks.hops import hop_batch, hop_words
from depthjax.training import Ensemble, Recipe, streams, where_trained
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
        joined=Quantity(int(positions_read(model, params, cell.length)), label="pairs of positions that attention joins"),
        broken=_broken(cell, key, errors),
        asked=Quantity(errors.shape, "size", label="depths, networks of each, and hops"),
        **{
            name: Quantity(values, "layers seed", floor=floor, label=label)
            for name, (values, floor, label) in runs.finite(_facts(recipe, runs)).named().items()
        },
        pattern=Quantity(hop_patterns(model, params, word), "model layer row column"),
        **{f"learned_{k}": _of(learned, k) for k in hops},
        **{f"cut_{k}": _of(cut, k) for k in hops},
    )


def _facts(recipe: Recipe, runs: Ensemble) -> Facts:
    """What was trained, one entry a run; the parts of a network are its layers.

    Every run has the numbers of the deepest network. Norms begin at one, and those of a layer that is not used stay there, up
    to the decay of weights.
    """
    steps, params = runs.fit.steps, runs.fit.params
    size = sum(leaf[0, 0].size for leaf in jax.tree.leaves(params))
    norms = np.asarray(params["layers"]["before"]["scale"])  # (depths, seeds, layers, width)
    parts = (np.abs(norms - 1) > MOVED).any(axis=-1).sum(axis=-1)
    return Facts(steps, np.full(steps.shape, float(travel(recipe))), np.full(steps.shape, size), parts)


def _broken(cell: Cell, key: jax.Array, errors: np.ndarray) -> Quantity:
    """How far the errors are from whole numbers of the answers that the words of every test have.

    The key of a run is folded from its depth and seed. Were a test of fewer words, its errors would be parts of other numbers.
    """

    @jax.jit
    @partial(jax.vmap, in_axes=(0, None))
    @partial(jax.vmap, in_axes=(None, 0))
    def answers(layers: jax.Array, seed: jax.Array) -> jax.Array:
        own = streams(jax.random.fold_in(jax.random.fold_in(key, layers), seed)).test
        words = hop_batch(own, cell.alphabet, cell.tests, cell.length, cell.largest)
        return (words.labels < cell.alphabet).reshape(-1, cell.largest).sum(axis=0)

    asked = np.asarray(answers(jnp.arange(1, cell.depths + 1), jnp.arange(cell.seeds)))
    wrong = errors * asked.astype(float)
    rounding = float(np.finfo(np.float32).eps) * asked.max()  # of one division
    return Quantity(np.abs(wrong - np.round(wrong)), "layers seed hops", floor=rounding, label="parts of a wrong answer")


def _of(learned: np.ndarray, k: int) -> Quantity:
    return Quantity(learned[..., k - 1], "layers seed", label=f"hop_1, ..., hop_{k} learned")


def three_letters(cell: Cell, key: jax.Array) -> xr.Dataset:
    """One and two layers trained on one and two hops over three letters, all else equal."""
    return measure(cell.replace(alphabet=3, depths=2, largest=2, seeds=REFUTING), key)

r"""Trained transformers first predict k alternating blocks at depth k - 2.

Statement: causal softmax transformers without positions are trained to say at every prefix of words of L_k (k alternating
blocks, the first of a's) whether the word may end there. The typical seed gets whole words right exactly where

    depth >= k - 2,

the depth of the explicit predictor (`alternation_depth_exact`); what less depth of counting formulas cannot do, training does
not find either.

Success: every prefix right in at least 9 of 10 fresh words of the training lengths. Words of twice the length are tested and
shown. Trained statement at one size and budget of steps; that shallower transformers of any precision fail is not claimed:
the theorem speaks of fixed precision and of all lengths.

Source: Yang, Cadilhac, Chiang, arXiv 2506.16055 (their table: 100 per cent first at depth k - 2). Refuted by: a typical seed on
the other side. Cost: a minute on a CPU at quick size, half of it compilation; full: some hours on a CPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.measure.accuracy import correct
from depthjax.models import sequence_model
from depthjax.tasks.alternation import BEGIN, alternation_batch
from depthjax.tasks.words import Batch
from depthjax.training import Recipe, fit, streams
from depthjax.training.losses import cross_entropy
from depthjax.verify import Claim, Control, Grid, Hypothesis, Picture, Prediction, Relation, Source, axis
from theory import bounds

WHOLE = 0.9  # the share of test words that are right at every prefix, to count as solved

CLAIM = Claim(
    slug="alternation_training_depth",
    title="Trained transformers first predict k alternating blocks at depth k - 2",
    statement=(
        "Trained to say at every prefix of words of k alternating blocks whether the word may end, the typical causal "
        "transformer without positions gets whole words right exactly if it has at least k - 2 layers."
    ),
    latex=r"\text{solved} \iff \text{layers} \ge k - 2",
    relation=Relation.TREND,
    source=Source(
        "Yang, Cadilhac, Chiang",
        "Knee-Deep in C-RASP: A Transformer Depth Hierarchy",
        "arXiv 2506.16055",
        "the experiment on prediction, at smaller size",
    ),
    assumes=("the sizes and the budget of steps of the grid", "all prefixes are of words of the language"),
    refuted_by="a typical seed that solves L_k with fewer layers, or does not with k - 2",
    cost="a minute on a CPU; full: some hours on a CPU",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of blocks is the axis; networks of 1 to `layers` layers, words of `longest` // 2 to `longest` letters."""

    k: int = axis(3, 4)
    layers: int = 2
    width: int = 16
    longest: int = 16
    batch: int = 16
    steps: int = 300
    rate: float = 3e-3
    tests: int = 128
    seeds: int = 16


LARGE = Sizes(k=axis(3, 4, 5, 6), layers=4, width=32, longest=60, batch=64, steps=2000, rate=3e-3, seeds=16)
GRIDS = {"quick": Sizes(), "full": LARGE, "paper": dataclasses.replace(LARGE, width=256, longest=250, steps=10_000, rate=1e-4)}


def predict(cell: Sizes) -> Prediction:
    """Solved from the depth of the explicit predictor on."""
    least = int(bounds.alternation(cell.k, "predict").at())
    both = Hypothesis("the depth is among those that are trained", 1 <= least <= cell.layers)
    solved = [layers >= least for layers in range(1, cell.layers + 1)]
    return Prediction(solved, of="solved", dims=("layers",), hypotheses=(both,))


def measure(cell: Sizes, key: jax.Array, permuted: bool = False) -> xr.Dataset:
    """Networks of each depth from several seeds, tested on fresh words; one program for every k and depth."""
    keys = jax.random.split(key, cell.seeds)
    layers = jnp.arange(1, cell.layers + 1)
    shared = dataclasses.replace(cell, k=0)
    scores, longer, curves = map(np.asarray, _train(keys, layers, jnp.asarray(cell.k), jnp.asarray(permuted), shared))
    dims = ("layers", "seed")
    return xr.Dataset(
        {
            "solved": (dims, (scores >= WHOLE).astype(float), {"long_name": "seeds that get nine of ten words wholly right"}),
            "sequence": (dims, scores, {"long_name": "words wholly right"}),
            "sequence_longer": (dims, longer, {"long_name": "words of twice the length wholly right"}),
            "curve": (("layers", "seed", "record"), curves, {"long_name": "words wholly right, in training"}),
        },
        coords={"layers": np.asarray(layers)},
    )


@partial(jax.jit, static_argnums=4)
def _train(keys: jax.Array, layers: jax.Array, k: jax.Array, permuted: jax.Array, cell: Sizes) -> tuple[jax.Array, ...]:
    """By depth and seed: words wholly right at the training lengths, at twice those, and in training."""
    recipe = Recipe(
        steps=cell.steps, learning_rate=cell.rate, warmup=cell.steps // 5, weight_decay=0.0, record_every=cell.steps // 10
    )
    model = sequence_model(
        "transformer", letters=BEGIN + 1, classes=2, width=cell.width, max_depth=cell.layers, heads=1, positions="none"
    )

    def spread(number: int, times: int = 1) -> jax.Array:
        """Lengths from half to the whole of `times` the longest training word, evenly."""
        return jnp.linspace(times * (cell.longest // 2), times * cell.longest, number).astype(int)

    def sample(key: jax.Array) -> Batch:
        batch = alternation_batch(key, k, spread(cell.batch), cell.longest)
        moved = jax.random.permutation(key, cell.longest + 1)  # labels of other positions: nothing to be learned but shares
        return batch._replace(labels=jnp.where(permuted, batch.labels[:, moved], batch.labels))

    def run(key: jax.Array, depth: jax.Array) -> tuple[jax.Array, ...]:
        def loss(params: dict, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
            return cross_entropy(model.apply(params, batch.tokens, depth), batch)

        own = streams(key)
        done = fit(key, model.init(own.initial), loss, sample, recipe)
        tested = alternation_batch(own.test, k, jnp.concatenate([spread(cell.tests), spread(cell.tests, 2)]), 2 * cell.longest)
        right = correct(model.apply(done.params, tested.tokens, depth), tested.labels, tested.weights).all(axis=1)
        return right[: cell.tests].mean(), right[cell.tests :].mean(), done.metrics["sequence"]

    return jax.vmap(lambda depth: jax.vmap(lambda key: run(key, depth))(keys))(layers)


def _draw(place, dataset: xr.Dataset) -> None:
    """Words wholly right against depth, a panel for each k: every seed a dot, the median a line, k - 2 dashed."""
    cells = dataset["cell"].to_numpy().tolist()
    axes = np.atleast_1d(place.subplots(1, len(cells), sharey=True))
    layers = dataset["layers"].to_numpy()
    for axis_, cell in zip(axes, cells, strict=True):
        rows = (("sequence", "#0072B2", "o", "training lengths"), ("sequence_longer", "#D55E00", "s", "twice as long"))
        for shift, (name, colour, marker, label) in zip((-0.06, 0.06), rows, strict=True):
            values = dataset[name].sel(cell=cell).transpose("layers", "seed").to_numpy()
            axis_.plot(layers + shift, values, marker, color=colour, ms=3, alpha=0.4)
            axis_.plot(layers + shift, np.median(values, axis=1), color=colour, label=label)
        k = int(cell.removeprefix("k="))
        axis_.axvline(k - 2.5, color="#8a8a8a", ls="--", lw=1)
        axis_.set(title=f"L_{k}", xlabel="layers", xticks=layers, ylim=(-0.03, 1.03))
    axes[0].set_ylabel("words wholly right")
    axes[0].legend(loc="lower right")


PICTURES = (Picture(2.8, _draw),)


def _permuted(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Trained on labels of other positions, where the control speaks of the cell."""
    return (
        measure(cell, key, permuted=True)
        if cell.k == 3
        else xr.Dataset({"solved": (("layers", "seed"), np.zeros((cell.layers, cell.seeds)))})
    )


def _solved_from(cell: Sizes, least: int) -> Prediction:
    return Prediction([layers >= least for layers in range(1, cell.layers + 1)], of="solved", dims=("layers",))


CONTROLS = (
    Control("k - 1 layers are needed", "L_k is first solved at depth k - 1", lambda cell: _solved_from(cell, cell.k - 1)),
    Control(
        "k - 3 layers are enough",
        "L_k is solved at depth k - 3",
        lambda cell: _solved_from(cell, cell.k - 3) if cell.k > 3 else None,
    ),
    Control(
        "permuted labels",
        "L_3 is learned from labels that belong to other positions",
        lambda cell: predict(cell) if cell.k == 3 else None,
        _permuted,
    ),
)

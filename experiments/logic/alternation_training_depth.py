r"""Trained transformers first predict k alternating blocks at depth k - 2.

Statement: causal softmax transformers without positions are trained to say at every prefix of words of L_k (k alternating
blocks, the first of a's) whether the word may end there. The typical seed gets whole words right exactly where

    depth >= k - 2,

the depth of the explicit predictor (`alternation_depth_exact`); what less depth of counting formulas cannot do, training does
not find either.

Success: every prefix right in at least 9 of 10 fresh words of the training lengths. Words of twice the length are tested and
shown. So are the pairs u s s t t, u s t s t of `alternation_pairs_blind`, with u of k - 3 blocks (one at least): without
positions one layer sees the last letter and how many there are of each, nothing else, so it says the same at the ends of both,
to rounding, whatever it was trained on. That is judged; what deeper networks say, whose weights no theorem bounds, is shown.
 Trained statement at one size and budget of steps; that shallower transformers of any precision fail is not claimed:
the theorem speaks of fixed precision and of all lengths.

More blocks need longer words than were tried so far. Words of 12 to 24 letters (width 16, 1200 steps, 5 seeds) were also got
right by networks one layer too shallow: L_5 with two layers by 4 of 5 seeds (0.86 to 1 of the words; one layer 0.49 to 0.57),
L_6 with three by all five. Twice as long, L_5 fell to 0.47 ... 0.90 with two layers, to 0.84 ... 1 with three. Real numbers
can tell a few blocks more within a bounded length, which the theorem, for all lengths and fixed precision, does not exclude. So
the verdict at quick size speaks of k = 3, 4, and that of the full size is open.

Source: Yang, Cadilhac, Chiang, arXiv 2506.16055 (their table: 100 per cent first at depth k - 2). Refuted by: a typical seed on
the other side, or one layer that tells a pair apart. Cost: half a minute on a CPU at quick size; full: some hours on a CPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.models import sequence_model
from depthjax.probe.accuracy import correct
from depthjax.probe.rounding import rounding_floor
from depthjax.tasks.alternation import BEGIN, alternation_batch
from depthjax.tasks.words import Batch, prepend
from depthjax.training import Recipe, fit, streams
from depthjax.training.losses import cross_entropy
from depthjax.verify import Claim, Control, Grid, Hypothesis, Picture, Prediction, Relation, Source, axis
from theory import bounds
from theory.logic.counting import fooling_pair

PAIRS = 8
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
    assumes=(
        "the sizes and the budget of steps of the grid; three and four blocks (words of five want more length than was tried)",
        "all prefixes are of words of the language",
    ),
    refuted_by="a typical seed that solves L_k with fewer layers, or does not with k - 2",
    cost="half a minute on a CPU; full: some hours on a CPU",
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


def setting(cell: Sizes) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of words that shallow counting formulas take for the same, padded to the longest, and where they end."""
    growth = 3 ** np.arange(max(cell.k - 3, 1))  # every block of u outweighs those before it
    longest = max((cell.longest - 4) // int(growth.sum()), 1)
    firsts = np.linspace(1, longest, PAIRS).round().astype(int)
    pairs = [np.stack(fooling_pair(tuple((first * growth).tolist()))) for first in firsts]
    room = max(cell.longest, max(pair.shape[1] for pair in pairs))
    padded = [np.pad(pair, ((0, 0), (0, room - pair.shape[1]))) for pair in pairs]
    return np.stack(padded), np.array([pair.shape[1] for pair in pairs])


def predict(cell: Sizes, pairs: tuple[np.ndarray, np.ndarray]) -> tuple[Prediction, ...]:
    """Solved from the depth of the explicit predictor on; one layer tells no pair apart."""
    least = int(bounds.alternation(cell.k, "predict").at())
    both = Hypothesis("the depth is among those that are trained", 1 <= least <= cell.layers)
    blind = Prediction(0, of="one_layer_gap", relation=Relation.EQUALS)
    return dataclasses.replace(_solved_from(cell, least), hypotheses=(both,)), blind


def measure(cell: Sizes, key: jax.Array, pairs: tuple[np.ndarray, np.ndarray]) -> xr.Dataset:
    """Networks of each depth from several seeds, tested on fresh words and on the pairs."""
    layers = range(1, cell.layers + 1)
    found = [_trained(cell, key, depth, pairs) for depth in layers]
    scores, longer, gaps, same, curves = (np.stack(part) for part in zip(*found, strict=True))
    dims = ("layers", "seed")
    return xr.Dataset(
        {
            "solved": (dims, (scores >= WHOLE).astype(float), {"long_name": "seeds that get nine of ten words wholly right"}),
            "sequence": (dims, scores, {"long_name": "words wholly right"}),
            "sequence_longer": (dims, longer, {"long_name": "words of twice the length wholly right"}),
            "one_layer_gap": ((), gaps[0].max(), {"long_name": "difference between the ends of a pair over the largest logit"}),
            "one_layer_gap_floor": ((), rounding_floor(8 * cell.width + cell.longest, jnp.dtype("float32"))),
            "deepest_gap": ((), gaps[-1].max(), {"long_name": "the same, of the deepest networks"}),
            "deepest_gap_floor": ((), rounding_floor(8 * cell.width * cell.layers + cell.longest, jnp.dtype("float32"))),
            "same_on_pairs": (dims, same, {"long_name": "pairs at whose ends the answers are the same"}),
            "curve": (("layers", "seed", "record"), curves, {"long_name": "words wholly right, in training"}),
        },
        coords={"layers": list(layers)},
    )


def _trained(cell: Sizes, key: jax.Array, layers: int, pairs: tuple[np.ndarray, np.ndarray], permuted: bool = False) -> tuple:
    keys = jax.random.split(key, cell.seeds)
    numbers = (jnp.asarray(number) for number in (layers, cell.k, permuted))
    words, ends = map(jnp.asarray, pairs)
    return tuple(map(np.asarray, _train(keys, *numbers, words, ends, dataclasses.replace(cell, k=0))))


@partial(jax.jit, static_argnames="cell")
def _train(
    keys: jax.Array, depth: jax.Array, k: jax.Array, permuted: jax.Array, pairs: jax.Array, ends: jax.Array, cell: Sizes
) -> tuple[jax.Array, ...]:
    """By seed: words wholly right at the training lengths and at twice those; gaps and agreement on pairs; training curve.

    One program for every k and depth. On a CPU one run after the other: compiled in half the time, and layers that a network
    does not have are not computed.
    """
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

    def run(key: jax.Array) -> tuple[jax.Array, ...]:
        def loss(params: dict, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
            return cross_entropy(model.apply(params, batch.tokens, depth), batch)

        own = streams(key)
        done = fit(key, model.init(own.initial), loss, sample, recipe)
        tested = alternation_batch(own.test, k, jnp.concatenate([spread(cell.tests), spread(cell.tests, 2)]), 2 * cell.longest)
        right = correct(model.apply(done.params, tested.tokens, depth), tested.labels, tested.weights).all(axis=1)
        said = model.apply(done.params, prepend(pairs.reshape(-1, pairs.shape[2]), BEGIN).astype(jnp.int32), depth)
        last = said.reshape(*pairs.shape[:2], *said.shape[1:])[jnp.arange(len(ends)), :, ends]  # behind BEGIN
        gap = jnp.abs(last[:, 0] - last[:, 1]).max() / jnp.abs(last).max()
        same = (jnp.argmax(last[:, 0], axis=-1) == jnp.argmax(last[:, 1], axis=-1)).mean()
        return right[: cell.tests].mean(), right[cell.tests :].mean(), gap, same, done.metrics["sequence"]

    return jax.lax.map(run, keys, batch_size=None if jax.default_backend() == "cpu" else len(keys))


def _draw(place, dataset: xr.Dataset) -> None:
    """Words wholly right, and blind pairs, against depth, a panel for each k: seeds dots, medians lines, k - 2 dashed."""
    cells = dataset["cell"].to_numpy().tolist()
    axes = np.atleast_1d(place.subplots(1, len(cells), sharey=True))
    layers = dataset["layers"].to_numpy()
    for axis_, cell in zip(axes, cells, strict=True):
        rows = (
            ("sequence", "#0072B2", "o", "training lengths"),
            ("sequence_longer", "#D55E00", "s", "twice as long"),
            ("same_on_pairs", "#009E73", "^", "pairs that look the same"),
        )
        for shift, (name, colour, marker, label) in zip((-0.08, 0.0, 0.08), rows, strict=True):
            values = dataset[name].sel(cell=cell).transpose("layers", "seed").to_numpy()
            axis_.plot(layers + shift, values, marker, color=colour, ms=3, alpha=0.4)
            axis_.plot(layers + shift, np.median(values, axis=1), color=colour, label=label)
        k = int(cell.removeprefix("k="))
        axis_.axvline(k - 2.5, color="#8a8a8a", ls="--", lw=1)
        axis_.set(title=f"L_{k}", xlabel="layers", xticks=layers, ylim=(-0.03, 1.03))
    axes[0].set_ylabel("share of words, of pairs")
    axes[0].legend(loc="lower right")


PICTURES = (Picture(2.8, _draw),)


def _permuted(cell: Sizes, key: jax.Array, pairs: tuple[np.ndarray, np.ndarray]) -> xr.Dataset:
    """One layer trained on labels of other positions, where the control speaks of the cell."""
    scores = _trained(cell, key, 1, pairs, permuted=True)[0] if cell.k == 3 else np.zeros(cell.seeds)
    return xr.Dataset({"solved_by_one": ("seed", (scores >= WHOLE).astype(float))})


def _solved_from(cell: Sizes, least: int) -> Prediction:
    return Prediction([layers >= least for layers in range(1, cell.layers + 1)], of="solved", dims=("layers",))


CONTROLS = (
    Control("k - 1 layers are needed", "L_k is first solved at depth k - 1", lambda cell, _: _solved_from(cell, cell.k - 1)),
    Control(
        "k - 3 layers are enough",
        "L_k is solved at depth k - 3",
        lambda cell, _: _solved_from(cell, cell.k - 3) if cell.k > 3 else None,
    ),
    Control(
        "permuted labels",
        "L_3 is learned by one layer from labels that belong to other positions",
        lambda cell, _: Prediction(True, of="solved_by_one") if cell.k == 3 else None,
        _permuted,
    ),
    Control(
        "no depth tells the pairs apart",
        "the deepest networks say the same at the ends of both words of L_4's pairs",
        lambda cell, _: Prediction(0, of="deepest_gap", relation=Relation.EQUALS) if cell.k == 4 else None,
    ),
)

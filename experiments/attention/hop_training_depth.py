r"""Trained transformers: the largest k learned at 1% error about doubles with each layer, if they are wide enough.

Statement: let K(L) be the largest k such that the typical trained transformer of L layers answers hop_1, ..., hop_k with at
most 1% of errors, on the positions that have an answer. At enough width

    2^(L-2) <= K(L) <= 2^(L-1) - 1        (L >= 2),        K(1) = 0:

at least what the causal construction reaches, and no more than the strict one does.

Hypotheses: letters without equal neighbours, uniform otherwise; a question k, uniform, stands before the word; rotary
positions (quick: attention layers alone, without an MLP). The upper end is an observation at this budget of training, not a
theorem: the lower bounds on depth are conditional. No constructed weights are judged here; they appear in the figure alone.

Source: Sanford, Hsu and Telgarsky, whose published errors at width 256 give K = 1, 3, 7, 13 for L = 2, ..., 5; reported, never
tuned to. One run here between `quick` and `full`, not judged (width 64, attention layers alone, length 32, 3000 steps of 32
words at rate 3e-3, 3 seeds, k <= 4): K = 0, 1, 3 for L = 1, 2, 3, in every seed. Errors of the median seed:

    layers   k = 1     2        3        4
    1        0.174     0.514    0.598    0.714
    2        0.0003    0.105    0.340    0.432
    3        0.0000    0.0003   0.0040   0.155

Seeds of the size `paper`: 16, of which one may fail in each of its 20 statements. There were 9 before that size was ever run,
one fewer than the least number that could have given a verdict.

Refuted by: a typical seed on the other side of either end. Cost: half a minute on a CPU; full: hours on a GPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.hop import hop_transformer, reach
from depthjax.models import SequenceModel, sequence_model
from depthjax.probe.hops import hop_errors
from depthjax.probe.patterns import attention_patterns, likeness
from depthjax.tasks.hops import find_power, hop_batch
from depthjax.training import Ensemble, Recipe, ensemble
from depthjax.training.losses import cross_entropy
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="hop_training_depth",
    title="The largest k that transformers learn at 1% error about doubles with each layer, at enough width",
    statement=(
        "The typical trained transformer of L layers and enough width answers 2^(L-2) hops with at most 1% of errors, and not "
        "2^(L-1); with one layer not even the induction head."
    ),
    latex=r"2^{L-2} \le K(L) \le 2^{L-1} - 1",
    relation=Relation.TREND,
    source=Source(
        "Sanford, Hsu, Telgarsky",
        "Transformers, Parallel Computation, and Logarithmic Depth",
        "arXiv 2402.09268",
        "Section 5 and the published errors",
    ),
    assumes=(
        "width enough; error level 1%, on positions that have an answer",
        "a fixed number of steps on fresh words",
        "the typical seed: exact binomial limits",
    ),
    refuted_by="a typical seed that does not learn 2^(L-2) hops, or learns 2^(L-1)",
    cost="half a minute on a CPU; full: an hour on a GPU; paper: days on a GPU",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """All depths and k belong to one cell; the width is the axis."""

    width: int = axis(32)
    narrow: int = 4
    mlp: bool = False
    depths: int = 2
    alphabet: int = 4
    length: int = 16
    batch: int = 32
    steps: int = 400
    rate: float = 0.01
    seeds: int = 8
    level: float = 0.01
    tests: int = 512


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(width=axis(64), mlp=True, depths=4, length=48, batch=64, steps=20_000, rate=1e-3, seeds=16, tests=2048),
    "paper": Sizes(
        width=axis(128, 256), narrow=16, mlp=True, depths=5, length=98, steps=100_000, rate=1e-4, seeds=16, tests=2048
    ),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Nobody learns the first k beyond the reach of the strict construction; k = 2^(L-2) is learned, for L >= 2."""
    return (
        Prediction(np.zeros(cell.depths), of="beyond", dims=("layers",)),
        Prediction(np.ones(cell.depths - 1), of="within", dims=("deeper",)),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Errors of every depth, k and seed on fresh words; patterns of one trained and of the constructed model on one word."""
    largest = reach(cell.depths, "strict") + 1
    model, runs = _trained(cell, key, cell.width, tuple(range(1, cell.depths + 1)))
    errors = np.asarray(runs.test["errors"])
    best = int(errors[-1, :, : reach(cell.depths, "causal")].mean(axis=1).argmin())
    params = jax.tree.map(lambda array: jnp.asarray(array[-1, best]), runs.fit.params)
    return _learned(cell, errors).merge(
        xr.Dataset(
            {
                "error": (("layers", "seed", "hops"), errors, {"long_name": "share of wrong answers"}),
                "pattern": (("model", "layer", "row", "column"), _patterns(cell, jax.random.fold_in(key, 1), model, params)),
            },
            coords={"hops": np.arange(1, largest + 1), "model": ["ideal", "constructed", "trained"]},
        )
    )


def _learned(cell: Sizes, errors: np.ndarray) -> xr.Dataset:
    """Whether every k up to 2^(L-2) is at the level; whether 2^(L-1) is."""
    layers = np.arange(1, cell.depths + 1)
    low = errors <= cell.level
    beyond = np.stack([low[i, :, reach(int(n), "strict")] for i, n in enumerate(layers)])
    within = np.stack([low[i, :, : reach(int(n), "causal")].all(axis=1) for i, n in enumerate(layers) if n > 1])
    return xr.Dataset(
        {
            "beyond": (("layers", "seed"), beyond.astype(int), {"long_name": "2^(L-1) hops learned"}),
            "within": (("deeper", "seed"), within.astype(int), {"long_name": "2^(L-2) hops learned"}),
        },
        coords={"layers": layers, "deeper": layers[1:]},
    )


def _trained(cell: Sizes, key: jax.Array, width: int, depths: tuple[int, ...]) -> tuple[SequenceModel, Ensemble]:
    largest = reach(cell.depths, "strict") + 1
    letters, classes = cell.alphabet + largest, cell.alphabet + 1
    model = sequence_model("transformer", letters=letters, classes=classes, width=width, max_depth=max(depths), mlp=cell.mlp)
    sample = partial(hop_batch, alphabet=cell.alphabet, length=cell.length, largest=largest)

    def loss(params, batch, depth):
        return cross_entropy(model.apply(params, batch.tokens, depth), batch)

    def test(test_key, params, depth):
        batch = sample(test_key, batch=cell.tests)
        return {"errors": hop_errors(model.apply(params, batch.tokens, depth), batch, cell.alphabet, largest)}

    recipe = Recipe(
        cell.steps, cell.rate, warmup=cell.steps // 20, weight_decay=1e-4, betas=(0.9, 0.99), record_every=cell.steps // 10
    )
    made = ensemble(
        key, model.init, loss, partial(sample, batch=cell.batch), recipe, depths=depths, seeds=cell.seeds, test=test
    )
    return model, made


def _patterns(cell: Sizes, key: jax.Array, model: SequenceModel, params: dict) -> np.ndarray:
    """What each layer of the construction should look at, what it does, and the trained head that is most like it."""
    k = reach(cell.depths, "causal")
    batch = hop_batch(key, cell.alphabet, 1, cell.length, reach(cell.depths, "strict") + 1)
    word = batch.tokens[:, 1:]
    built, weights = hop_transformer(k, cell.length, cell.alphabet, "causal")
    constructed = np.stack([layer["attention"] for layer in built.trace(weights, word[0])[1:]])
    targets = [jnp.arange(cell.length)] + [find_power(word, cell.alphabet, 2**j)[0] for j in range(cell.depths - 1)]
    row = jnp.arange(cell.length + 1)
    ideal = jnp.stack([(row[None, :] == jnp.pad(t, (1, 0))[:, None]) & (row[:, None] * row[None, :] > 0) for t in targets])
    ideal = ideal.astype(jnp.float32)
    heads = attention_patterns(model, params, batch.tokens[0].at[0].set(cell.alphabet + k - 1))
    trained = [head[jnp.argmax(likeness(head, map_))] for head, map_ in zip(heads, ideal, strict=True)]
    return np.stack([np.asarray(ideal), constructed, np.stack(trained)])


def _narrow(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The deepest networks alone, too narrow."""
    _, runs = _trained(cell, key, cell.narrow, (cell.depths,))
    low = np.asarray(runs.test["errors"])[0, :, : reach(cell.depths, "causal")] <= cell.level
    return xr.Dataset({"within": ("seed", low.all(axis=1).astype(int))})


CONTROLS = (
    Control(
        "one layer",
        "one layer learns the induction head",
        lambda cell: Prediction(np.arange(cell.depths) == 0, of="beyond", dims=("layers",)),
    ),
    Control(
        "width too small", "the narrow networks learn 2^(L-2) hops as well", lambda cell: Prediction(1, of="within"), _narrow
    ),
)


def _draw_errors(figure, dataset: xr.Dataset) -> None:
    """Error by k and depth, best and median seed, with the two laws."""
    errors = dataset["error"].isel(cell=0)
    panels = figure.subplots(1, 2, sharey=True)
    ks, layers = errors["hops"].to_numpy(), errors["layers"].to_numpy()
    for axes, name in zip(panels, ("median", "best"), strict=True):
        values = (errors.median("seed") if name == "median" else errors.min("seed")).transpose("layers", "hops").to_numpy()
        axes.pcolormesh(ks, layers, values, cmap="cividis", vmin=0, vmax=0.75)
        for (row, column), value in np.ndenumerate(values):
            axes.text(ks[column], layers[row], f"{value:.3f}", ha="center", va="center", fontsize=7, color="white")
        for route, style in (("strict", "-"), ("causal", "--")):
            law = [bounds.hop(int(k), route).at() - 0.5 for k in ks]
            axes.step(ks, law, style, where="mid", color="#D55E00", label={"strict": "floor", "causal": "ceil"}[route])
        axes.set(xlabel="hops k", xticks=ks, yticks=layers, ylim=(0.5, layers[-1] + 0.5))
        axes.set_title(f"error of the {name} seed", loc="left", fontsize=8.5)
    panels[0].set_ylabel("layers")
    panels[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5)


def _draw_patterns(figure, dataset: xr.Dataset) -> None:
    """A row for the ideal map, the constructed and the trained head; a column for each layer."""
    pattern = dataset["pattern"].isel(cell=0)
    panels = figure.subplots(pattern.sizes["model"], pattern.sizes["layer"], squeeze=False, sharex=True, sharey=True)
    for (row, column), axes in np.ndenumerate(panels):
        image = pattern.isel(model=row, layer=column).transpose("row", "column").to_numpy()
        axes.imshow(image, cmap="cividis", vmin=0, vmax=1, interpolation="nearest")
        if column == 0:
            axes.set_ylabel(str(pattern["model"].to_numpy()[row]))
        if row == 0:
            target = "the letter before" if column == 0 else f"find^{2 ** (column - 1)}"
            axes.set_title(f"layer {column + 1}: {target}", fontsize=8.5)


PICTURES = (Picture(2.6, _draw_errors), Picture(5.0, _draw_patterns))

r"""Trained transformers first predict k alternating blocks at depth k - 2.

Statement: Causal softmax transformers without positions are trained to say at every prefix of words of k alternating blocks
    whether the word may end there. The typical seed gets whole words right exactly if it has at least k - 2 layers.
    $$ \text{solved} \iff \text{layers} \ge k - 2 $$
Hypotheses: the sizes and the budget of steps of the grid; three and four blocks (words of five want more length than was
    tried); all prefixes are of words of the language.
Source: Yang, Cadilhac, Chiang, “Knee-Deep in C-RASP: A Transformer Depth Hierarchy”, arXiv 2506.16055, the experiment on
    prediction (100 per cent first at depth k - 2), at smaller size.
Refuted by: a typical seed that solves L_k with fewer layers or does not with k - 2, or one layer that tells a pair apart.
Cost: quick half a minute on a CPU, full some hours.

k - 2 is the depth of the explicit predictor (`alternation_depth_exact`); what less depth of counting formulas cannot do,
training does not find either. A network has solved the task if every prefix is right in at least 9 of 10 fresh words of the
training lengths. Words of twice the length are tested and drawn. So are the pairs u s s t t, u s t s t of
`alternation_pairs_blind`, with u of k - 3 blocks (one at least): without positions one layer sees the last letter and how many
there are of each, nothing else, so it says the same at the ends of both, to rounding, whatever it was trained on. That is
judged; the answers of deeper networks, whose weights no theorem bounds, are drawn. That shallower transformers of any precision
fail is not claimed: the theorem speaks of fixed precision and of all lengths.

More blocks need longer words than were tried so far. Words of 12 to 24 letters (width 16, 1200 steps, 5 seeds) were also got
right by networks one layer too shallow: L_5 with two layers by 4 of 5 seeds (0.86 to 1 of the words; one layer 0.49 to 0.57),
L_6 with three by all five. Twice as long, L_5 fell to 0.47 ... 0.90 with two layers, to 0.84 ... 1 with three. Real numbers can
tell a few blocks more within a bounded length, which the theorem, for all lengths and fixed precision, does not exclude. So the
verdict at quick size speaks of k = 3, 4, and that of the full size is open.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.block_prediction import Setup, trained
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory import bounds
from theory.logic.counting import fooling_pair

CLAIM = claim(Relation.TREND, trains=True)

PAIRS = 8
WHOLE = 0.9  # the share of test words that are right at every prefix, to count as solved


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

    @property
    def setup(self) -> Setup:
        """The network and its training."""
        return Setup(self.layers, self.width, self.longest, self.batch, self.steps, self.rate, self.tests)


FULL = Sizes(k=axis(3, 4, 5, 6), layers=4, width=32, longest=60, batch=64, steps=2000)
GRIDS = {
    "test": Sizes(k=axis(3), layers=1, width=4, longest=8, batch=4, steps=10, tests=8, seeds=7),
    "quick": Sizes(),
    "full": FULL,
    "paper": dataclasses.replace(FULL, width=256, longest=250, steps=10_000, rate=1e-4),
}


def objects(cell: Sizes) -> tuple[np.ndarray, np.ndarray]:
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


def _solved_from(cell: Sizes, least: int) -> Prediction:
    return Prediction([layers >= least for layers in range(1, cell.layers + 1)], of="solved", dims=("layers",))


def measure(cell: Sizes, key: jax.Array, pairs: tuple[np.ndarray, np.ndarray]) -> xr.Dataset:
    """Networks of each depth from several seeds, tested on fresh words and on the pairs."""
    layers = range(1, cell.layers + 1)
    found = [trained(key, cell.setup, cell.seeds, cell.k, depth, *pairs) for depth in layers]
    whole, longer, gaps, same, curves = (np.stack(part) for part in zip(*found, strict=True))
    text, blind = "words wholly right", "difference between the ends of a pair over the largest logit"
    return measured(
        solved=Quantity((whole >= WHOLE).astype(float), "layers seed", label="seeds that get nine of ten words wholly right"),
        sequence=Quantity(whole, "layers seed", label=text),
        sequence_longer=Quantity(longer, "layers seed", label="words of twice the length wholly right"),
        one_layer_gap=Quantity(gaps[0].max(), floor=_floor(cell, 1), label=blind),
        deepest_gap=Quantity(gaps[-1].max(), floor=_floor(cell, cell.layers), label=f"{blind}, deepest networks"),
        same_on_pairs=Quantity(same, "layers seed", label="pairs at whose ends the answers are the same"),
        curve=Quantity(curves, "layers seed record", label=f"{text}, in training"),
        layers=list(layers),
    )


def _floor(cell: Sizes, layers: int) -> float:
    return float(rounding_floor(8 * cell.width * layers + cell.longest, jnp.dtype("float32")))


def _draw(place, dataset: xr.Dataset) -> None:
    """Words wholly right, and blind pairs, against depth, a panel for each k: seeds dots, medians lines, k - 2 dashed."""
    blocks, layers = dataset["k"].to_numpy().tolist(), dataset["layers"].to_numpy()
    rows = (
        ("sequence", "#0072B2", "o", "training lengths"),
        ("sequence_longer", "#D55E00", "s", "twice as long"),
        ("same_on_pairs", "#009E73", "^", "pairs that look the same"),
    )
    axes = place.subplots(1, len(blocks), sharey=True, squeeze=False)[0]
    for cell, (axis_, k) in enumerate(zip(axes, blocks, strict=True)):
        for shift, (name, colour, marker, label) in zip((-0.08, 0.0, 0.08), rows, strict=True):
            values = dataset[name].isel(cell=cell).transpose("layers", "seed").to_numpy()
            axis_.plot(layers + shift, values, marker, color=colour, ms=3, alpha=0.4)
            axis_.plot(layers + shift, np.median(values, axis=1), color=colour, label=label)
        axis_.axvline(k - 2.5, color="#8a8a8a", ls="--", lw=1)
        axis_.set(title=f"L_{k}", xlabel="layers", xticks=layers, ylim=(-0.03, 1.03))
    axes[0].set_ylabel("share of words, of pairs")
    axes[0].legend(loc="lower right")


def _permuted(cell: Sizes, key: jax.Array, pairs: tuple[np.ndarray, np.ndarray]) -> xr.Dataset:
    """One layer trained on labels of other positions, where the control speaks of the cell."""
    whole = np.zeros(cell.seeds)
    if cell.k == 3:
        whole = np.asarray(trained(key, cell.setup, cell.seeds, cell.k, 1, *pairs, permuted=True).whole)
    return measured(solved_by_one=Quantity((whole >= WHOLE).astype(float), "seed"))


CONTROLS = (
    control(
        "permuted labels",
        "L_3 is learned by one layer from labels that belong to other positions",
        measure=_permuted,
        predict=lambda cell, _: Prediction(True, of="solved_by_one") if cell.k == 3 else None,
    ),
    control(
        "no depth tells the pairs apart",
        "the deepest networks say the same at the ends of both words of L_4's pairs",
        predict=lambda cell, _: Prediction(0, of="deepest_gap", relation=Relation.EQUALS) if cell.k == 4 else None,
    ),
)
RIVALS = (
    rival("k - 1 layers are needed", lambda cell, _: _solved_from(cell, cell.k - 1), "L_k is first solved at depth k - 1"),
    rival(
        "k - 3 layers are enough",
        lambda cell, _: _solved_from(cell, cell.k - 3) if cell.k > 3 else None,
        "L_k is solved at depth k - 3",
    ),
)
PICTURES = (Picture(2.8, _draw),)

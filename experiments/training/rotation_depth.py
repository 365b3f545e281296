r"""Following a rotated vector: one layer that cannot see order stays above an exact floor, two layers learn to go below it.

The task: v_t = M[x_t] v_{t-1} in three dimensions, v_0 a unit vector, letters uniform; errors are means over coordinates.

(a) The output of one softmax attention layer without positions (and with any MLP) at position t depends on x_t and on the
multiset of x_1, ..., x_{t-1}. Given these, all orders of the earlier letters are equally likely, and the best guess is the mean
over orders. So, whatever its weights,

    MSE_t >= (1 - E <y, y'>) / 3,    y, y' the same t - 1 letters in two independent random orders.

For the whole of A5 the mean is E d^{-2g} over Hultman numbers (`theory.groups.orderings`); for the two generators it is summed
over multisets. At t <= 2 the floor is zero: the one earlier letter has one order.

(b) A causal stack of two such layers is not bound by it: the first layer can count, so that the second sees order. Trained, the
typical seed is below the floor at depth 2 and above it at depth 1. No floor in real arithmetic is known at depth 2 or more: two
layers can record the word (`two_layers_record_the_word`).

Predicting zero has a mean square error of 1/3; the floor is below that, so (a) is not about networks that learned nothing.

Hypotheses: no positions, no convolution; letters independent and uniform. Source: the task of Heo et al., arXiv 2603.05573;
the floor is stated here first. Refuted by: a network of one layer below the floor, at any position, by more than sampling; or a
typical seed of two layers that is not below it. Cost: half a minute on a CPU.
"""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.training import Recipe
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source, axis
from depthjax.verify.means import critical
from depthjax.verify.rates import RATE
from experiments.studies.figure import HEIGHT, draw_by_depth
from experiments.studies.study import Study, train
from theory.groups import rotation
from theory.groups.orderings import mean_overlap, overlaps

CLAIM = Claim(
    slug="rotation_depth",
    title="On the rotation task one order-blind layer stays above an exact floor, and two layers learn to go below it",
    statement=(
        "The mean square error of one attention layer without positions is at least (1 - E<y, y'>)/3 at every position; the "
        "typical seed of two layers is trained to below that floor."
    ),
    latex=r"\mathrm{MSE}_t \ge \tfrac13\bigl(1 - E\,3^{-2g}\bigr)\ \text{at depth } 1",
    relation=Relation.AT_LEAST,
    source=Source(
        "Heo et al.",
        "Why Depth Matters in Parallelizable Sequence Models",
        "arXiv 2603.05573",
        "rotation task, Figures 3 and 4",
    ),
    assumes=("attention without positions or convolution", "letters are independent and uniform"),
    refuted_by="one layer below the floor by more than sampling, or a typical seed of two layers above it",
    cost="half a minute on a CPU at quick size",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The alphabet, sizes of network and words, and the recipe."""

    alphabet: str = axis("generators")
    deepest: int = 2
    seeds: int = 16
    width: int = 16
    length: int = 8
    batch: int = 32
    steps: int = 600
    learning_rate: float = 5e-3
    tests: int = 2048

    @property
    def study(self) -> Study:
        """Attention that sees no positions, at depths 1 to `deepest`."""
        return Study(
            task="rotation",
            alphabet=self.alphabet,
            model="transformer",
            width=self.width,
            switches={"positions": "none"},
            length=self.length,
            batch=self.batch,
            tests=self.tests,
            depths=tuple(range(1, self.deepest + 1)),
            seeds=self.seeds,
            recipe=Recipe(self.steps, self.learning_rate, warmup=self.steps // 20, clip=1.0, record_every=self.steps // 20),
        )

    def floors(self) -> np.ndarray:
        """By position, a beginning-of-sequence token at position 0; up to position 2 there is one order, and the floor is 0."""
        if self.alphabet == "all":
            known = np.array([float(mean_overlap(n, 3)) for n in range(self.length)])
        else:
            turns = np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
            known = overlaps(turns, np.full(3, 3**-0.5), self.length - 1)
        return np.concatenate([np.zeros(3), np.maximum(1 - known[2:], 0.0) / 3])


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(alphabet=("generators", "all"), deepest=4, seeds=16, width=64, batch=256, steps=10_000, length=16),  # type: ignore[arg-type]
    "paper": Sizes(alphabet=("generators", "all"), deepest=8, seeds=16, width=128, batch=256, steps=97_000, length=128),  # type: ignore[arg-type]
}


def setting(cell: Sizes) -> dict:
    """The task's matrices in a sampler, and the floor by position."""
    return {"sampler": cell.study.sampler(), "floors": cell.floors()}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The floor by position for one layer; who is below its mean."""
    return (
        Prediction(given["floors"], of="blind_error", dims=("position",), formula=r"(1 - E\langle y, y'\rangle)/3"),
        Prediction(0, of="blind_below", relation=Relation.TREND),
        Prediction(np.ones(cell.deepest - 1), of="deeper_below", dims=("deeper",), relation=Relation.TREND),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors on test words by depth and seed, by position for one and two layers; whether they are surely below the floor."""
    found = train(cell.study, key, given["sampler"])
    errors, spread = found.test["mse_1x"], found.test["mse_spread_1x"]
    places, spreads = found.test["mse_by_position_1x"], found.test["mse_spread_by_position_1x"]
    doubt = critical(cell.tests, RATE / spreads[0].size) * spreads  # the mean over test words, at every seed and position
    floor = given["floors"].mean()
    below = np.where(found.fit.failed >= 0, np.nan, errors + critical(cell.tests, RATE / errors.size) * spread < floor)
    runs = ("depth", "seed")
    return xr.Dataset(
        {
            "mse_1x": (runs, errors, {"long_name": "mean square error"}),
            "mse_2x": (runs, found.test["mse_2x"], {"long_name": "mean square error at twice the length"}),
            "blind_error": (("seed", "position"), places[0], {"long_name": "error of one layer"}),
            "blind_error_sampling": (("seed", "position"), doubt[0], {"rate": RATE}),
            "two_layer_error": (
                ("seed", "position"),
                places[1],
                {"long_name": "error of two layers"},
            ),
            "two_layer_error_sampling": (("seed", "position"), doubt[1], {"rate": RATE}),
            "floor": ((), floor, {"long_name": "mean floor of one layer"}),
            "blind_below": ("seed", below[0], {"long_name": "one layer below its floor"}),
            "deeper_below": (("deeper", "seed"), below[1:], {"long_name": "two layers or more below the floor of one"}),
        },
        coords={"depth": list(found.depths), "deeper": list(found.depths[1:]), "position": np.arange(cell.length + 1)},
    )


def _draw(figure, dataset: xr.Dataset) -> None:
    """Errors by depth, every seed, with the floor of one layer and the error of predicting nothing."""
    cells = {str(name): dataset.sel(cell=name) for name in dataset["cell"].to_numpy()}
    draw_by_depth(figure, cells, dict.fromkeys(cells), "rotation", {1: float(dataset["floor"].min())})


PICTURES = (Picture(HEIGHT, _draw),)


CONTROLS = (
    Control(
        "two layers are bound as well",
        "the floor of one layer holds for two",
        lambda cell, given: Prediction(given["floors"], of="two_layer_error", dims=("position",)),
    ),
    Control(
        "one layer learns nothing",
        "one layer stays above 1/3, the error of predicting zero, at every position",
        lambda cell, given: Prediction(1 / 3, of="blind_error"),
    ),
    Control(
        "depth is not needed",
        "the typical seed of one layer is below the floor",
        lambda cell, given: Prediction(1, of="blind_below", relation=Relation.TREND),
    ),
)

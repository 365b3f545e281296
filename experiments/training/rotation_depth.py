r"""On the rotation task one order-blind layer stays above an exact floor, and two layers learn to go below it.

Statement: The task is to follow v_t = M[x_t] v_{t-1} in three dimensions, v_0 a unit vector, letters uniform. The mean square
    error, per coordinate, of one softmax attention layer without positions at position t is at least (1 - E<y, y'>) / 3, where
    y and y' are the same t - 1 letters in two independent random orders. On words in two generators of A5 the typical seed of
    two layers is trained to an error below that floor.
    $$ \mathrm{MSE}_t \ge \tfrac13\bigl(1 - E\langle y, y'\rangle\bigr)\ \text{at depth } 1 $$
Hypotheses: attention without positions or convolution; letters are independent and uniform.
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, the rotation task; the floor is
    stated here first.
Refuted by: one layer below the floor, at any position, by more than sampling; or a typical seed of two layers above it.
Cost: quick 30 s on one core, full about 37 min.

The output of one such layer, with any MLP, depends on x_t and on the multiset of x_1, ..., x_{t-1}. Given these, all orders of
the earlier letters are equally likely, and the best guess is the mean over orders. For the whole of A5 the mean E<y, y'> is
E 3^{-2g} over Hultman numbers (`theory.groups.orderings`); for the two generators it is summed over multisets. The measurement
knows neither: it shuffles words. The floor does not bind two layers: they can record the word (`two_layers_record_the_word`).

At `full` this claim first said of all 60 letters too that two layers are trained to below the floor, and was REFUTED: after
2500 steps no seed of two, three or four layers was surely below it. Of these letters it says the floor alone.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.order_blind import commuting_turns, order_blind_errors
from depthjax.probe.rounding import rounding_floor
from depthjax.training import Recipe
from depthjax.verify import Grid, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, rival, scaled
from depthjax.verify.means import critical
from depthjax.verify.quantity import cell_names
from depthjax.verify.rates import RATE
from experiments.studies.curves import curve, metrics
from experiments.studies.figure import HEIGHT, draw_by_depth
from experiments.studies.study import Study, train
from experiments.studies.tasks import sampler
from theory.groups import rotation
from theory.groups.orderings import mean_overlap, overlaps

CLAIM = claim(Relation.AT_LEAST, trains=True)

LEARNED = "generators"  # the letters of which training is known to find the order
COMMUTING = 256  # words at each position, for a control whose errors are zero without sampling


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Alphabets; sizes of network and words; the recipe; shuffled words at each position."""

    alphabet: str = axis("generators")
    deepest: int = 2
    seeds: int = 16
    width: int = 16
    length: int = 8
    batch: int = 32
    steps: int = 600
    learning_rate: float = 5e-3
    tests: int = 2048
    shuffled: int = 65_536

    @property
    def study(self) -> Study:
        """Attention that sees no positions, at depths 1 to `deepest`."""
        sizes = {name: getattr(self, name) for name in ("alphabet", "width", "length", "batch", "tests", "seeds")}
        sizes |= {"depths": tuple(range(1, self.deepest + 1)), "switches": {"positions": "none"}}
        every = self.steps // 20
        recipe = Recipe(self.steps, self.learning_rate, warmup=every, clip=1.0, record_every=every)
        return Study(task="rotation", follows="faithful", model="transformer", recipe=recipe, **sizes)


BOTH = axis("generators", "all")
PAPER = {"deepest": 8, "width": 128, "length": 128, "batch": 256, "steps": 97_000}
GRIDS = {
    "test": Sizes(seeds=8, length=4, steps=20, tests=256, shuffled=16_384),
    "quick": Sizes(),
    "full": Sizes(BOTH, deepest=4, width=32, length=12, steps=2500, learning_rate=3e-3),
    "paper": Sizes(BOTH, **PAPER),
}


def objects(cell: Sizes) -> dict:
    """The task's matrices in a sampler."""
    return {"sampler": sampler(cell.study)}


def floors(cell: Sizes) -> np.ndarray:
    """The floor by position; position 0 is the beginning-of-sequence token, and up to position 2 there is one order."""
    if cell.alphabet == "all":
        known = np.array([float(mean_overlap(n, 3)) for n in range(cell.length)])
    else:
        turns = np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
        known = overlaps(turns, np.full(3, 3**-0.5), cell.length - 1)
    return np.concatenate([np.zeros(3), np.maximum(1 - known[2:], 0.0) / 3])


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The floor by position, of shuffled words and of one layer; which depths are trained to below its mean."""
    formula = r"(1 - E\langle y, y'\rangle)/3"
    floor = (
        Prediction(floors(cell), of="order_blind", dims=("position",), relation=Relation.EQUALS, formula=formula),
        Prediction(floors(cell), of="blind_error", dims=("position",), formula=formula),
        Prediction(0, of="blind_below", relation=Relation.TREND),
    )
    deeper = Prediction(np.ones(cell.deepest - 1), of="deeper_below", dims=("deeper",), relation=Relation.TREND)
    return (*floor, deeper) if cell.alphabet == LEARNED else floor


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors by depth, seed and position; the error of the best guess without order; which runs are surely below it."""
    matrices, start = given["sampler"].matrices, np.full(3, 3**-0.5)
    blind = order_blind_errors(jax.random.fold_in(key, 1), matrices, start, cell.length - 1, cell.shuffled)
    shuffled = np.pad(blind.error, (1, 0))
    doubt = np.pad(critical(cell.shuffled, RATE / cell.length) * blind.spread, (1, 0))
    rounding = rounding_floor(9 * cell.length, jnp.dtype(matrices.dtype))
    found = train(cell.study, key, given["sampler"])
    errors, spread = found.test["mse_1x"], found.test["mse_spread_1x"]
    places, spreads = found.test["mse_by_position_1x"], found.test["mse_spread_by_position_1x"]
    widths = critical(cell.tests, RATE / spreads[0].size) * spreads  # of the mean over test words
    highest = errors + critical(cell.tests, RATE / errors.size) * spread
    floor = shuffled.mean() - critical(cell.shuffled, RATE) * np.linalg.norm(blind.spread) / len(shuffled)
    below = np.where(found.fit.failed >= 0, np.nan, highest < floor)
    early = (found.fit.losses[1:, :, 0] < floor).astype(float)  # the mean loss of the first twentieth of the steps

    one, two = (
        Quantity(places[n], "seed position", sampling=widths[n], rate=RATE, label=f"error of {name}")
        for n, name in enumerate(("one layer", "two layers"))
    )
    return measured(
        depth=list(found.depths),
        deeper=list(found.depths[1:]),
        position=np.arange(cell.length + 1),
        mse_1x=Quantity(errors, "depth seed", label="mean square error"),
        mse_2x=Quantity(found.test["mse_2x"], "depth seed", label="mean square error at twice the length"),
        order_blind=Quantity(shuffled, "position", floor=rounding, sampling=doubt, rate=RATE, label="best guess without order"),
        blind_error=one,
        two_layer_error=two,
        blind_below=Quantity(below[0], "seed", label="one layer below its floor"),
        two_layers_below=Quantity(below[1], "seed", label="two layers below the floor of one"),
        deeper_below=Quantity(below[1:], "deeper seed", label="two layers or more below the floor of one"),
        deeper_below_early=Quantity(early, "deeper seed", label="the same, a twentieth of the steps"),
    )


def _commuting(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The best guess without order of letters that turn about one axis."""
    blind = order_blind_errors(key, commuting_turns(3), np.full(3, 3**-0.5), cell.length - 1, COMMUTING)
    floor = rounding_floor(9 * cell.length, jnp.dtype(blind.error.dtype))
    return measured(order_blind=Quantity(np.pad(blind.error, (1, 0)), "position", floor=floor))


SAME, TWO = {"order_blind": "order_blind"}, {"blind_error": "two_layer_error", "blind_below": "two_layers_below"}
CONTROLS = (
    control("two layers", "the floor of one layer holds for two", instead=TWO, where=lambda cell, _: cell.alphabet == LEARNED),
    control("letters that commute", "the floor holds for turns about one axis", measure=_commuting, instead=SAME),
    control("a twentieth of the steps", "two layers are below as early", instead={"deeper_below": "deeper_below_early"}),
)
RIVALS = (
    rival("one layer learns nothing", lambda cell, given: Prediction(1 / 3, of="blind_error"), "one layer stays above 1/3"),
    scaled(1.5, of="order_blind", name="a higher floor"),
    off_by(+1, of="blind_below", name="depth is not needed", statement="the typical seed of one layer is below the floor"),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Mean square error by depth, at the training length and at twice that.

    Small points: seeds; large ones: their median with its 95 % interval; triangles: the best seed. Bar: the floor of one layer,
    the lower one of two alphabets. One layer stays above it; on words in generators two layers go below.
    """
    cells = {name.replace("=", " "): dataset.isel(cell=index) for index, name in enumerate(cell_names(dataset))}
    floors = dict.fromkeys(metrics("rotation")[:1], float(dataset["order_blind"].mean("position").min()))
    shown = {m: [curve(name, cell, m, floors.get(m)) for name, cell in cells.items()] for m in metrics("rotation")}
    draw_by_depth(figure, shown)


PICTURES = (Picture(HEIGHT, _draw),)

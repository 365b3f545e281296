r"""On the rotation task one order-blind layer stays above an exact floor, and two layers learn to go below it.

Statement: The task is to follow v_t = M[x_t] v_{t-1} in three dimensions, v_0 a unit vector, letters uniform. The mean square
    error, per coordinate, of one softmax attention layer without positions at position t is at least (1 - E<y, y'>) / 3, where
    y and y' are the same t - 1 letters in two independent random orders: for every few letters among the rotations of A5, every
    length and every number of training steps. On words in two generators of A5, at the lengths and budgets of the grid, two
    layers of the typical seed are trained to an error below that floor.
    $$ \mathrm{MSE}_t \ge \tfrac13\bigl(1 - E\langle y, y'\rangle\bigr)\ \text{at depth } 1 $$
Hypotheses: attention without positions or convolution; letters are independent and uniform.
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, the rotation task; the floor is
    stated here first.
Refuted by: one layer below the floor, at any position, by more than sampling; or a typical seed of two layers above it.
Cost: quick 30 s on one core, full about 37 min.

The output of one such layer, with any MLP, depends on x_t and on the multiset of x_1, ..., x_{t-1}. Given these, all orders of
the earlier letters are equally likely, and the best guess is the mean over orders. For the whole of A5 the mean E<y, y'> is
E 3^{-2g} over Hultman numbers (`orderings`); for the two generators it is summed over multisets. The measurement
knows neither: it shuffles words. The floor does not bind two layers: they can record the word (`two_layers_record_the_word`).

At `full` this claim first said of all 60 letters too that two layers are trained to below the floor, and was REFUTED: after
2500 steps no seed of two, three or four layers was surely below it. Of these letters it says the floor alone.
"""

import dataclasses
import math
import random
from functools import cache

import numpy as np
from scipy.special import stdtrit

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, drawn, off_by, rival, scaled, whole
from depthjax.verify.prediction import UNSHARP
from experiments.training.rotation_depth.orderings import mean_overlap, overlaps
from theory.groups import group, rotation

CLAIM = claim(Relation.AT_LEAST, trains=True)
HEADLINE = "deeper_below"


LEARNED = "generators"  # the letters of which training is known to find the order


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Alphabets, by name or as numbers of elements of A5; sizes of network and words; recipe; shuffled words by position."""

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


BOTH = axis("generators", "all")


PAPER = {"deepest": 8, "width": 128, "length": 128, "batch": 256, "steps": 97_000}


def _some(source: random.Random) -> str:
    """Two to four elements of A5, by their numbers."""
    return " ".join(map(str, sorted(source.sample(range(60), source.randint(2, 4)))))


DOMAIN = domain(
    alphabet=drawn(_some, "every two to four of the sixty elements of A5"),
    length=whole(3, 12, quick=8),
    steps=whole(20, 400, step=20, quick=100),
    where={"the order of the letters matters": lambda cell: floors(cell)[-1] > 0.02},
    counts={"test": 0, "quick": 1},
)
GRIDS = {
    "test": Sizes(seeds=8, length=4, steps=20, tests=256, shuffled=16_384),
    "quick": Sizes(),
    "full": Sizes(BOTH, deepest=4, width=32, length=12, steps=2500, learning_rate=3e-3),
    "paper": Sizes(BOTH, **PAPER),
}


def objects(cell: Sizes) -> dict:
    """A5, a pair of generators and their turns about icosahedral axes; the numbers of the letters."""
    generators, turns = _generated()
    named = {"generators": generators, "all": tuple(range(60))}
    letters = named[cell.alphabet] if cell.alphabet in named else tuple(map(int, cell.alphabet.split()))
    return {"table": group("A5").table, "generators": generators, "turns": turns, "letters": letters}


@cache
def _generated() -> tuple[tuple[int, int], np.ndarray]:
    """Two elements that generate A5, and the matrices that turn as they do."""
    a5 = group("A5")
    pair = next(pair for pair in rotation.assignments("three", "right") if pair.extends)
    turns = np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
    return (a5.index(pair.three), a5.index(pair.five)), turns


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The floor by position, of shuffled words and of one layer; which depths are trained to below its mean."""
    formula = r"(1 - E\langle y, y'\rangle)/3"
    sharp = None if cell.alphabet in BOTH else UNSHARP  # few steps come near no floor
    floor = (
        Prediction(floors(cell), of="order_blind", dims=("position",), relation=Relation.EQUALS, formula=formula),
        Prediction(floors(cell), of="blind_error", dims=("position",), formula=formula, resolution=sharp),
        Prediction(0, of="blind_below", relation=Relation.TREND),
        *_trained(cell),
    )
    deeper = Prediction(np.ones(cell.deepest - 1), of="deeper_below", dims=("deeper",), relation=Relation.TREND)
    return (*floor, deeper) if cell.alphabet == LEARNED else floor


def _trained(cell: Sizes) -> tuple[Prediction, ...]:
    """What every run trains: half the rate a step on average; and the doubt of a mean, below which one is surely below.

    A layer has queries, keys, values, an output and three maps of four widths, and two norms. The doubt is that of all means at
    a rate of one hundredth together, of errors whose skewness is at most 15: Student's quantile z and Hall's term.
    """
    letters = 1 + len(objects(cell)["letters"])  # the beginning of a word is one more
    layer = 16 * cell.width**2 + 2 * cell.width
    weights = cell.deepest * layer + (letters + 1 + 3) * cell.width + 3
    z = float(stdtrit(cell.tests - 1, 1 - 0.01 / (2 * cell.deepest * cell.seeds)))
    doubt = z + 15 * (2 * z**2 + 1) / (6 * math.sqrt(cell.tests))
    facts = {"steps": cell.steps, "travel": cell.steps * cell.learning_rate / 2, "weights": weights, "allowance": doubt}
    return tuple(Prediction(value, of=name, relation=Relation.EQUALS) for name, value in facts.items())


def floors(cell: Sizes) -> np.ndarray:
    """The floor by position; position 0 is the beginning-of-sequence token, and up to position 2 there is one order."""
    if cell.alphabet == "all":
        known = np.array([float(mean_overlap(n, 3)) for n in range(cell.length)])
    else:
        letters = list(objects(cell)["letters"])
        known = overlaps(_matrices()[letters], np.full(3, 3**-0.5), cell.length - 1)
    return np.concatenate([np.zeros(3), np.maximum(1 - known[2:], 0.0) / 3])


@cache
def _matrices() -> np.ndarray:
    """The rotation of every element, as products of the two generators."""
    table, (generators, turns) = group("A5").table, _generated()
    found, fresh = {0: np.eye(3)}, [0]
    while fresh:
        reached = {int(table[g, x]): turn @ found[x] for g, turn in zip(generators, turns, strict=True) for x in fresh}
        fresh = sorted(reached.keys() - found.keys())
        found |= {x: reached[x] for x in fresh}
    return np.stack([found[x] for x in range(len(table))])


SAME, TWO = {"order_blind": "order_blind"}, {"blind_error": "two_layer_error", "blind_below": "two_layers_below"}


CONTROLS = (
    control("two layers", "the floor of one layer holds for two", instead=TWO, where=lambda cell, _: cell.alphabet == LEARNED),
    control("letters that commute", "the floor holds for turns about one axis", measure="commuting", instead=SAME),
    control("a twentieth of the steps", "two layers are below as early", instead={"deeper_below": "deeper_below_early"}),
)


def _nothing(cell: Sizes, given: dict) -> Prediction | None:
    """Of the alphabets of the grid alone: others may be trained for a few steps."""
    return Prediction(1 / 3, of="blind_error") if cell.alphabet in BOTH else None


RIVALS = (
    rival("one layer learns nothing", _nothing, "one layer stays above 1/3"),
    scaled(1.5, of="order_blind", name="a higher floor"),
    off_by(+1, of="blind_below", name="depth is not needed", statement="the typical seed of one layer is below the floor"),
)

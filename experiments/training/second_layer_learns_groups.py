r"""The second layer learns a group: two layers of signed diagonals find D4, and one layer does not.

Statement: A network learns a group if, of new words of the training length in the group's generators, 65 in 100 have their
    whole product right. The typical seed of layers of signed diagonals learns a group from as many layers on as a chain of
    quotients of exponent 2 has, D4 with two and not with one. It learns a group without such a chain, A4, at no depth.
    $$ \ell(D_4) = 2, \qquad \ell(A_4) = \infty, \qquad P(\mathrm{learned}) > \tfrac12 \iff \ell(G) \le L $$
Hypotheses: letters are uniform over the generators; words are too many to be learned by heart (checked).
Source: “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, on word problems; Shakerinava, Khavari,
    Ravanbakhsh, Chandar, “The Expressive Limits of Diagonal SSMs for State-Tracking”, arXiv 2603.01959, for the chain.
Refuted by: a typical seed that does not learn D4 with two layers, that learns it with one, or that learns A4.
Cost: quick 3 min on one core, full about 20 min.

`word_problem_depth` asks for words of twice the training length and says what is learned at depth 1; here the training length
counts, so that depth 2 is a matter of quick sizes. Letters are two generators, not all elements: training is several times as
fast. That one layer of the same network learns something in this budget is shown by a control: on two letters of D4 that
commute it learns the products.

Registered before judging, from pilots with other root keys: of 36 seeds with two layers 33 had at least 68 in 100 words of D4
right, most of them all; of 24 with one layer none had more than 60; of 12 with two layers none had more than 34 of A4. Of S3,
which has no weights either, two layers learn up to 79 in 100 words of 16 letters, so nothing is said of S3. Of 17 seeds three
may fail in each statement.
"""

import dataclasses
import itertools

import jax
import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.probe.word_problem import Setup, trained
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from experiments.studies.study import Study, expressible
from theory import groups

CLAIM = claim(Relation.TREND, trains=True)

KIND = "signed_mamba"
SWITCHES = (("state", 8), ("expand", 1))


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Depths; at which depth a group is judged; the group of which one layer reads commuting letters; network and recipe."""

    depth: int = axis(1, 2)
    pairs: str = "D4/1 D4/2 A4/2"
    commuting: str = "D4"
    seeds: int = 17
    width: int = 32
    length: int = 16
    batch: int = 16
    steps: int = 1200
    rate: float = 3e-2
    level: float = 0.65
    tests: int = 512

    @property
    def judged(self) -> tuple[str, ...]:
        """The groups of which something is said at this depth."""
        return tuple(group for group, depth in (pair.split("/") for pair in self.pairs.split()) if int(depth) == self.depth)


GRIDS = {
    "test": Sizes(depth=axis(1), pairs="D4/1", width=8, length=10, steps=20, tests=32, seeds=10),
    "quick": Sizes(),
    "full": Sizes(depth=axis(1, 2, 3), pairs="D4/1 D4/2 D4/3 A4/2 A4/3", length=20, steps=2000),
    "paper": Sizes(
        axis(1, 2, 3, 4), "D4/1 D4/2 D4/3 Q8/1 Q8/2 Q8/3 S3/3 A4/4", width=128, length=64, batch=64, steps=50_000, rate=1e-3
    ),
}


def objects(cell: Sizes) -> dict:
    """Cayley table and letters of every group, and the same table with two letters of order 2 that commute."""
    judged = [groups.group(name) for name in cell.judged]
    words = {group.name: (group.table, group.generators) for group in judged}
    if cell.depth == 1:
        table = groups.group(cell.commuting).table
        words["commuting"] = (table, _commuting(table))
    return {"words": words}


def _commuting(table: np.ndarray) -> tuple[int, int]:
    """The first two elements of order 2 that commute."""
    twos = [x for x in range(1, len(table)) if table[x, x] == 0]
    return next((x, y) for x, y in itertools.combinations(twos, 2) if table[x, y] == table[y, x])


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Learned where the class has weights at this depth."""
    return tuple(_said(cell, given, group, expressible(Study(group=group, model=KIND), cell.depth)) for group in cell.judged)


def _said(cell: Sizes, given: dict, group: str, learned: bool | None) -> Prediction:
    words = len(given["words"][group][1]) ** cell.length
    many = Hypothesis("there are more than twice as many words as training draws", words > 2 * cell.steps * cell.batch)
    return Prediction(int(learned is True), of=f"learned_{group}", hypotheses=(many,))


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Shares of new words whose whole product is right, for every group and seed; all groups share a program."""
    names, (tables, letters) = [*given["words"]], zip(*given["words"].values(), strict=True)
    sizes = {name: getattr(cell, name) for name in ("depth", "width", "length", "batch", "steps", "rate", "tests")}
    setup = Setup(kind=KIND, switches=SWITCHES, order=max(map(len, tables)), times=2, **sizes)
    found = trained(key, setup, tables, cell.seeds, letters)
    shares = np.where(found.failed >= 0, np.nan, found.last)
    parts = {}
    for name, share in zip(names, shares, strict=True):
        parts[f"share_{name}"] = Quantity(
            share, "seed", label=f"{name}: share of words of {cell.length} letters that are right"
        )
        learned = np.where(np.isnan(share), np.nan, share >= cell.level)
        parts[f"learned_{name}"] = Quantity(learned, "seed", label=f"{name}: {cell.level:.0%} of words are right")
    level = Quantity(np.float64(cell.level), label="share that counts as learned")
    return measured(level=level, **parts)


CONTROLS = (
    control(
        "letters that commute",
        "one layer does not learn words in commuting letters either",
        predict=lambda cell, given: Prediction(0, of="learned_commuting") if cell.depth == 1 else None,
    ),
)
RIVALS = (
    rival(
        "one layer is enough",
        lambda cell, given: tuple(_said(cell, given, group, True) for group in cell.judged) if cell.depth == 1 else None,
        "one layer learns every group",
    ),
    rival(
        "depth alone decides",
        lambda cell, given: tuple(_said(cell, given, group, cell.depth > 1) for group in cell.judged),
        "from two layers on every group is learned",
        everywhere=False,
    ),
    rival(
        "no group is learned",
        lambda cell, given: tuple(_said(cell, given, group, False) for group in cell.judged),
        "signs follow no group that does not commute",
        everywhere=False,
    ),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Share of new words whose whole product is right, by number of layers.

    Small points: seeds; large ones: their median with its 95 % interval. Line: what counts as learned. D4 passes it with the
    second layer; commuting letters pass it with one, and A4 with none.
    """
    axes = figure.subplots(1, 1)
    cells = dataset.sizes["cell"]
    axes.axhline(float(dataset["level"][0]), **law(label="learned"))
    for number, name in enumerate(name for name in map(str, dataset) if name.startswith("share_")):
        runs = dataset[name].transpose("cell", "seed").to_numpy()
        points(axes, np.arange(cells) + 0.15 * (number - 1), runs, number, name[6:], every=True)
    axes.set_xticks(range(cells), [f"layers: {n}" for n in dataset["depth"].to_numpy()])
    axes.set_ylabel("share of words that are right")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))


PICTURES = (Picture(2.8, _draw),)

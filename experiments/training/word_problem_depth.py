r"""Which networks learn to follow a group: one layer where theory has weights for it, no depth where it has none.

Statement: the word problem of a group, every position right on fresh words of the training length.

(a) One layer of signed diagonals follows C2, one LSTM layer S3, and training finds such weights: the typical seed
gets at least 99 % of the positions of fresh words of the training length right.

(b) Where a class has no weights for words of every length and finite precision, the typical seed does not get 99 % of the
positions of words of twice the training length right, at any depth of the grid: positive diagonals (Mamba) follow no group,
signs no element of order 3 (S3, A5), and no diagonal at all a group that is not solvable (A5).

A prediction is made of (a) at the depth of the group's tower in that class and of (b) everywhere; where weights exist and
training is not known to find them, nothing is said (`expressible_not_learned`). Any finite set of words can be stored by a
large enough network, so (b) asks for words longer than those of the training; at that length positive diagonals can come
close.

Hypotheses: models as published, small; float32. Source: Shakerinava et al., arXiv 2603.01959
and Heo et al., arXiv 2603.05573, Table 1, for the classes. Refuted by: a typical seed that fails in (a) or succeeds in (b).
Cost: two minutes on two cores.
"""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.training import Recipe
from depthjax.verify import Claim, Control, Grid, Hypothesis, Picture, Prediction, Relation, Source, axis
from experiments.studies.figure import HEIGHT, draw_by_depth
from experiments.studies.study import Study, expressible, train

CLAIM = Claim(
    slug="word_problem_depth",
    title="Training finds a group's tower in one layer where it fits, and at no depth where the class has none",
    statement=(
        "The typical seed solves the word problem of C2 with one layer of signed diagonals and of S3 with one LSTM layer, "
        "and does not with positive diagonals on any group, with signs on S3, or with diagonals on A5, at any depth tried."
    ),
    latex=r"P(\mathrm{solved}) > \tfrac12 \iff \text{the class has a tower of this depth}",
    relation=Relation.TREND,
    source=Source(
        "Shakerinava, Khavari, Ravanbakhsh, Chandar",
        "The Expressive Limits of Diagonal SSMs for State-Tracking",
        "arXiv 2603.01959",
        "table of lengths",
    ),
    assumes=("words of the training length, uniform letters", "the class has weights at depth 1, or at no depth (checked)"),
    refuted_by="a typical seed that fails where its class has weights at that depth, or succeeds where it has none",
    cost="two minutes on two cores at quick size",
)

SOLVED = 0.99  # share of positions
TRAINED = (("C2", "signed_mamba"), ("S3", "lstm"))  # where weights exist at depth 1 and (a) is claimed
SWITCHES = {"mamba": {"state": 4}, "signed_mamba": {"state": 4}, "aussm": {"state": 4}}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups and kinds of network, sizes of network and words, and the recipe."""

    group: str = axis("C2", "S3", "A5")
    model: str = axis("mamba", "signed_mamba", "lstm")
    deepest: int = 2
    seeds: int = 16
    width: int = 16
    length: int = 16
    batch: int = 16
    steps: int = 800
    learning_rate: float = 1e-2
    tests: int = 512
    every: bool = False

    def allows(self) -> bool:
        """What is predicted of; at quick size one cell of each kind of reason."""
        few = {("C2", "mamba"), ("A5", "signed_mamba"), *TRAINED}
        return (self.group, self.model) in few or (self.every and (self.promised or not expressible(self.study, 64)))

    @property
    def promised(self) -> bool:
        """Whether (a) is claimed of this cell."""
        return (self.group, self.model) in TRAINED

    @property
    def study(self) -> Study:
        """One layer where (a) is claimed, every depth where no depth is enough."""
        return Study(
            group=self.group,
            model=self.model,
            width=self.width,
            switches=SWITCHES.get(self.model, {}),
            length=self.length,
            bos=True,
            batch=self.batch,
            tests=self.tests,
            depths=(1,) if self.promised else tuple(range(1, self.deepest + 1)),
            seeds=self.seeds,
            recipe=Recipe(
                steps=self.steps,
                learning_rate=self.learning_rate,
                warmup=self.steps // 20,
                clip=1.0,
                record_every=self.steps // 20,
                stop_metric="sequence",
                stop_at=1.0,
            ),
        )


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(
        group=("C2", "C3", "D4", "S3", "S4", "A5"),  # type: ignore[arg-type]
        model=("mamba", "gla", "signed_mamba", "aussm", "lstm"),  # type: ignore[arg-type]
        deepest=4,
        seeds=16,
        width=64,
        length=32,
        batch=256,
        steps=5000,
        learning_rate=3e-3,
        every=True,
    ),
    "paper": Sizes(
        group=("C2", "C3", "D4", "H3_2", "S3", "S4", "A5"),  # type: ignore[arg-type]
        model=("mamba", "gla", "signed_mamba", "aussm", "lstm"),  # type: ignore[arg-type]
        deepest=8,
        seeds=16,
        width=128,
        length=128,
        batch=256,
        steps=100_000,
        learning_rate=1e-3,
        every=True,
    ),
}


def setting(cell: Sizes) -> dict:
    """The Cayley table in a sampler of words."""
    return {"sampler": cell.study.sampler()}


def predict(cell: Sizes, given: dict) -> Prediction:
    """Solved by the typical seed at depth 1, or at no depth."""
    if cell.promised:
        exists = Hypothesis("the class has weights at depth 1", expressible(cell.study, 1) is True)
        return Prediction(1, of="solved_by_one", hypotheses=(exists,))
    none = Hypothesis("the class has weights at no depth", expressible(cell.study, 64) is False)
    return Prediction(np.zeros(cell.deepest), of="solved", dims=("depth",), hypotheses=(none,))


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Tests of every depth and seed at the training length and at twice that; not a number where nothing was trained."""
    found = train(cell.study, key, given["sampler"])
    rows = cell.deepest - len(found.depths)
    tests = {
        name: np.pad(values.astype(float), ((0, rows), (0, 0)), constant_values=np.nan) for name, values in found.test.items()
    }
    failed = np.pad(found.fit.failed, ((0, rows), (0, 0)), constant_values=-1)
    solved, carried = (
        np.where((failed >= 0) | np.isnan(share), np.nan, share >= SOLVED) for share in (tests["token_1x"], tests["token_2x"])
    )
    runs = ("depth", "seed")
    return xr.Dataset(
        {name: (runs, values, {"long_name": name.replace("_", " ")}) for name, values in tests.items()}
        | {
            "solved": (runs, carried, {"long_name": "99 % of positions right at twice the training length"}),
            "solved_by_one": ("seed", solved[0], {"long_name": "99 % of positions right at the training length, depth 1"}),
            "failed": (runs, failed, {"long_name": "first step that was not finite, -1 for none"}),
        },
        coords={"depth": np.arange(1, cell.deepest + 1)},
    )


def _draw(figure, dataset: xr.Dataset) -> None:
    """Accuracy and longest prefix by depth, every seed of every cell; the depth marked at which (a) is claimed."""
    cells = {str(name): dataset.sel(cell=name) for name in dataset["cell"].to_numpy()}
    claimed = {f"group={group},model={model}" for group, model in TRAINED}
    draw_by_depth(figure, cells, {name: 1 if name in claimed else None for name in cells}, "words")


PICTURES = (Picture(HEIGHT, _draw),)


CONTROLS = (
    Control(
        "signs do for every group",
        "the typical seed solves every group at every depth, whatever its class",
        lambda cell, given: None if cell.promised else Prediction(np.ones(cell.deepest), of="solved", dims=("depth",)),
    ),
    Control(
        "one layer is too few",
        "the typical seed of one layer does not solve C2 with signs or S3 with an LSTM",
        lambda cell, given: Prediction(0, of="solved_by_one") if cell.promised else None,
    ),
)

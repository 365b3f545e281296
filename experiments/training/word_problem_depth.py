r"""Training finds a group's tower in one layer where it fits, and at no depth where the class has none.

Statement: The typical seed solves the word problem of C2 with one layer of signed diagonals and of S3 with one LSTM layer: it
    gets 99 % of the positions of fresh words of the training length right. At no depth tried does the typical seed get 99 % of
    the positions of words of twice that length right where the class has no weights for words of every length: with positive
    diagonals on any group, with signs on S3, and with diagonals on A5.
    $$ P(\mathrm{solved}) > \tfrac12 \iff \text{the class has a tower of this depth} $$
Hypotheses: letters are uniform; the class has weights at depth 1, or at no depth (checked).
Source: Shakerinava, Khavari, Ravanbakhsh, Chandar, “The Expressive Limits of Diagonal SSMs for State-Tracking”, arXiv
    2603.01959, table of lengths.
Refuted by: a typical seed that fails where its class has weights at that depth, or that succeeds where it has none.
Cost: quick two minutes on two cores.

In finite precision positive diagonals (Mamba) follow no group, signs no element of order 3 (S3, A5), and no diagonals at all a
group that is not solvable (A5). The classes are also those of Heo et al., arXiv 2603.05573, Table 1; models are as published,
but small, and in float32.

Where weights exist and training is not known to find them nothing is said (`expressible_not_learned`). Any finite set of words
can be stored by a large enough network, so the negative statement asks for words longer than those of the training; at that
length positive diagonals can come close.

At quick size the LSTM trains for 1600 steps, fixed from pilots with other keys: 62 of 64 seeds solved S3. It had 800 steps,
with which 54 of 64 did and one of the judged runs stayed open (12 of 16).
"""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.training import Recipe
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, axis, claim, measured, off_by
from depthjax.verify.quantity import cell_names
from experiments.studies.figure import HEIGHT, draw_by_depth
from experiments.studies.study import Study, expressible, train

CLAIM = claim(Relation.TREND, trains=True)

SOLVED = 0.99  # share of positions
TRAINED = (("C2", "signed_mamba"), ("S3", "lstm"))  # weights exist at depth 1, and training is said to find them
ONE_OF_EACH = {("C2", "mamba"), ("A5", "signed_mamba"), *TRAINED}
STATES = {"state": 4}
SWITCHES = {"mamba": STATES, "signed_mamba": STATES, "aussm": STATES}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups and kinds of network, all of which something is said or one of each reason; sizes of network and words; recipe."""

    group: str = axis("C2", "S3", "A5")
    model: str = axis("mamba", "signed_mamba", "lstm")
    every: bool = False
    deepest: int = 2
    seeds: int = 16
    width: int = 16
    length: int = 16
    batch: int = 16
    steps: int = 800
    lstm_steps: int = 1600
    learning_rate: float = 1e-2
    tests: int = 512

    def allows(self) -> bool:
        """Whether something is said of this cell."""
        if not self.every:
            return (self.group, self.model) in ONE_OF_EACH
        return self.promised or not expressible(self.study, 64)

    @property
    def promised(self) -> bool:
        """Whether training is said to find weights."""
        return (self.group, self.model) in TRAINED

    @property
    def study(self) -> Study:
        """One layer where training is said to find weights, every depth where no depth is enough."""
        steps = self.lstm_steps if self.model == "lstm" else self.steps
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
                steps=steps,
                learning_rate=self.learning_rate,
                warmup=steps // 20,
                clip=1.0,
                record_every=steps // 20,
                stop_metric="sequence",
                stop_at=1.0,
            ),
        )


KINDS = axis("mamba", "gla", "signed_mamba", "aussm", "lstm")
LARGE = Sizes(
    group=axis("C2", "C3", "D4", "S3", "S4", "A5"),
    model=KINDS,
    every=True,
    deepest=4,
    width=64,
    length=32,
    batch=256,
    steps=5000,
    lstm_steps=5000,
    learning_rate=3e-3,
)
GROUPS = axis("C2", "C3", "D4", "H3_2", "S3", "S4", "A5")
GRIDS = {
    "test": Sizes(group=axis("C2"), deepest=1, seeds=9, width=4, length=4, steps=20, tests=32, lstm_steps=20),
    "quick": Sizes(),
    "full": LARGE,
    "paper": dataclasses.replace(
        LARGE, group=GROUPS, deepest=8, width=128, length=128, steps=100_000, lstm_steps=100_000, learning_rate=1e-3
    ),
}


def objects(cell: Sizes) -> dict:
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
    missing = ((0, cell.deepest - len(found.depths)), (0, 0))
    tests = {name: np.pad(values.astype(float), missing, constant_values=np.nan) for name, values in found.test.items()}
    failed = np.pad(found.fit.failed, missing, constant_values=-1)

    def solved(name: str) -> np.ndarray:
        return np.where((failed >= 0) | np.isnan(tests[name]), np.nan, tests[name] >= SOLVED)

    return measured(
        depth=np.arange(1, cell.deepest + 1),
        solved=Quantity(solved("token_2x"), "depth seed", label="99 % of positions right at twice the training length"),
        solved_by_one=Quantity(solved("token_1x")[0], "seed", label="99 % of positions right at the training length, depth 1"),
        failed=Quantity(failed, "depth seed", label="first step that was not finite, -1 for none"),
        **{name: Quantity(values, "depth seed", label=name.replace("_", " ")) for name, values in tests.items()},
    )


RIVALS = (
    off_by(+1, of="solved", name="signs do for every group", statement="the typical seed solves every group at every depth"),
    off_by(-1, of="solved_by_one", name="one layer is too few", statement="the typical seed of one layer solves nothing"),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Accuracy and longest prefix by depth, every seed of every cell; depth 1 is marked where weights are said to be found."""
    cells = {name: dataset.isel(cell=index) for index, name in enumerate(cell_names(dataset))}
    found = {f"group={group},model={model}" for group, model in TRAINED}
    draw_by_depth(figure, cells, {name: 1 if name in found else None for name in cells}, "words")


PICTURES = (Picture(HEIGHT, _draw),)

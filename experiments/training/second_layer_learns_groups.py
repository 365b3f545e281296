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

import jax
import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.probe.word_problem import Setup, trained
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from experiments.studies.study import Study, expressible
from theory import groups

CLAIM = claim(Relation.TREND, trains=True)

SWITCHES = (("state", 8), ("expand", 1))
WORDS = 2  # a word of the training is drawn again at most once in so many draws


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Depths; which group is judged at which depth; the group whose commuting letters one layer reads; network and recipe."""

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

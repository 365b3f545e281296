r"""One attention head without an MLP cannot follow a pointer twice, at any width; two narrow layers learn to.

Statement: The input is a table f of n numbers and a query q, and the answer is f(q) (one hop) or f(f(q)) (two hops). A layer of
    one attention head without an MLP, whose readout has no bias, is right on at most 1 - (n-1)^2/(4n^2) of all inputs for two
    hops, whatever its width, the number n >= 3 and its training. At the widths, tables and budgets of the grid the typical seed
    of one layer, with twice the parameters, and of two narrow layers learns the task exactly where hops <= layers.
    $$ \text{accuracy}_{2\ \text{hops}} \le 1 - \frac{(n-1)^2}{4n^2}\ \text{at one head},\qquad
       \text{learned} \iff \text{hops} \le \text{layers} $$
Hypotheses: one head and no MLP; the wide layer has twice the parameters (checked); the table's size, width and budget of steps.
Source: Brown, Zhao, Shumailov, Mullins, “Wide attention is the way forward for transformers?”, arXiv 2210.00640,
    "wide = deep" on average (the task on which it must fail, and the ceiling, are this project's).
Refuted by: a head above the ceiling, found by a search or by training; a typical seed that learns two hops in one layer, or
    fails at one hop or with two layers.
Cost: quick 35 s on one core, full about 12 min.

The logits of one head add up over the positions, up to a positive factor, and sums cannot combine f(q) with the entry that it
points to (`ceiling`). So the ceiling is a theorem, and the search for the best sum shows how sharp it is. Four heads, whose
denominators differ, with an MLP are not bound by it, and one such layer learns two hops: this is a control.

What is learned is a trained statement, at one size and budget of steps. A network has learned a task if it is right on at
least 80 % of all inputs, and all seeds count. Of 20 seeds 16 must agree in each statement. 0.8 lies below the ceilings 0.84 of
five entries and 0.86 of four, and above the best head that a search finds at four, 0.71. So that one layer does not learn two
hops is no part of the theorem. Changed after results: at first 90 % counted as learned, which lies above the ceiling. At root
seeds 100 to 102 no layer alone was right on more than 69 % for two hops, and no two layers on fewer than 88 %, so that every
level between these has the same verdict.
"""

import dataclasses
import math
from fractions import Fraction

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, claim, control, domain, rival, scaled, whole
from depthjax.verify.prediction import UNSHARP
from experiments.width.one_layer_wide_fails.ceiling import one_head_ceiling
from experiments.width.one_layer_wide_fails.common import HOPS, SEARCHED

CLAIM = claim(Relation.TREND, trains=True)
HEADLINE = "best_head"


LEARNED = Fraction(4, 5)  # of all inputs; below the ceiling, so that the theorem does not say who learns


SHARP = 0.01  # share of the ceiling that the search must come within: at three entries the ceiling is attained


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Attention with one head and without perceptrons; widths of the one and of the two layers; the search."""

    entries: int = 4
    wide: int = 32
    narrow: int = 16
    batch: int = 32
    steps: int = 500
    rate: float = 1e-2
    seeds: int = 20
    starts: int = 8
    climb: int = 300
    learns: bool = True  # it is also judged who learns; otherwise the ceiling alone

    @property
    def searched(self) -> tuple[int, ...]:
        """Entries of the tables for which the best single head is searched for: small ones, or those of the cell."""
        return SEARCHED if self.learns else (self.entries,)

    @property
    def inputs(self) -> int:
        """Tables times queries."""
        return self.entries ** (self.entries + 1)


DOMAIN = domain(
    entries=whole(3, 6, quick=5, test=4),
    wide=whole(4, 64, step=2, quick=40, test=8),
    steps=whole(20, 500, step=20, quick=100, test=20),
    learns=among(False),
    counts={"quick": 1},
)
GRIDS = {
    "test": Sizes(wide=8, narrow=4, batch=8, steps=20, seeds=9, climb=100),
    "quick": Sizes(),
    "full": Sizes(entries=5, wide=64, narrow=32, batch=64, steps=2000, rate=5e-3, starts=64, climb=2000),
    "paper": Sizes(entries=5, wide=256, narrow=128, batch=256, steps=10_000, rate=1e-3, seeds=24, starts=256, climb=5000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """No single head above the ceiling, searched or trained; learned where there are as many layers as hops."""
    formula = r"1 - (n-1)^2/(4 n^2)"
    sharp = SHARP if cell.learns else UNSHARP
    ceilings = [one_head_ceiling(entries) for entries in cell.searched]
    ceiling = (
        Prediction(ceilings, of="best_head", dims=("entries",), relation=Relation.AT_MOST, resolution=sharp, formula=formula),
        Prediction(
            one_head_ceiling(cell.entries), of="one_layer_twice", relation=Relation.AT_MOST, resolution=UNSHARP, formula=formula
        ),
    )
    if not cell.learns:
        return *ceiling, *_trained(cell, [cell.wide], [1])
    # an attention layer has 4 width^2 parameters
    more = Hypothesis("the wide layer has twice the parameters", cell.wide**2 >= 4 * cell.narrow**2)
    below = Hypothesis("what counts as learned lies below the ceiling", one_head_ceiling(cell.entries) > LEARNED)
    fewest = Prediction(math.ceil(LEARNED * cell.inputs), of="fewest", relation=Relation.EQUALS)
    facts = _trained(cell, [cell.wide, cell.narrow], [1, 2])
    return *ceiling, *facts, fewest, _said([[hops <= layers for hops in HOPS] for layers in (1, 2)], (more, below))


def _trained(cell: Sizes, widths: list[int], layers: list[int], mlp: bool = False) -> tuple[Prediction, ...]:
    """What every run trains, at half the rate a step on average, and how many inputs it is asked.

    A layer is a norm and four maps of the width, perhaps another norm and a perceptron of two and one of four widths. Read are
    numbers and queries, and positions.
    """
    read = 2 * cell.entries + (cell.entries + 1)
    weights = [
        depth * ((16 * width + 2 if mlp else 4 * width + 1) * width) + (read + 1 + cell.entries) * width + cell.entries
        for width, depth in zip(widths, layers, strict=True)
    ]
    facts = {"steps": cell.steps, "travel": cell.steps * cell.rate / 2, "asked": cell.entries ** (cell.entries + 1)}
    tables = cell.entries**cell.entries
    # every table comes with every query, and at every place of all tables each number is equally frequent
    letters = [tables * cell.entries] * cell.entries + [tables] * cell.entries
    return (
        *(Prediction(value, of=name, relation=Relation.EQUALS) for name, value in facts.items()),
        Prediction(letters, of="letters", dims=("letter",), relation=Relation.EQUALS),
        Prediction(weights, of="weights", dims=("layers",), relation=Relation.EQUALS),
        Prediction(layers, of="parts", dims=("layers",), relation=Relation.EQUALS),
    )


def _said(table: list[list[bool]], hypotheses: tuple[Hypothesis, ...] = ()) -> Prediction:
    return Prediction(table, of="learned", dims=("layers", "hops"), hypotheses=hypotheses)


def _learns(cell: Sizes) -> bool:
    return cell.learns


CONTROLS = (
    control(
        "sums over pairs",
        "the ceiling holds for sums over pairs of positions, which an MLP can read",
        instead={"best_head": "best_pair"},
        where=_learns,
    ),
    control(
        "two layers", "the ceiling of one layer holds for two", instead={"one_layer_twice": "two_layers_twice"}, where=_learns
    ),
    control(
        "four heads and an MLP",
        "the typical seed of one layer with four heads and an MLP does not learn two hops",
        measure="with_mlp",
        predict=lambda cell: Prediction([[False]], of="learned", dims=("layers", "hops")),
        finds=lambda cell: _trained(cell, [cell.wide], [1], mlp=True),
    ),
)


RIVALS = (
    rival(
        "wide equals deep",
        lambda cell: _said([[True, True]] * 2) if cell.learns else None,
        "one wide layer learns what two narrow ones do",
    ),
    rival(
        "wide learns nothing",
        lambda cell: _said([[False] * 2, [True] * 2]) if cell.learns else None,
        "one wide layer learns neither task",
    ),
    scaled(0.9, of="best_head", name="a lower ceiling", everywhere=False),
)

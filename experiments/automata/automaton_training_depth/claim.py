r"""Trained alike at depths 1 to 4, transformers learn a walk over five cells before either of the groups D5 and Alt(5).

Statement: Transformers are trained for the same number of steps to name the state after every letter. All automata have five
    states and three letters, so that they are equally large tasks. At every depth from 1 to 4 the typical seed errs less on a
    walk between two walls, which is aperiodic, than on the dihedral group D5 and than on Alt(5), which are not, whatever the
    names of states and letters and whichever state words start in. Nothing is said of the order of the two groups.
    $$ \mathrm{err}(\text{walk}) < \mathrm{err}(D_5),\ \mathrm{err}(A_5) \quad \text{at depths } 1, 2, 3, 4 $$
Hypotheses: sizes, words and training as in the grid, so that this is a statement about small networks.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, section 5.
Refuted by: a depth at which a typical seed errs less on a group than on the walk, with exact binomial intervals over seeds.
Cost: quick 20 s on one core, full about 33 min.

The published ladder (best of 20 runs, T = 100, 10^6 words, up to 16 layers) is gridworld < dihedral < Q8 < Alt(5) < Sym(5).
There a larger group is also a task with more classes. Here groups act on five points and classes are equal, which leaves out
Q8, because it does not act on five points faithfully.

The rungs above the first are not judged. The order of D5 and Alt(5) is one of early training: at `full` D5 came first in 6, 5
and 9 of 14 seeds at depths 2 to 4, while the walk came first in every run. Counting does not explain it: the best reader of
the last letter and of how many letters there are of each errs more on D5 (0.38 of the best constant answers' error for 8
letters, 0.68 for 20) than on Alt(5) (0.25, 0.60). Nor does Alt(5) come before Sym(5) here. One letter of Sym(5) moves two
points of five only, so letters play a part; this claim speaks of these automata.

The error is 1 at the best constant answers and 0 at perfection. The walk is held against each group in turn, so that a seed in
which a group comes first is one that breaks the order. Thirteen seeds decide even if one does: 14 of 2^13 outcomes are so
extreme, fewer than one in a hundred, and than a fourth of this for rivals, which share the rate among four cells. With eleven
seeds one such seed left the rival open.

The figure also marks the depth that suffices with constructed weights, by the cascade and by the scan. The depth that is
learned need not agree with either.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, real, rival, whole
from experiments.automata.automaton_training_depth.common import LADDER
from theory.automata import semiautomaton

CLAIM = claim(Relation.RANKING, trains=True)
HEADLINE = "error_beside_D5"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The depth is the axis; depths share a program with `deepest` layers."""

    depth: int = axis(1, 2, 4)
    deepest: int = 4
    length: int = 8
    width: int = 16
    batch: int = 16
    steps: int = 64
    rate: float = 1e-2
    seeds: int = 13
    words: int = 256
    relabel: int = 0  # names of the states and letters are permuted at random, 0: not


PAPER = {"length": 100, "width": 128, "batch": 64, "steps": 30_000, "rate": 1e-3, "seeds": 20, "words": 4096}

DOMAIN = domain(
    depth=whole(1, 4),
    relabel=whole(1, 999),
    length=whole(8, 12),
    width=whole(16, 32, step=8),
    rate=real(7e-3, 1.5e-2),
    counts={"test": 0, "quick": 1, "full": 3, "paper": 3},
)
GRIDS = {
    "test": Sizes(depth=axis(1), deepest=1, length=6, width=8, batch=8, steps=30, seeds=9, words=64),
    "quick": Sizes(),
    "full": Sizes(axis(1, 2, 3, 4), length=20, width=32, steps=1500, rate=3e-3, seeds=14, words=1024),
    "paper": Sizes(axis(1, 2, 3, 4, 6, 8), deepest=8, **PAPER),
}


def objects(cell: Sizes) -> dict[str, np.ndarray]:
    """The tables by name: five states, a letter that stays, and two that move."""
    tables = {name: semiautomaton(name).table for name in LADDER}
    stays = np.arange(5)[:, None]
    tables = {n: t[:, [1, 0, 2]] if n == "gridworld5" else np.concatenate([stays, t], axis=1) for n, t in tables.items()}
    return {name: _relabelled(table, cell.relabel) for name, table in tables.items()}


def _relabelled(table: np.ndarray, draw: int) -> np.ndarray:
    """The same automaton with other names of its states and letters, so that words start in another state."""
    if not draw:
        return table
    rng = np.random.default_rng(draw)
    states, letters = (rng.permutation(size) for size in table.shape)
    return states[table[np.argsort(states)][:, letters]]


def predict(cell: Sizes, tables: dict) -> tuple[Prediction, ...]:
    """The order by structure, the walk beside each group: what is aperiodic comes before what is not."""
    found = [semiautomaton(tables[name]) for name in LADDER]
    walk, *groups = [int(not a.is_aperiodic) for a in found]
    ranked = tuple(_ranked(name, walk, score) for name, score in zip(LADDER[1:], groups, strict=True))
    return ranked + _trained(cell)


def _trained(cell: Sizes) -> tuple[Prediction, ...]:
    """What every run trains: half the rate a step on average, attention and perceptron in `deepest` layers, `depth` of them."""
    layer = 16 * cell.width**2 + 2 * cell.width  # queries, keys, values, output, three maps of four widths; two norms
    numbers = cell.deepest * layer + (3 + 1 + 5) * cell.width + 5  # three letters, a norm, five states and their biases
    facts = {"steps": cell.steps, "travel": cell.steps * cell.rate / 2, "weights": numbers, "parts": cell.depth}
    return tuple(Prediction(value, of=name, relation=Relation.EQUALS) for name, value in facts.items())


def _ranked(name: str, *scores: int) -> Prediction:
    return Prediction(scores, of=f"error_beside_{name}", dims=("pair",))


CONTROLS = (
    control(
        "permuted labels",
        "a network learns the walk first from states that belong to other words",
        measure="permuted",
        where=lambda cell, tables: cell.depth == 1,
    ),
)

RIVALS = (
    rival("D5 first", lambda cell, tables: _ranked("D5", 1, 0), "D5 is learned before the walk"),
    rival("Alt(5) first", lambda cell, tables: _ranked("A5", 1, 0), "Alt(5) is learned before the walk"),
)

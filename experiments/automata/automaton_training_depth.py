r"""What small transformers learn of automata in the same time: a walk between walls before the words of any group.

Statement: transformers of the same depth are trained for the same number of steps to name the state after every letter: the
cell of a walk between two walls, or the group element that the word has reached. Their error, 1 at the best constant answers
and 0 at perfection, is least for the aperiodic walk. That is the first rung of the published ladder, gridworld < dihedral <
Q8 < Alt(5) < Sym(5), and all that `quick` sizes can show: trained this briefly, networks know words of about four letters by
heart, whatever the group, and the groups do not separate. From `full` on, depths 1 to 4 and longer training, solvable groups
are predicted to come before the others; D4 before Q8 and Alt(5) before Sym(5), for which no invariant is known (the derived
length does not order them), is shown in the figure and not claimed.

Between the two sizes the groups come in the other order. Width 32, 700 steps of 32 words at rate 3e-3, 5 seeds, one run at each
depth; error of the median seed:

    depth   gridworld   D4     Q8     Alt(5)   Sym(5)
    1       0.211       0.843  0.850  0.782    0.740
    2       0.048       0.683  0.714  0.630    0.578
    3       0.013       0.603  0.609  0.571    0.452

The walk is first by far; Sym(5) is the first of the groups, not the last. Best seeds stand alike, but for Q8 before D4 at
depth 2 (0.630, 0.654) and D4 just before Q8 and Alt(5) at depth 3 (0.554, 0.561, 0.561). So this budget does not show the rest
of the ladder, and the prediction at `full`, which has not been run, may well be REFUTED there.

Depth that suffices with constructed weights (the cascade's height, ceil(log2 T) by the scan) and depth that is learned are
separate columns of the figure, and need not agree.

Hypotheses: sizes, words and training as in the grid: T = 20, far below the published length 100, 10^6 words and depths up to
16. More states are more classes, so a larger group is also a larger task: the order by structure need not be its cause.

Source: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749, section 5 (their order, best of 20 runs at T = 100). Refuted by:
a typical seed that breaks the order, with exact binomial intervals over seeds. Cost: 15 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.tasks.words import padded_table
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source, axis
from experiments.automata._diagram import draw_ladder
from experiments.automata._trained import Setup, Task, accuracy, better_than_constant
from theory import bounds
from theory.automata import Semiautomaton, semiautomaton

CLAIM = Claim(
    slug="automaton_training_depth",
    title="Trained alike, small transformers learn a walk between walls before the words of any group",
    statement=(
        "Trained alike at one depth, the typical seed of a small transformer errs less on a walk between walls, which is "
        "aperiodic, than on the words of groups; with depth and time, less on those of solvable groups than on the others."
    ),
    latex=r"\mathrm{err}(\text{aperiodic}) < \mathrm{err}(\text{solvable}) \le \mathrm{err}(\text{not solvable})",
    relation=Relation.RANKING,
    source=Source(
        "Liu, Ash, Goel, Krishnamurthy, Zhang", "Transformers Learn Shortcuts to Automata", "arXiv 2210.10749", "section 5"
    ),
    assumes=("sizes, words and training as in the grid: a statement about small networks",),
    refuted_by="a typical seed that breaks the order",
    cost="15 s on a CPU at quick size",
)

LADDER = ("gridworld5", "D4", "Q8", "A5", "S5")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell a depth."""

    depth: int = axis(2)
    names: str = "gridworld5,D4,A5"
    finer: bool = False
    length: int = 20
    width: int = 16
    batch: int = 16
    steps: int = 120
    rate: float = 1e-2
    seeds: int = 7
    words: int = 256


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(axis(1, 2, 3, 4), ",".join(LADDER), True, width=64, batch=64, steps=4000, rate=1e-3, seeds=20, words=4096),
    "paper": Sizes(
        axis(1, 2, 3, 4, 6, 8),
        ",".join(LADDER),
        True,
        length=100,
        width=128,
        batch=64,
        steps=30_000,
        rate=1e-3,
        seeds=20,
        words=4096,
    ),
}


def _automaton(name: str) -> Semiautomaton:
    """The walk as it is; of a group the elements themselves as states; letters: stay, and the generators."""
    found = semiautomaton(name)
    if name.startswith("gridworld"):
        return semiautomaton(found.table[:, [1, 0, 2]])
    moves = found.transition_monoid().right
    return semiautomaton(np.concatenate([np.arange(len(moves))[:, None], moves], axis=1))


def setting(cell: Sizes) -> dict:
    """The tables, and what is known of the depth that suffices."""
    names = cell.names.split(",")
    found = {name: bounds.automaton(semiautomaton(name)) for name in names}
    return {
        "names": names,
        "tables": [_automaton(name).table for name in names],
        "cascade": [float(found[name].bound.at()) if found[name].is_solvable else np.nan for name in names],
        "scan": float(bounds.scan(cell.length).at()),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The order by structure: 0 aperiodic, 1 not, or at finer sizes 2 if not even solvable; every network learns the walk."""
    found = [semiautomaton(name) for name in given["names"]]
    rank = tuple(0 if a.is_aperiodic else 1 + (cell.finer and not a.is_solvable) for a in found)
    return (
        Prediction(rank, of="error", dims=("automaton",)),
        Prediction(1, of="learned", relation=Relation.TREND),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Error of every automaton and seed, 1 for the best constant answers, 0 for perfection; and with permuted labels."""
    tables, number = given["tables"], len(given["tables"])
    states = max(len(table) for table in tables)
    padded = np.stack([padded_table(table, states) for table in (*tables, tables[0])])
    law = jnp.full((number + 1, 3), 1 / 3, jnp.float32)
    task = Task(jnp.asarray(padded, jnp.int32), law, law, law[:, None], jnp.arange(number + 1) == number)
    setup = Setup("transformer", 3, states, cell.length, cell.depth, cell.width, cell.batch, cell.steps, cell.rate, cell.words)
    found = accuracy(key, task, setup, cell.seeds)
    right, constant = (np.asarray(part)[:, :, 0].mean(axis=-1) for part in found)  # (automaton, seed)
    learned = better_than_constant(right, constant).astype(int)
    error, right = ((1 - right) / (1 - constant))[:number], right[:number]
    along, text = ("automaton", "seed"), "closer to perfect than to constant answers"
    return xr.Dataset(
        {
            "error": (along, error, {"long_name": "error (1: constant answers)"}),
            "learned": ("seed", learned[0], {"long_name": f"the walk: {text}"}),
            "learned_permuted": ("seed", learned[number], {"long_name": f"the walk with permuted labels: {text}"}),
            "accuracy": (along, right, {"long_name": "accuracy"}),
            "best": ("automaton", right.max(axis=1), {"long_name": "accuracy, best seed"}),
            "median": ("automaton", np.median(right, axis=1), {"long_name": "accuracy, median seed"}),
            "cascade": ("automaton", given["cascade"], {"long_name": "layers of the cascade"}),
            "scan": ((), given["scan"], {"long_name": "layers of the scan"}),
            "trained_depth": ((), cell.depth, {"long_name": "layers"}),
        },
        coords={"automaton": given["names"]},
    )


def _reversed(cell: Sizes, given: dict) -> Prediction:
    ranking = predict(cell, given)[0]
    return dataclasses.replace(ranking, value=tuple(-rank for rank in ranking.value))  # type: ignore[union-attr]


CONTROLS = (
    Control("the ladder upside down", "the words of groups are learned before the walk", _reversed),
    Control(
        "permuted labels",
        "a network learns the walk from states that belong to other words",
        lambda cell, given: Prediction(1, of="learned_permuted", relation=Relation.TREND),
    ),
)

PICTURES = (Picture(3.0, draw_ladder),)

r"""Trained alike, small transformers learn a walk between walls before the words of any group.

Statement: Transformers of one depth are trained for the same number of steps to name the state after every letter. The typical
    seed errs less on a walk between two walls, which is aperiodic, than on the words of groups. With more depth and time it
    also errs less on the words of solvable groups than on the others.
    $$ \mathrm{err}(\text{aperiodic}) < \mathrm{err}(\text{solvable}) \le \mathrm{err}(\text{not solvable}) $$
Hypotheses: sizes, words and training as in the grid, so that this is a statement about small networks.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, section 5.
Refuted by: a typical seed that breaks the order, with exact binomial intervals over seeds.
Cost: quick 15 s on a CPU; full some hours.

The error is 1 at the best constant answers and 0 at perfection. The published ladder (best of 20 runs, T = 100, 10^6 words, up
to 16 layers) is gridworld < dihedral < Q8 < Alt(5) < Sym(5). Its first rung is all that `quick` sizes can show: trained this
briefly, networks know words of about four letters by heart, whatever the group. From `full` on, solvable groups are predicted
to come before the others. D4 before Q8 and Alt(5) before Sym(5), for which no invariant is known (the derived length does not
order them), is drawn and not claimed. More states are more classes, so a larger group is also a larger task: structure need not
be the cause of the order.

Between the two sizes the groups come in the other order. Width 32, 700 steps of 32 words at rate 3e-3, 5 seeds, one run at each
depth; error of the median seed:

    depth   gridworld   D4     Q8     Alt(5)   Sym(5)
    1       0.211       0.843  0.850  0.782    0.740
    2       0.048       0.683  0.714  0.630    0.578
    3       0.013       0.603  0.609  0.571    0.452

The walk is first by far; Sym(5) is the first of the groups, not the last. So this budget does not show the rest of the ladder,
and the prediction at `full`, which has not been run, may well be REFUTED there.

The figure also marks the depth that suffices with constructed weights, by the cascade and by the scan. The depth that is
learned need not agree with either.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.figures.layer_stacks import COUNTER, RESET
from depthjax.figures.plots import INK
from depthjax.probe.state_tracking import Setup, Task, accuracy, better_than_constant
from depthjax.tasks.words import padded_table
from depthjax.verify import Grid, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, scaled
from theory import bounds
from theory.automata import Semiautomaton, semiautomaton

CLAIM = claim(Relation.RANKING, trains=True)

LADDER = "gridworld5,D4,Q8,A5,S5"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The depth is the axis; `finer` predicts that solvable groups come before the others."""

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


FULL = Sizes(axis(1, 2, 3, 4), LADDER, True, width=64, batch=64, steps=4000, rate=1e-3, seeds=20, words=4096)
GRIDS = {
    "test": Sizes(depth=axis(1), names="gridworld5,D4", length=6, width=8, batch=4, steps=10, words=16),
    "quick": Sizes(),
    "full": FULL,
    "paper": dataclasses.replace(FULL, depth=axis(1, 2, 3, 4, 6, 8), length=100, width=128, steps=30_000),
}


def _automaton(name: str) -> Semiautomaton:
    """A walk as it is; for a group, its elements as states and its generators, with one letter that stays, as letters."""
    found = semiautomaton(name)
    if name.startswith("gridworld"):
        return semiautomaton(found.table[:, [1, 0, 2]])
    moves = found.transition_monoid().right
    return semiautomaton(np.concatenate([np.arange(len(moves))[:, None], moves], axis=1))


def objects(cell: Sizes) -> dict[str, np.ndarray]:
    """The tables by name."""
    return {name: _automaton(name).table for name in cell.names.split(",")}


def predict(cell: Sizes, tables: dict) -> tuple[Prediction, ...]:
    """The order by structure: aperiodic, then the others, at finer sizes solvable before not; every network learns the walk."""
    found = [semiautomaton(name) for name in tables]
    rank = tuple(0 if a.is_aperiodic else 1 + (cell.finer and not a.is_solvable) for a in found)
    return Prediction(rank, of="error", dims=("automaton",)), Prediction(1, of="learned", relation=Relation.TREND)


def measure(cell: Sizes, key: jax.Array, tables: dict) -> xr.Dataset:
    """Errors of every automaton and seed; whether the walk is learned, also from labels that belong to other words."""
    number, states = len(tables), max(len(table) for table in tables.values())
    walk, *others = tables.values()
    padded = np.stack([padded_table(table, states) for table in (walk, *others, walk)])
    law = jnp.full((number + 1, 3), 1 / 3, jnp.float32)
    task = Task(jnp.asarray(padded, jnp.int32), law, law, law[:, None], jnp.arange(number + 1) == number)
    setup = Setup("transformer", 3, states, cell.length, cell.depth, cell.width, cell.batch, cell.steps, cell.rate, cell.words)
    right, constant = (np.asarray(part)[:, :, 0].mean(axis=-1) for part in accuracy(key, task, setup, cell.seeds))
    learned, text = better_than_constant(right, constant).astype(int), "closer to perfect than to constant answers"
    error, right = ((1 - right) / (1 - constant))[:number], right[:number]  # (automaton, seed)
    return measured(
        error=Quantity(error, "automaton seed", label="error (1: constant answers)"),
        learned=Quantity(learned[0], "seed", label=f"the walk: {text}"),
        learned_permuted=Quantity(learned[number], "seed", label=f"the walk with permuted labels: {text}"),
        accuracy=Quantity(right, "automaton seed", label="accuracy"),
        letters=Quantity(cell.length, label="letters of a word"),
        automaton=list(tables),
    )


def _draw(place, dataset: xr.Dataset) -> None:
    """Accuracy against trained depth, best and median seed; lines at the depths of the cascade and of the scan."""
    names, depths = dataset["automaton"].to_numpy().tolist(), dataset["depth"].to_numpy()
    scan = bounds.scan(int(dataset["letters"].max())).at()
    for axis_, name in zip(place.subplots(1, len(names), sharey=True, squeeze=False)[0], names, strict=True):
        seeds = dataset["accuracy"].sel(automaton=name).transpose("cell", "seed").to_numpy()
        axis_.plot(depths[:, None] + 0 * seeds, seeds, "o", ms=2.5, color=COUNTER, alpha=0.35)
        axis_.plot(depths, seeds.max(axis=1), "^-", ms=5, color=COUNTER, label="best")
        axis_.plot(depths, np.median(seeds, axis=1), "o-", ms=5, color=COUNTER, label="median")
        known = bounds.automaton(semiautomaton(name))
        if known.is_solvable:
            axis_.axvline(known.bound.at(), color=RESET, lw=1.4, label="cascade")
        axis_.axvline(scan, color=INK, lw=1, ls=":", label="scan")
        axis_.set(title=name, xlim=(0.5, max(float(depths.max()), scan) + 0.5), ylim=(0, 1.03), xlabel="layers")
    place.axes[0].set_ylabel("accuracy")
    place.axes[-1].legend(*place.axes[0].get_legend_handles_labels(), fontsize=7, loc="upper left")


CONTROLS = (
    control(
        "permuted labels",
        "a network learns the walk from states that belong to other words",
        instead={"learned": "learned_permuted"},
    ),
)
RIVALS = (scaled(-1.0, of="error", name="the ladder upside down", statement="the words of groups are learned before the walk"),)
PICTURES = (Picture(3.0, _draw),)

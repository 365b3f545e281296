r"""A transformer trained on parity loses it where ones are more frequent, a recurrent network does not.

Statement: Networks are trained to name the parity of the ones after every letter of words with Pr[1] = p. At p the typical
    small transformer is closer to perfect than to the best constant answers; at a larger p' it is not. The typical recurrent
    network is closer to perfect at both.
    $$ \Pr[\text{kept at } p' \mid \text{transformer}] < \tfrac12 < \Pr[\text{kept at } p' \mid \text{recurrent}] $$
Hypotheses: sizes, words and training as in the grid, so that this is a statement about small networks.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, section 5.
Refuted by: a typical transformer that keeps the parity at p', or a typical recurrent network that loses it, with exact binomial
    intervals over seeds.
Cost: quick 20 s on a CPU.

What the transformer learns is a shortcut, a function of how many ones it is used to; what the recurrent network learns is the
automaton. (The published transformer has 16 layers, and its words 100 letters.) That attention *could* be exact at every p is
`solvable_constant_depth`, with constructed weights. A third kind, from `full` on, is a transformer with a scratchpad and
recency: it sees its own last answers beside the last letters and nothing else. It keeps the parity too, at the price of one
step for each letter.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.state_tracking import Setup, Task, accuracy, better_than_constant
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, measured, rival
from theory.automata import semiautomaton

CLAIM = claim(Relation.TREND, trains=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The kind of network is the axis; the probability of a one in training and after the shift."""

    kind: str = axis("transformer", "lstm")
    law: float = 0.2
    shifted: float = 0.9
    length: int = 12
    depth: int = 2
    width: int = 16
    steps: int = 240
    seeds: int = 16
    recent: int = 4  # letters and answers that the scratchpad holds


KINDS = axis("transformer", "lstm", "scratchpad")
GRIDS = {
    "test": Sizes(kind=axis("scratchpad"), length=4, depth=1, width=4, steps=5, seeds=8),
    "quick": Sizes(),
    "full": Sizes(KINDS, length=20, width=32, steps=3000, seeds=20),
    "paper": Sizes(KINDS, law=0.5, length=100, depth=4, width=64, steps=30_000, seeds=20),
}


def objects(cell: Sizes) -> np.ndarray:
    """The table of the parity automaton."""
    return semiautomaton("parity").table


def predict(cell: Sizes, table: np.ndarray) -> Prediction:
    """All kinds learn the parity; those that go through the word step by step keep it after the shift."""
    return Prediction((1, int(cell.kind != "transformer")), of="kept", dims=("law",))


def measure(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """For every seed and law: the accuracy, and whether it is closer to 1 than to that of the best constant answers."""
    laws = jnp.array([[1 - cell.law, cell.law], [1 - cell.shifted, cell.shifted]], jnp.float32)
    task = Task(jnp.asarray(table, jnp.int32), laws[0], laws[0], laws, jnp.asarray(False))
    kind, depth = ("lstm", 1) if cell.kind == "lstm" else ("transformer", cell.depth)
    scratchpad = cell.recent if cell.kind == "scratchpad" else 0
    setup = Setup(kind, 2, 2, cell.length, depth, cell.width, steps=cell.steps, scratchpad=scratchpad)
    right, constant = (np.asarray(part).mean(axis=-1).T for part in accuracy(key, task, setup, cell.seeds))  # (laws, seeds)
    kept = better_than_constant(right, constant).astype(int)
    return measured(
        kept=Quantity(kept, "law seed", label="closer to perfect than to constant answers"),
        accuracy=Quantity(right, "law seed", label="accuracy"),
        law=["trained on", "shifted"],
    )


def _of(kind: str, value: tuple[int, int]):
    return lambda cell, table: Prediction(value, of="kept", dims=("law",)) if cell.kind == kind else None


RIVALS = (
    rival("the transformer keeps it", _of("transformer", (1, 1)), "a typical transformer keeps the parity at every p"),
    rival("the recurrent network loses it", _of("lstm", (1, 0)), "a typical recurrent network loses the parity at p'"),
)

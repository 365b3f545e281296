r"""A transformer trained on parity loses it where ones are more frequent; a recurrent network trained alike does not.

Statement: networks name the parity of the ones after every letter. Trained on words with Pr[1] = p they are tested on p and on
a shifted p'. The typical transformer is closer to perfect than to the best constant answers at p, and is not at p'; the typical
recurrent network is at both. What the transformer has learned is a shortcut, a function of how many ones it is used to; what
the recurrent network has learned is the automaton. That attention *could* be exact at every p is `solvable_constant_depth`,
with constructed weights.

A third kind, from `full` on, is a transformer with a scratchpad and recency: it sees its own last few answers beside the last
few letters and nothing else. It keeps the parity too, at the price of one step for each letter.

Hypotheses: small networks, short words and little training (the sizes of the grid), so that this is a statement about them;
the published one is of length 100 and 16 layers. Source: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749, section 5.
Refuted by: a typical transformer that keeps the parity at p', or a typical recurrent network that loses it, over seeds with
exact binomial intervals. Cost: 20 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.automata._trained import Setup, Task, accuracy, better_than_constant
from theory.automata import semiautomaton

CLAIM = Claim(
    slug="parity_shift",
    title="A transformer trained on parity loses it where ones are more frequent, a recurrent network does not",
    statement=(
        "Trained to name the parity of the ones after every letter, with ones of probability p, a typical small transformer is "
        "closer to perfect than to constant answers at p and not at a larger p'; a typical recurrent network is at both."
    ),
    latex=r"\Pr[\text{kept at } p' \mid \text{transformer}] < \tfrac12 < \Pr[\text{kept at } p' \mid \text{recurrent}]",
    relation=Relation.TREND,
    source=Source(
        "Liu, Ash, Goel, Krishnamurthy, Zhang", "Transformers Learn Shortcuts to Automata", "arXiv 2210.10749", "section 5"
    ),
    assumes=("sizes, words and training as in the grid: a statement about small networks",),
    refuted_by="a typical transformer that keeps the parity off distribution, or a typical recurrent network that loses it",
    cost="20 s on a CPU at quick size",
)

LAWS = ("trained on", "shifted")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell a kind of network; probabilities of a one in training and after the shift."""

    kind: str = axis("transformer", "lstm")
    law: float = 0.2
    shifted: float = 0.9
    length: int = 12
    depth: int = 2
    width: int = 16
    steps: int = 240
    seeds: int = 16
    recent: int = 4


KINDS = axis("transformer", "lstm", "scratchpad")
GRIDS = {
    "quick": Sizes(),
    "full": Sizes(KINDS, length=20, width=32, steps=3000, seeds=20),
    "paper": Sizes(KINDS, law=0.5, length=100, depth=4, width=64, steps=30_000, seeds=20),
}


def setting(cell: Sizes) -> np.ndarray:
    """The table of the parity automaton."""
    return semiautomaton("parity").table


def predict(cell: Sizes, table: np.ndarray) -> Prediction:
    """All kinds learn; those that go through the word step by step keep the parity after the shift."""
    return Prediction((1, int(cell.kind != "transformer")), of="kept", dims=("law",))


def measure(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """For every seed and law: accuracy, and whether it is closer to 1 than to that of the best constant answers."""
    laws = jnp.array([[1 - cell.law, cell.law], [1 - cell.shifted, cell.shifted]], jnp.float32)
    task = Task(jnp.asarray(table, jnp.int32), laws[0], laws[0], laws, jnp.asarray(False))
    depth = 1 if cell.kind == "lstm" else cell.depth
    setup = Setup(
        "lstm" if cell.kind == "lstm" else "transformer",
        2,
        2,
        cell.length,
        depth,
        cell.width,
        steps=cell.steps,
        scratchpad=cell.recent if cell.kind == "scratchpad" else 0,
    )
    found = accuracy(key, task, setup, cell.seeds)
    right = np.asarray(found.right).mean(axis=-1)  # (seeds, laws)
    kept = better_than_constant(right, np.asarray(found.constant).mean(axis=-1))
    return xr.Dataset(
        {
            "kept": (("law", "seed"), kept.T.astype(int), {"long_name": "closer to perfect than to constant answers"}),
            "accuracy": (("law", "seed"), right.T, {"long_name": "accuracy"}),
            "best": ("law", right.max(axis=0), {"long_name": "best seed"}),
            "median": ("law", np.median(right, axis=0), {"long_name": "median seed"}),
        },
        coords={"law": list(LAWS)},
    )


def _for(kind: str, value: tuple[int, int]):
    return lambda cell, table: Prediction(value, of="kept", dims=("law",)) if cell.kind == kind else None


CONTROLS = (
    Control("the transformer keeps it", "a typical transformer keeps the parity at every p", _for("transformer", (1, 1))),
    Control(
        "the recurrent network loses it", "a typical recurrent network loses the parity off distribution", _for("lstm", (1, 0))
    ),
)

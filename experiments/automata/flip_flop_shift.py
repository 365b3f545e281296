r"""A transformer trained on the flip-flop language misreads its sparse split; a recurrent network trained alike reads it right.

Statement: networks name the bit in memory after every letter (idle, write 0, write 1; the first letter writes). Trained on
FFL(0.8), they are tested on it and on the published splits FFL(0.98), sparse, and FFL(0.1), dense. The typical transformer
misreads some word of the sparse split, at least twice as often as on the distribution it was trained on; the typical recurrent
network reads all words of all splits right. Typical, not every: a seed now and then learns a memory that leaks over long
idle stretches, exact where it was trained and not on sparse words. The memory that attention *could* be, with constructed
weights and no wrong choice on any split, is `flip_flop_glitches`.

Hypotheses: small networks, short words and little training (the sizes of the grid); the published transformers have 6 layers
and 19M parameters and misread rarely. Source: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2306.00946. Refuted by: a typical
transformer without a misread sparse word, or a typical recurrent network with one, over seeds with exact binomial intervals.
Cost: 25 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.tasks.flip_flop import SPLITS
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.automata._trained import Setup, Task, accuracy
from theory.automata import semiautomaton

CLAIM = Claim(
    slug="flip_flop_shift",
    title="A transformer trained on the flip-flop language misreads its sparse split, a recurrent network reads it right",
    statement=(
        "Trained on FFL(0.8), a typical small transformer misreads a word of FFL(0.98), and at least twice as often as of "
        "FFL(0.8); a typical recurrent network reads all words of FFL(0.8), FFL(0.98) and FFL(0.1) right."
    ),
    latex=r"\Pr[\text{no misread word} \mid \text{transformer}] < \tfrac12 < \Pr[\text{no misread word} \mid \text{recurrent}]",
    relation=Relation.TREND,
    source=Source(
        "Liu, Ash, Goel, Krishnamurthy, Zhang",
        "Exposing Attention Glitches with Flip-Flop Language Modeling",
        "arXiv 2306.00946",
    ),
    assumes=("sizes, words and training as in the grid: a statement about small networks",),
    refuted_by="a typical transformer that reads the sparse split without a mistake, or a typical recurrent network that errs",
    cost="25 s on a CPU at quick size",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell a kind of network."""

    kind: str = axis("transformer", "lstm")
    instructions: int = 48
    width: int = 16
    batch: int = 16
    steps: int = 200
    seeds: int = 20
    words: int = 512


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(instructions=128, width=32, steps=2000, seeds=20, words=4096),
    "paper": Sizes(instructions=256, width=64, steps=20_000, seeds=20, words=16_384),
}


def setting(cell: Sizes) -> np.ndarray:
    """The table of the flip-flop."""
    return semiautomaton("flip_flop").table


def predict(cell: Sizes, table: np.ndarray) -> tuple[Prediction, ...]:
    """Whether the typical seed reads every word right: the sparse split decides for the transformer, all of them otherwise."""
    if cell.kind == "transformer":
        return Prediction(0, of="sparse_exact"), Prediction(1, of="sparse_worse")
    return (Prediction(1, of="all_exact"),)


def measure(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Share of misread words at the last position, for every split and seed, and what it says."""
    laws = jnp.array([[p, (1 - p) / 2, (1 - p) / 2] for p in SPLITS.values()], jnp.float32)
    first = jnp.array([0.0, 0.5, 0.5], jnp.float32)
    task = Task(jnp.asarray(table, jnp.int32), laws[0], first, laws, jnp.asarray(False))
    setup = Setup(str(cell.kind), 3, 2, cell.instructions, 1, cell.width, batch=cell.batch, steps=cell.steps, test=cell.words)
    wrong = 1 - np.asarray(accuracy(key, task, setup, cell.seeds).right)[..., -1]  # (seeds, splits)
    trained, sparse, _ = wrong.T
    return xr.Dataset(
        {
            "sparse_exact": ("seed", (sparse == 0).astype(int), {"long_name": "no misread sparse word"}),
            "all_exact": ("seed", (wrong == 0).all(axis=1).astype(int), {"long_name": "no misread word of any split"}),
            "sparse_worse": (
                "seed",
                (sparse >= 2 * trained).astype(int),
                {"long_name": "twice as many misread sparse words as in distribution"},
            ),
            "misread": (("split", "seed"), wrong.T, {"long_name": "share of misread words"}),
            "best": ("split", wrong.min(axis=0), {"long_name": "share of misread words, best seed"}),
            "median": ("split", np.median(wrong, axis=0), {"long_name": "share of misread words, median seed"}),
        },
        coords={"split": list(SPLITS)},
    )


def _for(kind: str, prediction: Prediction):
    return lambda cell, table: prediction if cell.kind == kind else None


CONTROLS = (
    Control(
        "attention never misreads",
        "a typical transformer reads the sparse split without a mistake",
        _for("transformer", Prediction(1, of="sparse_exact")),
    ),
    Control(
        "recurrence misreads too",
        "a typical recurrent network misreads a sparse word",
        _for("lstm", Prediction(0, of="sparse_exact")),
    ),
)

r"""With a clock, two abelian layers store the whole word, so that depth two solves every word problem of a fixed length.

Statement: layer 1 counts the letters; layer 2 adds the unit vector e_(clock, letter). For n letters and length T the state
of n T numbers (beside the clock) determines the word, so with an unrestricted decoder two abelian layers solve every word
problem of length T. One layer alone, any abelian one, sees only the letter counts.

    w -> sum_t e_(t, w_t) in Z^(T n) is injective on words of length at most T;    w -> sum_t e_(w_t) is not, for T >= 2.

Consequence: the logarithmic depth of the free nilpotent route is an upper bound for that route (whose state has about n^T /
T numbers, a Witt sum), not a lower bound for word problems. A clock never runs backwards: with signed increments, where a
letter and its inverse undo each other, `solvable_law_floor` holds instead.

Hypotheses: the length is fixed beforehand; the decoder is unrestricted. Source: stated here first. Refuted by: one word that is
decoded wrongly. Cost: seconds on a CPU.
"""

import dataclasses
import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.word_recorder import letter_counter, recorded_words, recorder_start, word_recorder
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words, uniform_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from theory.groups import group

CLAIM = Claim(
    slug="two_layers_record_the_word",
    title="With a clock two abelian layers store the word: depth two solves every word problem of a fixed length",
    statement=(
        "Two abelian layers, a clock and a table of n T numbers, determine every word of length at most T, so with an "
        "unrestricted decoder depth two solves every word problem of length T; one abelian layer keeps only the letter counts."
    ),
    latex=r"w \mapsto \sum_t e_{(t,\,w_t)} \in \mathbb{Z}^{nT} \text{ is injective on words of length} \le T",
    relation=Relation.EQUALS,
    source=Source("this project", "stated here first"),
    assumes=(
        "the length T is fixed beforehand",
        "a clock: letters are counted and nothing counts back",
        "an unrestricted decoder",
    ),
    refuted_by="a word, or a product in a group, that the decoder reads wrongly from the state of two layers",
    cost="10 s on a CPU at every size",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell a group; its elements are the letters."""

    group: str = axis("C2", "C3", "C6", "S3", "D4", "Q8", "A4", "S4", "A5", "S5")
    length: int = 256
    samples: int = 16
    exhaustive: int = 4096


GRIDS = {"quick": Sizes(), "full": Sizes(samples=256, exhaustive=2**16), "paper": Sizes(samples=256, exhaustive=2**18)}


def setting(cell: Sizes) -> np.ndarray:
    """The Cayley table."""
    return group(cell.group).table


def _short_words(cell: Sizes, order: int) -> tuple[jax.Array, int]:
    """All words over at most three letters, as long as there are few enough of them, and the number of letters."""
    letters = min(order, 3)
    return all_words(letters, int(math.log(cell.exhaustive) / math.log(letters))), letters


def predict(cell: Sizes, table: np.ndarray) -> tuple[Prediction, ...]:
    """No word and no product is read wrongly, from a table of n T numbers."""
    return (
        Prediction(0, of="wrong_words"),
        Prediction(0, of="wrong_products"),
        Prediction(len(table) * cell.length, of="state_numbers", formula="n T"),
    )


def measure(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Wrongly decoded words among all short ones, and wrong products among random long ones."""
    short, few = _short_words(cell, len(table))
    read = _record(short, few)[0]
    words = uniform_words(key, len(table), cell.samples, cell.length)
    long, size = _record(words, len(table))
    cayley = jnp.asarray(table)
    wrong = prefix_products(cayley, jnp.maximum(long, 0)) != prefix_products(cayley, words)
    return xr.Dataset(
        {
            "wrong_words": ((), int((read != short).any(axis=1).sum()), {"long_name": "words read wrongly"}),
            "wrong_products": ((), int(wrong.any(axis=1).sum()), {"long_name": "words with a wrong prefix product"}),
            "state_numbers": ((), int(size), {"long_name": "numbers in the state of layer 2"}),
        }
    )


@partial(jax.jit, static_argnames="letters")
def _record(words: jax.Array, letters: int) -> tuple[jax.Array, jax.Array]:
    """Words read back from the final state of the recorder, and how many numbers its table has."""
    batch, length = words.shape
    start = recorder_start(letters, length, batch, words.dtype)
    final = word_recorder(letters, length).run(words.T, start, chunk=4)
    return recorded_words(final).T, jnp.asarray(final[1].size // batch)


@partial(jax.jit, static_argnames="letters")
def _count(words: jax.Array, letters: int) -> jax.Array:
    start = (jnp.zeros((letters, len(words)), words.dtype),)
    return letter_counter(letters).run(words.T, start, chunk=4)[0]


def _count_only(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """All short words that share their letter counts with another one: whatever the decoder, it errs on one of each pair."""
    words, letters = _short_words(cell, len(table))
    counts = np.asarray(_count(words, letters)).T
    shared = len(words) - len(np.unique(counts, axis=0))
    return xr.Dataset({"wrong_words": ((), shared)})


CONTROLS = (
    Control(
        "one layer",
        "one abelian layer determines the word",
        lambda cell, table: Prediction(0, of="wrong_words"),
        _count_only,
    ),
    Control(
        "one position fewer",
        "a table of n (T - 1) numbers is what the second layer holds",
        lambda cell, table: Prediction(len(table) * (cell.length - 1), of="state_numbers"),
    ),
)

r"""With a clock, two abelian layers store the whole word, so depth two solves every word problem of a fixed length.

Statement: Layer 1 counts the letters, and layer 2 adds the unit vector e_(clock, letter). For n letters and length T the n
    T numbers of layer 2 and the clock determine every word of length at most T, so two abelian layers with an unrestricted
    decoder solve every word problem of length T. One abelian layer keeps only the letter counts.
    $$ w \mapsto \sum_t e_{(t,\,w_t)} \in \mathbb{Z}^{nT} \text{ is injective on words of length} \le T $$
Hypotheses: the length T is fixed beforehand; there is a clock, that is, letters are counted and nothing counts back; the
    decoder is unrestricted.
Source: this project, “stated here first”.
Refuted by: a word, or a product in a group, that the decoder reads wrongly, or a table that holds another number of letters.
Cost: 10 s on a CPU at every size.

Products of the decoded words come from the Cayley table, and the right ones from composing the permutations of the letters.

Consequence: the logarithmic depth of the free nilpotent route, whose state has about n^T / T numbers (a Witt sum), is an
upper bound for that route and no lower bound for word problems. A clock never runs backwards: with signed increments, where
a letter and its inverse undo each other, `solvable_law_floor` holds instead.
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
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
from theory.groups import group

CLAIM = claim(Relation.EQUALS)

LONGER = 2  # letters by which a word is longer than its table, or shorter


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The group, whose elements are the letters; length and number of random words; how many short words there may be."""

    group: str = axis("C2", "C3", "C6", "S3", "D4", "Q8", "A4", "S4", "A5", "S5")
    length: int = 256
    samples: int = 16
    exhaustive: int = 4096


GRIDS = {
    "test": Sizes(group=axis("S3"), length=16, exhaustive=64),
    "quick": Sizes(group=axis("C2", "S3", "Q8", "A4", "A5")),
    "full": Sizes(samples=256, exhaustive=2**16),
    "paper": Sizes(samples=256, exhaustive=2**18),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table, and the elements as permutations of points, (p q)(i) = p[q[i]]."""
    g = group(cell.group)
    return {"table": g.table, "permutations": np.array(g.permutations)}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No word and no product is read wrongly, from a table of n T numbers that holds T letters."""
    return (
        Prediction(0, of="wrong_words"),
        Prediction(0, of="wrong_products"),
        Prediction(cell.length, of="letters_held", formula="T"),
        Prediction(group(cell.group).order * cell.length, of="entries_used", formula="n T"),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrongly decoded words among all short ones, wrong products among random long ones; how much of the table is used."""
    short, few = _short_words(cell, len(given["table"]))
    # the table is longer than the words, so where they end is read as well
    read = recorded_words(_recorded(short, few, short.shape[1] + LONGER)).T
    wrong_words = (read != jnp.pad(short, ((0, 0), (0, LONGER)), constant_values=-1)).any(axis=1).sum()
    return measured(
        wrong_words=Quantity(int(wrong_words), label="words read wrongly"),
        wrong_products=_wrong_products(cell, key, given),
        **_used(cell, len(given["table"]), cell.length),
    )


def _wrong_products(cell: Sizes, key: jax.Array, given: dict, *, reverse: bool = False) -> Quantity:
    """Random words, of which a decoded prefix is not the composition of the permutations of its letters."""
    words = np.asarray(uniform_words(key, len(given["table"]), cell.samples, cell.length))
    read = jnp.maximum(recorded_words(_recorded(jnp.asarray(words), len(given["table"]), cell.length)).T, 0)
    products = np.asarray(prefix_products(jnp.asarray(given["table"]), read[:, ::-1] if reverse else read))
    composed, wrong = np.arange(given["permutations"].shape[1])[None], np.zeros(cell.samples, bool)
    for letter, product in zip(words.T, products.T, strict=True):
        composed = np.take_along_axis(
            np.broadcast_to(composed, (cell.samples, composed.shape[1])), given["permutations"][letter], 1
        )
        wrong |= (given["permutations"][product] != composed).any(axis=1)
    return Quantity(int(wrong.sum()), label="words with a wrong prefix product")


def _used(cell: Sizes, letters: int, positions: int) -> dict[str, Quantity]:
    """What words of one letter, longer than a table of so many positions, leave in it."""
    words = jnp.broadcast_to(jnp.arange(letters)[:, None], (letters, cell.length + LONGER))
    states = _recorded(words, letters, positions)
    read = np.asarray(recorded_words(states)) == np.arange(letters)
    return {
        "letters_held": Quantity(int(read.all(axis=1).sum()), label="letters of a word that are read"),
        "entries_used": Quantity(int((np.asarray(states[1]) != 0).any(axis=-1).sum()), label="entries that some word sets"),
    }


def _short_words(cell: Sizes, order: int) -> tuple[jax.Array, int]:
    """All words over at most three letters, as long as there are few enough of them, and the number of letters."""
    letters = min(order, 3)
    return all_words(letters, int(math.log(cell.exhaustive) / math.log(letters))), letters


@partial(jax.jit, static_argnames=("letters", "positions"))
def _recorded(words: jax.Array, letters: int, positions: int) -> tuple[jax.Array, ...]:
    """The final states of a clock and of a table with this many positions."""
    start = recorder_start(letters, positions, len(words), words.dtype)
    return word_recorder(letters, positions).run(words.T, start, chunk=4)


@partial(jax.jit, static_argnames="letters")
def _counted(words: jax.Array, letters: int) -> tuple[jax.Array, ...]:
    start = (jnp.zeros((letters, len(words)), words.dtype),)
    return letter_counter(letters).run(words.T, start, chunk=4)


def _one_layer(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    words, letters = _short_words(cell, len(given["table"]))
    return measured(wrong_words=_confused(_counted(words, letters)))


def _one_position_fewer(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    words, letters = _short_words(cell, len(given["table"]))
    confused = _confused(_recorded(words, letters, words.shape[1] - 1))
    return measured(wrong_words=confused, **_used(cell, len(given["table"]), cell.length - 1))


def _confused(states: tuple[jax.Array, ...]) -> Quantity:
    """How many words share the states with another one: whatever the decoder, it errs on one of each pair."""
    rows = np.concatenate([np.asarray(state).reshape(-1, state.shape[-1]) for state in states]).T
    return Quantity(len(rows) - len(np.unique(rows, axis=0)))


def _backwards(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(wrong_products=_wrong_products(cell, key, given, reverse=True))


CONTROLS = (
    control("one layer", "one abelian layer, which counts the letters, determines the word", measure=_one_layer),
    control("one position fewer", "a table of n (T - 1) numbers determines the word", measure=_one_position_fewer),
    control("read backwards", "the order in which the letters are read does not matter", measure=_backwards),
)

RIVALS = (off_by(-1, of="entries_used"), off_by(+1, of="letters_held"))

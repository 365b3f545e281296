r"""Two abelian layers store every word of T letters, one of them a clock of T values; with fewer values no two layers do.

Statement: Layer 1 counts the letters, and layer 2 adds the unit vector e_(clock, letter). For n letters and length T the n
    T numbers of layer 2 and the clock determine every word of length at most T, so two abelian layers with an unrestricted
    decoder solve every word problem of length T. Written as digits, layer 2 is one number that takes n^T values, as few as any
    recorder needs. Let layer 1 take values in an abelian group of M elements. Whatever layer 2 adds, two words of at most
    M + 1 letters leave the same states. The clock modulo M confuses no two words of M letters.
    $$ a^d b^f \sim b^f a^d,\quad d = \mathrm{ord}(x_a),\ d f = |\langle x_a, x_b\rangle| \le M
       \;\Rightarrow\; d + f \le M + 1 $$
Hypotheses: the length T is fixed beforehand; each layer adds steps that depend on the letter and on the layers below; the
    decoder is unrestricted.
Source: this project, “stated here first”.
Refuted by: a word, or a product in a group, that is read wrongly; another number of states; a first layer of M values that
    tells all words of M + 1 letters apart, or none that tells those of M letters apart.
Cost: quick 20 s on one core, full about 2 min.

The lower bound is proved in `theory.groups.recorders` and tried on all pairs of steps in all abelian groups of two generators
with few elements. Products of the decoded words come from the Cayley table, and the right ones from composing permutations.

Consequence: the logarithmic depth of the free nilpotent route, whose state has about n^T / T numbers (a Witt sum), is an
upper bound for that route and no lower bound for word problems. A clock never runs backwards: with signed increments, where
a letter and its inverse undo each other, `solvable_law_floor` holds instead.
"""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.towers.recorder import recorded_words
from depthjax.probe.recorders import confused, counted, recorded, shortest_confusion, wrong_prefix_products
from depthjax.tasks.words import all_words, uniform_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
from theory.groups import group
from theory.groups.recorders import confusion_length, first_layers

CLAIM = claim(Relation.EQUALS)

LONGER = 2  # letters by which a word is longer than its table, or shorter


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The group, whose elements are the letters; length and number of random words; how many short words there may be."""

    group: str = axis("C2", "C3", "C6", "S3", "D4", "Q8", "A4", "S4", "A5", "S5")
    length: int = 256
    samples: int = 16
    exhaustive: int = 4096
    values: int = 6  # of a first layer, at the most


GRIDS = {
    "test": Sizes(group=axis("S3"), length=16, exhaustive=64, values=4),
    "quick": Sizes(group=axis("C2", "S3", "Q8", "A4", "A5")),
    "full": Sizes(samples=64, exhaustive=2**14, values=7),
    "paper": Sizes(samples=256, exhaustive=2**18, values=8),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table, the elements as permutations of points, (p q)(i) = p[q[i]], and all first layers of few values."""
    g = group(cell.group)
    return {"table": g.table, "permutations": np.array(g.permutations), "first_layers": first_layers(cell.values)}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No word and no product is read wrongly, from n T numbers or n^T values; the letters that M values of a clock record."""
    letters, length = _short(cell, group(cell.group).order)
    lengths = [confusion_length(moduli, x, y) for moduli, steps in given["first_layers"] for x, y in steps]
    return (
        Prediction(0, of="wrong_words"),
        Prediction(0, of="wrong_products"),
        Prediction(cell.length, of="letters_held", formula="T"),
        Prediction(group(cell.group).order * cell.length, of="entries_used", formula="n T"),
        Prediction(letters**length, of="values", formula="n^T"),
        Prediction(lengths, of="confusion", dims=("choice",), relation=Relation.AT_MOST, formula="d + f"),
        Prediction(np.arange(1, cell.values + 1), of="recorded", dims=("order",), formula="M"),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Words and products that are read wrongly; how much of the table is used; words that first layers of M values confuse."""
    letters, length = _short(cell, len(given["table"]))
    short = all_words(letters, length)
    # the table is longer than the words, so where they end is read as well
    states = recorded(short, letters, length + LONGER)
    read = recorded_words(states).T
    wrong_words = (read != jnp.pad(short, ((0, 0), (0, LONGER)), constant_values=-1)).any(axis=1).sum()
    return measured(
        wrong_words=Quantity(int(wrong_words), label="words read wrongly"),
        wrong_products=_wrong_products(cell, key, given),
        values=_values(states),
        **_used(cell, len(given["table"]), cell.length),
        **_few_values(cell, given),
    )


def _short(cell: Sizes, order: int) -> tuple[int, int]:
    """At most three letters, and a length of which there are few enough words."""
    letters = min(order, 3)
    return letters, int(math.log(cell.exhaustive) / math.log(letters))


def _wrong_products(cell: Sizes, key: jax.Array, given: dict, *, reverse: bool = False) -> Quantity:
    words = np.asarray(uniform_words(key, len(given["table"]), cell.samples, cell.length))
    read = np.maximum(recorded_words(recorded(jnp.asarray(words), len(given["table"]), cell.length)).T, 0)
    wrong = wrong_prefix_products(words, read[:, ::-1] if reverse else read, given["table"], given["permutations"])
    return Quantity(wrong, label="words with a wrong prefix product")


def _values(states: tuple[jax.Array, ...]) -> Quantity:
    """How far the table reaches if it is one number, the letters its digits."""
    positions, letters, _ = states[1].shape
    digits = np.arange(letters) * letters ** np.arange(positions)[:, None]
    numbers = np.einsum("plb,pl->b", np.asarray(states[1]), digits)
    return Quantity(int(np.ptp(numbers)) + 1, label="range of layer 2 as one number")


def _few_values(cell: Sizes, given: dict, factor: int = 1) -> dict[str, Quantity]:
    """The shortest words that first layers of few values confuse, and the letters that the best ones record."""
    layers, best = given["first_layers"], np.zeros(cell.values, int)
    found = [shortest_confusion(moduli * (factor, 1), steps, cell.values + 1) for moduli, steps in layers]
    for (moduli, _), lengths in zip(layers, found, strict=True):
        best[moduli.prod() - 1] = max(best[moduli.prod() - 1], lengths.max() - 1)
    return {
        "confusion": Quantity(np.concatenate(found), "choice", label="shortest words that are confused"),
        "recorded": Quantity(best, "order", label="letters that M values record"),
    }


def _used(cell: Sizes, letters: int, positions: int) -> dict[str, Quantity]:
    """What words of one letter, longer than a table of so many positions, leave in it."""
    words = jnp.broadcast_to(jnp.arange(letters)[:, None], (letters, cell.length + LONGER))
    states = recorded(words, letters, positions)
    read = np.asarray(recorded_words(states)) == np.arange(letters)
    return {
        "letters_held": Quantity(int(read.all(axis=1).sum()), label="letters of a word that are read"),
        "entries_used": Quantity(int((np.asarray(states[1]) != 0).any(axis=-1).sum()), label="entries that some word sets"),
    }


def _one_layer(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    letters, length = _short(cell, len(given["table"]))
    return measured(wrong_words=Quantity(confused(counted(all_words(letters, length), letters))))


def _one_position_fewer(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    letters, length = _short(cell, len(given["table"]))
    states = recorded(all_words(letters, length), letters, length - 1)
    used = _used(cell, len(given["table"]), cell.length - 1)
    return measured(wrong_words=Quantity(confused(states)), values=_values(states), **used)


def _backwards(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(wrong_products=_wrong_products(cell, key, given, reverse=True))


CONTROLS = (
    control("one layer", "one abelian layer, which counts the letters, determines the word", measure=_one_layer),
    control("one position fewer", "a table of n (T - 1) numbers determines the word", measure=_one_position_fewer),
    control(
        "a clock that never returns",
        "a first layer of more values confuses words of M + 1 letters",
        measure=lambda cell, key, given: measured(**_few_values(cell, given, factor=cell.values + 2)),
    ),
    control("read backwards", "the order in which the letters are read does not matter", measure=_backwards),
)

RIVALS = (off_by(-1, of="entries_used"), off_by(+1, of="letters_held"), off_by(-1, of="recorded"))

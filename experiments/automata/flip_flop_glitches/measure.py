"""The weight of the wrong bit where a softmax head reads the latest write, on random words and on the hardest one."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.tasks.flip_flop import flip_flop_letters, writes
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.flip_flop_glitches.common import LONG, MARGINS, SOFT
from experiments.automata.flip_flop_glitches.flip_flop import overruled_word
from experiments.automata.flip_flop_glitches.glitches import last_weight, wrong_recurrences, wrong_weight

BATCH = 1024  # words at a time

BLOCK = 32  # words whose mean is one sample of the rate

BLOCKS = 256  # of words with positions divided by the length, or at margin 0

LEVEL = np.zeros(1)  # the margin of a head to which all writes are alike


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Weight of the wrong bit at the last read, on random words and on the word that is hardest for the head."""
    found = _wrong(key, jnp.asarray(cell.ignore), jnp.asarray(MARGINS), cell.words, cell.instructions)
    random, odds, hardest, soft, recurrence = (np.asarray(part) for part in found)
    worst = np.maximum(random.max(axis=1), hardest[:, 0])
    diluted = np.asarray(_wrong_weight(overruled_word(cell.instructions), jnp.asarray(MARGINS) / cell.instructions))[:, 0]
    choices = (random >= 0.5).sum(axis=1) + (hardest[:, 0] >= 0.5)
    return measured(
        glitch_rate=_rate(cell, random),
        mass=_rate(cell, odds, "weight of the wrong bit beside that of the last write"),
        level=Quantity(_level(cell, jax.random.fold_in(key, 1)), "part", label="the same at margin 0"),
        worst_word=Quantity(worst, "margin", floor=_share(cell) * worst, label="largest weight of the wrong bit"),
        worst_diluted=Quantity(diluted, "margin", floor=_share(cell), label="the same, positions divided by the length"),
        wrong_choices=Quantity(choices, "margin", label="reads where the wrong bit weighs as much"),
        soft_choices=Quantity((soft >= 0.5).sum(), label="the same around a margin of ln 2, on the hardest word"),
        overruled=Quantity((soft[:, 0] >= 0.5).astype(int), "soft", label="the hardest word is misread"),
        wrong_in_recurrence=Quantity(recurrence[:, 0].sum(), label="wrong reads of the recurrence"),
        wrong_without_gate=Quantity(
            recurrence[:, 1], "batch", floor=0.0, label=f"wrong reads of one that every instruction writes, in {BATCH} words"
        ),
        margin=Quantity(MARGINS, "margin", label="margin β"),
        soft=SOFT,
    )


def _share(cell: Cell) -> np.ndarray:
    """The share of a weight that rounding may move: the rounding of a score of margin * length."""
    return np.asarray(rounding_floor(cell.instructions, jnp.dtype("float64"), MARGINS * cell.instructions))


def _rate(cell: Cell, weights: np.ndarray, label: str = "glitch rate", block: int = BLOCK) -> Quantity:
    blocks = weights.reshape(len(MARGINS), -1, block).mean(axis=2)
    floor = (_share(cell) * weights.mean(axis=1))[:, None]
    return Quantity(blocks, "margin block", floor=floor, label=f"{label}, mean of {block} words")


_wrong_weight = jax.jit(wrong_weight)
_last_weight = jax.jit(last_weight)


@partial(jax.jit, static_argnames=("words", "instructions"))
def _wrong(key: jax.Array, ignore: jax.Array, margins: jax.Array, words: int, instructions: int) -> tuple[jax.Array, ...]:
    """Weights of the wrong bit (margins, words): random words, the hardest word, too soft; wrong reads by batch."""

    def batch(key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        letters = writes(flip_flop_letters(key, ignore, BATCH, instructions))
        weight = wrong_weight(letters, margins)
        return weight, weight / last_weight(letters, margins), wrong_recurrences(letters)

    weight, odds, recurrences = jax.lax.map(batch, jax.random.split(key, words // BATCH))
    hardest = overruled_word(instructions)
    random, odds = (jnp.moveaxis(part, 0, 1).reshape(len(margins), -1) for part in (weight, odds))
    return random, odds, wrong_weight(hardest, margins), wrong_weight(hardest, jnp.asarray(SOFT)), recurrences


def divided(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The rate of a head whose positions are divided by the length."""
    weights, odds = _weights(cell, key, MARGINS / cell.instructions)
    block = weights.shape[1] // BLOCKS
    return measured(glitch_rate=_rate(cell, weights, block=block), mass=_rate(cell, odds, block=block), margin=MARGINS)


def _weights(cell: Cell, key: jax.Array, margins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight of the wrong bit, and beside that of the last write, by margin and word, on words of `BLOCKS` blocks."""
    block = BLOCK * max(1, 2 * LONG // cell.instructions)  # short words have fewer writes
    letters = writes(flip_flop_letters(key, cell.ignore, BLOCKS * block, cell.instructions))
    weights = np.asarray(_wrong_weight(letters, jnp.asarray(margins)))
    return weights, weights / np.asarray(_last_weight(letters, jnp.asarray(margins)))


def _level(cell: Cell, key: jax.Array) -> np.ndarray:
    """The weight beside that of the last write at margin 0, which is the number of writes of the wrong bit: means of blocks."""
    return _weights(cell, key, LEVEL)[1].reshape(BLOCKS, -1).mean(axis=1)

"""The least number of written tokens with which words of every length are answered, for every number of loops."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.attention.loops_against_writing.looped_writer import looped_writer

MORE = 3  # tokens beyond those of a word shorter by a letter that are tried


def measure(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Tokens by loops and length; the loops from which on none is written; the layers run one after the other."""
    tokens = _tokens(cell, key, table)
    none = tokens == 0
    return measured(
        loops=Quantity(np.array(cell.loops), "loops", label="loops in every pass"),
        length=Quantity(np.array(cell.lengths), "length", label="letters of a word"),
        tokens=Quantity(tokens, "loops length", label="written tokens"),
        without_tokens=Quantity(np.where(none.any(axis=0), none.argmax(axis=0), len(none)), "length", label="loops alone"),
        without_loops=Quantity(tokens[0], "length", label="written tokens alone"),
        staying=Quantity(_tokens(cell, key, table, moves=False, most=1), "few length", label="tokens if no pointer moves"),
        hidden=Quantity(_tokens(cell, key, table, hidden=True), "loops length", label="tokens if each shows the first state"),
        maps=Quantity(_maps(table), "of", label="maps of the states that words make, and those that undo themselves"),
    )


def _maps(table: np.ndarray) -> list[int]:
    """How many maps of the states words make, and how many of these undo themselves."""
    found, before = np.arange(len(table))[None], 0
    while len(found) > before:
        before, found = len(found), np.unique(np.concatenate([found, *table.T[:, found]]), axis=0)
    return [len(found), int((np.take_along_axis(found, found, axis=1) == np.arange(len(table))).all(axis=1).sum())]


def pointers_that_stay(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Tokens by loops and length if no pointer moves."""
    tokens = _tokens(cell, key, table, moves=False)
    return measured(
        tokens=Quantity(tokens, "loops length", label="written tokens"),
        of_few=Quantity(tokens[:2], "few length", label="written tokens of no loop and of one"),
    )


def _tokens(
    cell: Cell, key: jax.Array, table: np.ndarray, *, hidden: bool = False, moves: bool = True, most: int | None = None
) -> np.ndarray:
    """The least number of tokens for every number of loops and every length; the length itself where none near it is enough.

    If no pointer moves, a loop composes the same two maps again; a hidden token shows the first state.
    The search begins at the tokens of the length before, goes up by a few and down as far as fewer are enough.
    """
    letters = table.shape[1]
    words = np.asarray(jax.random.randint(key, (cell.words, cell.longest), 0, letters))
    after = [np.zeros(cell.words, int)]
    for letter in words.T:
        after.append(table[after[-1], letter])
    truth = np.stack(after, axis=1)
    judged = [loops for loops in cell.loops if most is None or loops <= most]
    found = np.zeros((len(judged), len(cell.lengths)), int)
    for row, loops in enumerate(judged):

        def right(length: int, tokens: int, loops: int = loops) -> bool:
            found = _right(table, words, truth, loops, length, tokens, hidden=hidden, moves=moves)
            return found == cell.words * (tokens + 1)

        least = 0
        for column, length in enumerate(cell.lengths):
            least = next((c for c in range(least, min(least + MORE, length)) if right(length, c)), length)
            while least and least < length and right(length, least - 1):
                least -= 1
            found[row, column] = least
    return found


def _right(
    table: np.ndarray, words: np.ndarray, truth: np.ndarray, loops: int, length: int, tokens: int, *, hidden: bool, moves: bool
) -> int:
    """In how many words each token that is written, and then the answer, is the state after the letters that it stands for.

    All passes are made at once, with the right tokens given: no position sees a later one, so if all are right, they are what
    the model writes one after the other.
    """
    letters, rows = table.shape[1], 2 * words.shape[1]
    model, weights = looped_writer(table, length, loops, tokens, rows=rows, moves=moves)
    ends = np.maximum(length - np.arange(tokens, -1, -1) * 2**loops, 0)
    written = truth[:, ends[:-1]]
    told = letters + (0 * written if hidden else written)
    shown = np.concatenate([words[:, :length], told], axis=1)
    padded = np.pad(shown, ((0, 0), (0, rows - shown.shape[1])))
    states = np.asarray(model.apply(weights, jnp.asarray(padded))).argmax(axis=-1)
    return int((states[:, length - 1 : length + tokens] == truth[:, ends]).sum())

"""The least number of written tokens with which words of every length are answered, and the letters that a pass depends on."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.attention.loops_against_writing.looped_writer import looped_writer
from experiments.attention.loops_against_writing.one_pointer import letters_read

MORE = 3  # tokens beyond those of a word shorter by a letter that are tried
NETWORKS = 256  # random ones of every number of loops


def measure(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Tokens by loops and length; the loops from which on none is written; the letters on which a pass depends."""
    tokens = _tokens(cell, key, table)
    none = tokens == 0
    others = np.array([_read_by_others(cell, key, loops) for loops in cell.loops]).T
    return measured(
        loops=Quantity(np.array(cell.loops), "loops", label="loops in every pass"),
        length=Quantity(np.array(cell.lengths), "length", label="letters of a word"),
        tokens=Quantity(tokens, "loops length", label="written tokens"),
        without_tokens=Quantity(
            np.where(none.any(axis=0), np.array(cell.loops)[none.argmax(axis=0)], len(none) + 1), "length", label="loops alone"
        ),
        hidden=Quantity(_tokens(cell, key, table, hidden=True), "loops length", label="tokens if each shows the first state"),
        read=Quantity([_read(cell, key, table, loops) for loops in cell.loops], "loops", label="letters that a pass reads"),
        read_by_others=Quantity(others[0], "loops", label="letters on which a random network depends"),
        read_in_twos=Quantity(others[1], "loops", label="letters, with two positions read in a layer"),
        maps=Quantity(_maps(table), "of", label="maps of the states that words make, and those that undo themselves"),
    )


def _maps(table: np.ndarray) -> list[int]:
    """How many maps of the states words make, and how many of these undo themselves."""
    found, before = np.arange(len(table))[None], 0
    while len(found) > before:
        before, found = len(found), np.unique(np.concatenate([found, *table.T[:, found]]), axis=0)
    return [len(found), int((np.take_along_axis(found, found, axis=1) == np.arange(len(table))).all(axis=1).sum())]


def letters_alone(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Tokens by loops and length if letters know no blocks."""
    tokens = _tokens(cell, key, table, joins=False)
    return measured(
        tokens=Quantity(tokens, "loops length", label="written tokens"),
        walked=Quantity(tokens, "loops length", label="written tokens if a loop reads one letter"),
    )


def _drawn(cell: Cell, key: jax.Array, table: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Words, and the states before their letters and after the last.

    Words come in pairs that differ in their first letter alone, and begin from every state in turn. So whoever does not read
    the first letter is surely wrong on a word of each pair whose first state the two letters tell apart.
    """
    states, letters = table.shape
    drawn = np.asarray(jax.random.randint(key, (cell.words // 2, length), 0, letters))
    other = drawn.copy()
    other[:, 0] = (other[:, 0] + 1) % letters
    words = np.concatenate([drawn, other])
    after = [np.tile(np.arange(cell.words // 2) % states, 2)]
    for letter in words.T:
        after.append(table[after[-1], letter])
    return words, np.stack(after, axis=1)


def _tokens(cell: Cell, key: jax.Array, table: np.ndarray, *, hidden: bool = False, joins: bool = True) -> np.ndarray:
    """The least number of tokens for every number of loops and every length; the length itself where none near it is enough.

    A hidden token shows the first state. The search begins at the tokens of the length before, goes up by a few and down as far
    as fewer are enough.
    """
    words, truth = _drawn(cell, key, table, cell.longest)
    found = np.zeros((len(cell.loops), len(cell.lengths)), int)
    for row, loops in enumerate(cell.loops):

        def right(length: int, tokens: int, loops: int = loops) -> bool:
            return _right(table, words, truth, loops, length, tokens, hidden=hidden, joins=joins) == cell.words * (tokens + 1)

        least = 0
        for column, length in enumerate(cell.lengths):
            least = next((c for c in range(least, min(least + MORE, length)) if right(length, c)), length)
            while least and least < length and right(length, least - 1):
                least -= 1
            found[row, column] = least
    return found


def _right(
    table: np.ndarray, words: np.ndarray, truth: np.ndarray, loops: int, length: int, tokens: int, *, hidden: bool, joins: bool
) -> int:
    """In how many words each token that is written, and then the answer, is the state after the letters that it stands for.

    All passes are made at once, with the right tokens given: no position sees a later one, so if all are right, they are what
    the model writes one after the other.
    """
    worth = 2**loops - 1 if joins else loops
    ends = np.maximum(length - np.arange(tokens, -1, -1) * worth, 0)
    named = truth[:, np.concatenate([[0], ends[:-1]])]
    told = np.broadcast_to(named[:, :1], named.shape) if hidden else named
    found = _answers(table, words[:, :length], told, loops, rows=2 * words.shape[1], joins=joins)
    return int((found == truth[:, ends]).sum())


def _answers(table: np.ndarray, words: np.ndarray, named: np.ndarray, loops: int, rows: int, *, joins: bool) -> np.ndarray:
    """The states that the model answers behind each of the tokens, which name these states."""
    length, letters = words.shape[1], table.shape[1]
    model, weights = looped_writer(table, length, loops, named.shape[1] - 1, rows=rows, joins=joins)
    shown = np.concatenate([words, letters + named], axis=1)
    padded = np.pad(shown, ((0, 0), (0, rows - shown.shape[1])))
    return np.asarray(model.apply(weights, jnp.asarray(padded))).argmax(axis=-1)[:, length : length + named.shape[1]]


def _read(cell: Cell, key: jax.Array, table: np.ndarray, loops: int) -> int:
    """How many letters change the first answer of some word if they are changed themselves."""
    words, truth = _drawn(cell, key, table, cell.changed)

    def answers(shown: np.ndarray) -> np.ndarray:
        return _answers(table, shown, truth[:, :1], loops, rows=2 * cell.longest, joins=True)

    plain, read = answers(words), 0
    for place in range(cell.changed):
        changed = words.copy()
        changed[:, place] = (changed[:, place] + 1) % table.shape[1]
        read += bool((answers(changed) != plain).any())
    return read


def _read_by_others(cell: Cell, key: jax.Array, loops: int) -> list[int]:
    """The most letters on which a random network depends, one or two positions being read in a layer."""
    seed = int(jax.random.randint(jax.random.fold_in(key, 1 + loops), (), 0, 2**30))
    return [int(letters_read(cell.longest, loops, reads, NETWORKS, seed).max()) for reads in (1, 2)]

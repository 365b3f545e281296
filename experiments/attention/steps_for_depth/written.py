"""After how many written tokens a transformer answers hops or products rightly."""

import numpy as np
from jaxtyping import Array, Int, Integer

from depthjax.constructions.directions.hop import hop_family, reach
from depthjax.tasks.hops import hop_table
from experiments.attention.steps_for_depth.state_writer import state_writer
from experiments.attention.steps_for_depth.writing import write


def right_hops(
    words: Integer[Array, "batch length"], alphabet: int, layers: int, largest: int, written: int, *, hidden: bool = False
) -> Int[np.ndarray, "passes hops"]:
    """Return in how many words one answer after 0, 1, ..., `written` tokens is hop_k of the last letter, k = 1, ..., largest.

    The model of `layers` layers has one answer for every number of hops that its layers reach.

    Args:
        words: Letters 0 ... alphabet - 1, all words of one length.
        alphabet: Number of letters.
        layers: Attention layers, at least 2.
        largest: Largest number of hops that is tried.
        written: Number of tokens that are written.
        hidden: Show "nowhere" in the place of every written token.
    """
    counts, classes = range(1, reach(layers, "strict") + 1), alphabet + 1
    model, weights = hop_family(counts, words.shape[1], alphabet, written=written + 1)
    logits = write(model, weights, words, written, alphabet, written=alphabet if hidden else None)
    heads = np.asarray(logits)[..., : len(counts) * classes].reshape(*logits.shape[:2], len(counts), classes)
    truth = np.asarray(hop_table(words, alphabet, largest))[:, :, -1]
    return (heads.argmax(axis=-1)[..., None] == truth.T[None, :, None, :]).sum(axis=1).max(axis=1)


def right_states(
    table: Integer[np.ndarray, "states letters"], words: Integer[Array, "batch length"], *, hidden: bool = False
) -> Int[np.ndarray, " passes"]:
    """Return in how many words the answer of one layer after 0, 1, ..., length - 1 tokens is the last state.

    Words start in state 0. With `hidden` state 0 is shown in the place of every written state.
    """
    letters, length = table.shape[1], words.shape[1]
    model, weights = state_writer(table, length)
    logits = write(model, weights, words, length - 1, letters, written=letters if hidden else None)
    state = np.zeros(len(words), int)
    for letter in np.asarray(words).T:
        state = table[state, letter]
    return (np.asarray(logits).argmax(axis=-1) == state[None, :]).sum(axis=1)

"""The least machine of a task on streams of letters, found from the task's answers alone."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from depthjax.probe.machine import Machine

__all__ = ["Answer", "Labels", "at_last", "least_machine", "right_answers"]

Labels = Callable[[Array], Array]  # words (batch, length) -> the answer at every position
Answer = Callable[[np.ndarray], np.ndarray]  # words of one length -> the answer at their last position
AT_ONCE = 4096  # words whose answers are asked for together


def least_machine(answer: Answer, letters: int) -> Machine:
    """Return the machine whose states are the words that the task tells apart by the next letter.

    Words are tried breadth first; one whose answers to all next letters are those of an earlier word is that word's state. So
    no two states can be merged. The machine answers the task only if one letter tells all states apart, which its caller
    checks by running it.

    Args:
        answer: The task. It never ends if the task needs infinitely many states.
        letters: Size of the alphabet.

    Cost: letters^2 words for each state.
    """
    level = np.zeros((1, 0), int)
    numbers = {_rows(answer, level, letters)[0]: 0}
    following: list[int] = []
    access: list[tuple[int, ...]] = [()]
    while len(level):
        longer = _extended(level, letters)
        fresh = []
        for word, row in zip(longer, _rows(answer, longer, letters), strict=True):
            if row not in numbers:
                numbers[row] = len(numbers)
                access.append(tuple(word.tolist()))
                fresh.append(word)
            following.append(numbers[row])
        level = np.array(fresh, int).reshape(len(fresh), longer.shape[1])
    return Machine(np.array(following).reshape(-1, letters), np.array(list(numbers)), access)


def _extended(words: np.ndarray, letters: int) -> np.ndarray:
    """Every word with every letter behind it."""
    return np.column_stack([np.repeat(words, letters, axis=0), np.tile(np.arange(letters), len(words))])


def _rows(answer: Answer, words: np.ndarray, letters: int) -> list[tuple[int, ...]]:
    return [tuple(row) for row in answer(_extended(words, letters)).reshape(-1, letters).tolist()]


def at_last(labels: Labels, longest: int) -> Answer:
    """Return the answers at the last position, for words of any length up to `longest`.

    Words are filled up to this length, and asked for by the thousand: one shape is compiled.

    Args:
        labels: The task; an answer depends on no later letter.
        longest: Number of letters of the longest word.
    """

    def answer(words: np.ndarray) -> np.ndarray:
        padded = np.zeros((-(-len(words) // AT_ONCE) * AT_ONCE, longest), int)
        padded[: len(words), : words.shape[1]] = words
        parts = [labels(jnp.asarray(part)) for part in np.split(padded, len(padded) // AT_ONCE)]
        return np.concatenate([np.asarray(part) for part in parts])[: len(words), words.shape[1] - 1]

    return answer


def right_answers(
    machine: Machine, labels: Labels, streams: Int[np.ndarray, "batch length"], first: Int[np.ndarray, " batch"]
) -> int:
    """Return the number of right answers of a machine on streams, each of which begins with a shortest word to a state.

    Args:
        machine: The machine.
        labels: The task.
        streams: Letters; the first ones are replaced.
        first: Number of the state for each stream.
    """
    streams = streams.copy()
    for stream, state in zip(streams, first, strict=True):
        word = machine.access[state]
        stream[: len(word)] = word
    return int((machine.run(streams) == np.asarray(labels(jnp.asarray(streams)))).sum())

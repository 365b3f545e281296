"""Words whose first letters decide the last state, so that a reader of the last letters alone must be wrong."""

from __future__ import annotations

import numpy as np

__all__ = ["forgetting_word"]


def forgetting_word(table: np.ndarray, forgotten: int, kept: int, state: int = 0) -> tuple[int, ...] | None:
    """A word u v with ``|u| = forgotten`` and ``|v| = kept`` such that u v and v lead from a state to different states.

    None if there is no such word. The search is exact: it follows pairs of states that some word still keeps apart, and takes
    the first letter that keeps them apart. Cost: ``(forgotten + kept) * states^2 * letters``.

    Args:
        table: Next states, ``table[state, letter]``.
        forgotten: Number of letters that the reader does not see.
        kept: Number of letters that the reader sees.
        state: State before the first letter.

    Raises:
        ValueError: A number of letters is negative.

    >>> parity, last_letter = np.array([[0, 1], [1, 0]]), np.array([[0, 1], [0, 1]])
    >>> forgetting_word(parity, 2, 3)
    (0, 1, 0, 0, 0)
    >>> forgetting_word(last_letter, 2, 3) is None
    True
    """
    if min(forgotten, kept) < 0:
        raise ValueError(f"forgotten = {forgotten}, kept = {kept}: expected numbers of letters, 0 or more")
    states, letters = table.shape
    # good[p, q]: some word of the remaining length separates p and q
    good: np.ndarray = ~np.eye(states, dtype=bool)
    choices: list[np.ndarray] = []
    for _ in range(kept):
        moved = np.stack([good[np.ix_(table[:, x], table[:, x])] for x in range(letters)], axis=-1)
        choices.append(moved)
        good = np.asarray(moved.any(axis=-1))
    target: np.ndarray = good[:, state]
    steps: list[np.ndarray] = []
    for _ in range(forgotten):
        moved = target[table]
        steps.append(moved)
        target = np.asarray(moved.any(axis=-1))
    if not target[state]:
        return None
    word, now = [], state
    for moved in reversed(steps):
        word.append(int(moved[now].argmax()))
        now = int(table[now, word[-1]])
    pair = now, state
    for moved in reversed(choices):
        word.append(int(moved[pair].argmax()))
        pair = int(table[pair[0], word[-1]]), int(table[pair[1], word[-1]])
    return tuple(word)

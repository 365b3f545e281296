"""Problems of parallel computation: random inputs of machines, and what the machines put out after each round.

After r rounds a machine of prefix sums has added the last g^r letters, a machine of the bitonic network has its share after r
rows of comparators, and a vertex has seen the 2^r - 1 vertices to either side.
"""

import numpy as np

__all__ = ["inputs", "outputs", "single_answers"]


def inputs(problem: str, draw: np.random.Generator, samples: int, machines: int, share: int, letters: int) -> np.ndarray:
    """Return random inputs, (samples, inputs): letters 1 ... `letters` - 1, or the neighbours of every vertex of cycles.

    Neighbours are left * machines + right. One cycle and two cycles of (nearly) equal length alternate, randomly named.

    >>> inputs("components", np.random.default_rng(0), 2, 6, 3, 8).shape
    (2, 6)
    """
    if problem != "components":
        return draw.integers(1, letters, (samples, machines * (share if problem == "sorting" else 1)))
    words = np.zeros((samples, machines), int)
    for sample in range(samples):
        named = draw.permutation(machines)
        for cycle in np.array_split(named, 1 + sample % 2):
            words[sample, cycle] = np.roll(cycle, 1) * machines + np.roll(cycle, -1)
    return words


def outputs(problem: str, words: np.ndarray, machines: int, share: int, rounds: int) -> np.ndarray:
    """Return what the machines put out after 0, 1, ..., `rounds` rounds, (samples, rounds + 1, machines, width).

    >>> outputs("prefix sums", np.array([[1, 1, 1, 1]]), 4, 2, 2)[0, :, :, 0].tolist()
    [[1, 1, 1, 1], [1, 2, 2, 2], [1, 2, 3, 4]]
    """
    if problem == "sorting":
        return np.stack(_merged(words.reshape(len(words), machines, share), rounds), axis=1)
    each = _sums if problem == "prefix sums" else _minima
    return np.stack([each(words, share**r if problem == "prefix sums" else 2**r) for r in range(rounds + 1)], axis=1)[..., None]


def single_answers(problem: str, word: np.ndarray, hops: int, none: int) -> np.ndarray:
    """Return what a network answers that solves a problem of the same kind with one letter a position.

    For components it follows pointers: `hops` times to behind the last place before where the letter stood, or `none`.

    >>> [single_answers(problem, np.array([1, 0, 1, 0]), 1, 2).tolist() for problem in ("prefix sums", "sorting", "components")]
    [[1, 1, 2, 2], [0, 0, 1, 1], [2, 2, 0, 1]]
    """
    if problem == "prefix sums":
        return word.cumsum()
    if problem == "sorting":
        return np.sort(word)
    answers = np.full(len(word), none)
    for place in range(len(word)):
        at = place
        for _ in range(hops):
            before = [earlier for earlier in range(at) if word[earlier] == word[at]]
            if not before:
                break
            at = before[-1] + 1
        else:
            answers[place] = word[at]
    return answers


def _sums(words: np.ndarray, last: int) -> np.ndarray:
    """The sum of the last letters up to each machine."""
    sums = np.pad(words.cumsum(axis=1), ((0, 0), (last, 0)))
    return sums[:, last:] - sums[:, :-last]


def _minima(words: np.ndarray, reach: int) -> np.ndarray:
    """The least vertex among those that are fewer than `reach` steps away."""
    left, right = np.divmod(words, words.shape[1])
    least = np.broadcast_to(np.arange(words.shape[1]), words.shape)
    for _ in range(reach - 1):
        near = [np.take_along_axis(least, side, axis=1) for side in (left, right)]
        least = np.minimum(least, np.minimum(*near))
    return least


def _merged(shares: np.ndarray, rounds: int) -> list[np.ndarray]:
    """The shares after each row of comparators of a bitonic network."""
    found, share = [np.sort(shares, axis=2)], shares.shape[2]
    steps = [(level, bit) for level in range(1, shares.shape[1].bit_length()) for bit in reversed(range(level))]
    for level, bit in steps[:rounds]:
        held = found[-1].copy()
        for low in (at for at in range(shares.shape[1]) if not at >> bit & 1):
            high = low + (1 << bit)
            both = np.sort(np.concatenate([held[:, low], held[:, high]], axis=1), axis=1)
            less, more = (high, low) if low >> level & 1 else (low, high)
            held[:, less], held[:, more] = both[:, :share], both[:, share:]
        found.append(held)
    return found

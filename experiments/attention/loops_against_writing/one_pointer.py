"""Random networks whose layers let a position read few others, which it names by all that it knows.

What a position knows is a number of 64 bits. In a layer it names positions by it, no later ones, and mixes what is known there
into its own number. Such a network forgets nothing that it has read, so a letter that it reads changes its answer.
"""

import numpy as np


def letters_read(length: int, loops: int, reads: int, networks: int, seed: int) -> np.ndarray:
    """Return on how many letters of a random word the answer of each network depends, shape (networks,).

    The answer is what the position behind the word knows at the end. A letter counts if the answer differs once it is changed.

    Args:
        length: Letters of the word.
        loops: Layers, all of one network with the same rule.
        reads: Positions that a position reads in a layer, beside itself.
        networks: Number of rules, each with a word of its own.
        seed: Of rules and words.
    """
    source = np.random.default_rng(seed)
    return np.array(
        [_depends(length, loops, source.integers(2**63, size=(reads + 1, 1), dtype=np.uint64), source) for _ in range(networks)]
    )


def _depends(length: int, loops: int, rule: np.ndarray, source: np.random.Generator) -> int:
    """The word and the words with one letter changed, all at once: knows[word, position]."""
    knows = np.repeat(source.integers(2**63, size=(1, length + 1), dtype=np.uint64), length + 1, axis=0)
    place = np.arange(length)
    knows[1 + place, place] += np.uint64(1)
    earlier = np.arange(1, length + 2, dtype=np.uint64)
    for _ in range(loops):
        named = [(_mixed(knows + salt) % earlier).astype(np.int64) for salt in rule[1:]]
        known = [np.take_along_axis(knows, position, axis=1) for position in named]
        knows = _mixed(knows + rule[0])
        for number in known:
            knows = _mixed(knows * np.uint64(3) + number)
    return int((knows[1:, -1] != knows[0, -1]).sum())


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """A bijection of 64 bits whose values look random: the finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))

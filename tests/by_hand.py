"""What a person reads off a word, one letter after the other: the twins of samplers, readers of words and constructions."""

from typing import Any

import numpy as np


def states(word, table, now=0):
    """The state of an automaton after every letter."""
    found = []
    for letter in word:
        now = int(table[now][letter])
        found.append(now)
    return found


def stacks(word, types) -> Any:
    """The open brackets after every letter, or None where a bracket closes another one."""
    found, stack = [], []
    for letter in word:
        if letter < types:
            stack.append(letter)
        elif not stack or stack.pop() != letter - types:
            return None
        found.append(list(stack))
    return found


def pointers(word, count):
    """find^count of every position, straight from the definition: one-based, and 0 is none."""

    def once(i):
        return max((j for j in range(2, i + 1) if word[j - 2] == word[i - 1]), default=0)

    found = list(range(1, len(word) + 1))
    for _ in range(count):
        found = [once(i) if i else 0 for i in found]
    return found


def hops(word, count, none):
    """hop_count at every position, `none` where a pointer has nowhere to go."""
    return [word[i - 1] if i else none for i in pointers(word, count)]


def blocks(word):
    """The number of the block of each letter; a word that starts with letter 1 starts with block 2."""
    return [1 + (word[0] == 1) + sum(word[i] != word[i - 1] for i in range(1, end)) for end in range(1, len(word) + 1)]


def last_written(word):
    """The value written last, 0 before the first write: letter 1 + value writes it, and letter 0 writes nothing."""
    written, found = 0, []
    for letter in word:
        written = letter - 1 if letter else written
        found.append(written)
    return found


def turned(word, matrices, vector):
    """The vector after every letter, each of which turns it."""
    found = []
    for letter in word:
        vector = np.asarray(matrices[letter]) @ vector
        found.append(vector)
    return found

"""What programs of masked hard attention read if ties go to the farthest position, part by part in plain arrays."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

__all__ = ["farthest_truth", "right_by_the_farthest"]


def right_by_the_farthest(
    program: Mapping[str, Any], table: Int[np.ndarray, "states letters"], accepting: Bool[np.ndarray, " states"], longest: int
) -> int:
    """Return on how many words of letters 0 and 1 the last truth is membership, if ties go to the farthest position.

    Args:
        program: The parts of `theory.logic.program` of one formula.
        table: Next states of the automaton of the language.
        accepting: Whether each of its states accepts.
        longest: Length of the longest words.
    """
    right = 0
    for length in range(1, longest + 1):
        words = np.array(list(itertools.product((0, 1), repeat=length)))
        states = np.zeros(len(words), int)
        for letters in words.T:
            states = table[states, letters]
        right += int((farthest_truth(program, words)[:, -1] == accepting[states]).sum())
    return right


def farthest_truth(program: Mapping[str, Any], words: Int[np.ndarray, "words length"]) -> Bool[np.ndarray, "words length"]:
    """Return the truth at every position, if a head reads the farthest position with [not f or g] in place of the nearest.

    Parts come after those that they are made of, guards last. The farthest position before is the first one of the word, and
    the farthest one after is the last.

    >>> from theory.logic import parse
    >>> from theory.logic.program import program
    >>> farthest_truth(program(parse("a S b"), "ab")._asdict(), np.array([[0, 1, 1, 0]])).tolist()
    [[False, False, True, True]]
    >>> farthest_truth(program(parse("!a S b"), "ab")._asdict(), np.array([[0, 1, 1, 0]])).tolist()
    [[False, False, False, False]]
    """
    parts = program["embedding"][words].astype(int)
    place, heads = np.arange(words.shape[1]), {int(bit): h for h, bit in enumerate(program["write"])}
    for part in range(parts.shape[2] - len(heads)):
        if part in heads:
            guard, value = int(program["guard"][heads[part]]), program["value"][heads[part]]
            seen, ahead = _gate(program, parts, guard), bool(program["ahead"][heads[part]])
            farthest = len(place) - 1 - seen[:, ::-1].argmax(axis=1) if ahead else seen.argmax(axis=1)
            read = seen.any(axis=1) & (np.take_along_axis(parts[..., value], farthest[:, None], axis=1)[:, 0] > 0)
            parts[..., part] = read[:, None] & ((farthest[:, None] > place) if ahead else (farthest[:, None] < place))
        elif program["gated"][part]:
            parts[..., part] = _gate(program, parts, part)
    return parts[..., program["output"]] > 0


def _gate(program: Mapping[str, Any], parts: np.ndarray, part: int) -> np.ndarray:
    """Whether the weights of the bits reach the threshold."""
    return parts @ program["weights"][part] >= program["thresholds"][part]

"""What the claims on logic share: the short words in one array, and formulas with their answers as plain arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from depthjax.tasks.words import all_words
from theory.logic import Formula, evaluate
from theory.logic.program import LogicProgram, program


class ShortWords(NamedTuple):
    """Every word up to a length, filled up with letter 0: int array (words, length), and how many letters count."""

    words: np.ndarray
    lengths: np.ndarray


class Asked(NamedTuple):
    """Formulas as programs, the words, and the truth of each formula at each position of each word (false behind its end)."""

    programs: tuple[LogicProgram, ...]
    words: ShortWords
    answers: np.ndarray


def short_words(letters: int, length: int) -> ShortWords:
    """All words of length 1 .. `length`."""
    by_length = [np.asarray(all_words(letters, n), np.int8) for n in range(1, length + 1)]
    padded = [np.pad(words, ((0, 0), (0, length - words.shape[1]))) for words in by_length]
    return ShortWords(np.concatenate(padded), np.repeat(np.arange(1, length + 1), [len(words) for words in by_length]))


def asked(formulas: Sequence[Formula], letters: str, length: int) -> Asked:
    """The formulas on all words up to a length, answered by the exact evaluator."""
    words = short_words(len(letters), length)
    answers = np.zeros((len(formulas), *words.words.shape), bool)
    for n in range(1, length + 1):
        given = np.asarray(all_words(len(letters), n), np.int8)
        for index, formula in enumerate(formulas):
            answers[index, words.lengths == n, :n] = evaluate(formula, given, letters)
    return Asked(tuple(program(formula, letters) for formula in formulas), words, answers)

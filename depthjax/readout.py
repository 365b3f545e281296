"""How the outputs of a network are read as answers: labels, scores of classes or one logit, for every letter or for the word.

=====================  =======================================  =============================
outputs                shape, or without the axis of letters    the answer
=====================  =======================================  =============================
labels                 (batch, length) or (batch, length, 1)    the label: integers, truth values, or floats that are whole
scores of k classes    (batch, length, k)                       the class with the largest score
one logit              (batch, length) or (batch, length, 1)    1 if the logit is above the threshold 0, else 0
=====================  =======================================  =============================

Outputs that can be read in two ways are refused, with the way to say what is meant.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from depthjax import dtypes

__all__ = ["NO_ANSWER", "Head", "head_of"]

NO_ANSWER = -1
"""Stands where a network answers NaN."""


@dataclasses.dataclass(frozen=True)
class Head:
    """A way to read outputs.

    Attributes:
        whole: Whether there is one answer for the word, and not one for every letter.
        reads: "labels", "scores" or "logit".
        threshold: A logit above it is the answer 1; None where nobody said it, and 0 is meant.
    """

    whole: bool
    reads: str
    threshold: float | int | None = None

    def answers(self, outputs: Any, tokens: tuple[int, int]) -> np.ndarray:
        """Return the answers, shape (batch,) or (batch, length); `NO_ANSWER` where an output is NaN.

        Args:
            outputs: What the network gave.
            tokens: The shape of what it was given, (batch, length).

        Raises:
            ValueError: The outputs have another shape than before, or cannot be read in this way.
        """
        numbers, slack = _array(outputs)
        numbers = self._aligned(numbers, outputs, tokens)
        if self.reads == "scores":
            wrong = np.isnan(numbers).any(axis=-1) if dtypes.is_inexact(numbers.dtype) else np.zeros(numbers.shape[:-1], bool)
            return np.where(wrong, NO_ANSWER, numbers.argmax(axis=-1))
        numbers = numbers[..., 0]
        if dtypes.is_exact(numbers.dtype):
            return numbers.astype(int)
        nothing = np.isnan(numbers)
        if self.reads == "logit":
            return np.where(nothing, NO_ANSWER, numbers > (self.threshold or 0.0))
        if not _whole_numbers(numbers, slack):
            other = numbers[~nothing & ~(np.abs(numbers - np.rint(numbers)) <= slack) | (numbers < 0)][0]
            raise ValueError(
                f"the network answered whole numbers, labels, to its first words, and now {other:.6g}: return integers, or "
                "logits with an axis of classes"
            )
        return np.where(nothing, NO_ANSWER, np.rint(np.where(nothing, 0, numbers))).astype(int)

    def _aligned(self, numbers: np.ndarray, outputs: Any, tokens: tuple[int, int]) -> np.ndarray:
        """The numbers as (batch, classes) or (batch, length, classes), with one class for labels and logits."""
        lead = tokens[:1] if self.whole else tokens
        if numbers.shape == lead:
            numbers = numbers[..., None]
        elif self.whole and numbers.ndim == 3 and numbers.shape[:2] == (tokens[0], 1):
            numbers = numbers[:, 0]
        if numbers.shape[:-1] != lead or not numbers.shape[-1] or (self.reads != "scores" and numbers.shape[-1] != 1):
            raise _strange(outputs, tokens)
        return numbers


def head_of(
    ask: Callable[[np.ndarray], Any], tokens: np.ndarray, *, classes: int | None = None, threshold: float | int | None = None
) -> Head:
    """Return how the outputs of a network are to be read.

    Args:
        ask: The network.
        tokens: Different words of one length, (batch, length), which are asked; shorter ones too where shapes do not decide.
        classes: Number of right answers, if it is known.
        threshold: A single logit above it is the answer 1. None reads the sign, and refuses numbers that all lie between 0 and
            1, as probabilities do.

    Raises:
        TypeError: The outputs are complex, or no numbers; or the threshold is no real number.
        ValueError: They have no shape that can be read, or can be read in two ways; the message says what to do. Or the
            threshold is not finite.

    >>> head_of(lambda tokens: tokens[:, :, None] - 0.5, np.array([[0, 1, 1]]))
    Head(whole=False, reads='logit', threshold=None)
    """
    threshold = _threshold(threshold)
    outputs = ask(tokens)
    numbers, slack = _array(outputs)
    shape, (batch, length) = numbers.shape, tokens.shape
    rounded = dtypes.is_inexact(numbers.dtype)
    if shape == (batch,):
        whole, last = True, 1
    elif shape == (batch, length):
        ambiguous = length > 1 and (rounded or _one_hot(numbers))
        whole, last = _by_shorter_words(ask, tokens, length) if ambiguous else (False, 1)
    elif len(shape) == 2 and shape[0] == batch and shape[1] == 1:
        whole, last = True, 1
    elif len(shape) == 2 and shape[0] == batch and shape[1] and (rounded or _one_hot(numbers)):
        whole, last = _by_shorter_words(ask, tokens, shape[1]) if length > 1 else (True, shape[1])
    elif len(shape) == 3 and shape[:2] == (batch, length) and shape[2]:
        whole, last = False, shape[2]
    elif len(shape) == 3 and shape[:2] == (batch, 1) and shape[2]:
        whole, last = True, shape[2]
    else:
        raise _strange(outputs, tokens.shape)
    if last > 1 or (classes == 1 and len(shape) > 1 + (not whole)):  # an axis of one class, where there is one
        if classes is not None and last < classes:
            raise ValueError(
                f"apply returned {numbers.dtype} of shape {shape}: {last} scores for each answer, and there are {classes} "
                f"answers; expected {classes} scores, or the answers as integers"
            )
        if not rounded:
            _refuse_bits(numbers)
        return Head(whole, "scores")
    if not rounded or (threshold is None and _whole_numbers(numbers, slack)):
        return Head(whole, "labels")
    if classes is not None and classes > 2:
        raise ValueError(
            f"the network gives one number that is not whole, shape {shape}, for each answer: one logit tells 2 answers apart, "
            f"and there are {classes}; give {classes} scores, or the answers as integers"
        )
    if threshold is None:
        _refuse_probabilities(numbers[~np.isnan(numbers)])
    return Head(whole, "logit", threshold)


def _threshold(given: Any) -> float | None:
    if given is None:
        return None
    number = np.asarray(given)
    if number.ndim or dtypes.number(number.dtype) not in (int, float):
        raise TypeError(f"threshold = {given!r:.60}: expected one real number, such as 0.5 for probabilities")
    if not np.isfinite(dtypes.wide(number)):
        raise ValueError(f"threshold = {given!r}: expected a finite number, because every logit lies on one side of others")
    return float(number)


def _by_shorter_words(ask: Callable[[np.ndarray], Any], tokens: np.ndarray, count: int) -> tuple[bool, int]:
    """Whether numbers (batch, count) are scores of whole words, and how many; else there is one for every letter."""
    batch, length = tokens.shape
    shorter = np.shape(ask(tokens[:, :-1]))
    if shorter == (batch, count):
        return True, count
    if count == length and shorter == (batch, length - 1):
        return False, 1
    raise ValueError(
        f"apply returned shape {(batch, count)} for words of {length} letters and {shorter} for words of {length - 1}: "
        "expected one number of classes, or one number for each letter"
    )


def _array(outputs: Any) -> tuple[np.ndarray, float]:
    """The outputs as numbers of numpy, and half of the digits of their type: so far a label may lie from a whole number."""
    given = np.asarray(outputs)
    numbers = dtypes.wide(given)
    if dtypes.number(numbers.dtype) not in (bool, int, float):
        raise TypeError(
            f"apply returned {numbers.dtype}: expected logits (real numbers) or integer answers, because answers are classes"
        )
    return numbers, dtypes.eps(given.dtype) ** 0.5 if dtypes.is_inexact(given.dtype) else 0.0


def _whole_numbers(numbers: np.ndarray, slack: float) -> bool:
    """Whether numbers are labels up to rounding: 0, 1, 2, ...; NaN aside, of which there must be others."""
    there = numbers[~np.isnan(numbers)]
    if not there.size or not np.isfinite(there).all():
        return False
    whole = np.rint(there)
    return bool((whole >= 0).all() and (np.abs(there - whole) <= slack).all())


def _one_hot(numbers: np.ndarray) -> bool:
    """Whether every row of integers has one largest entry, as scores and one-hot codes have."""
    return bool(((numbers == numbers.max(axis=1, keepdims=True)).sum(axis=1) == 1).all())


def _refuse_probabilities(numbers: np.ndarray) -> None:
    if numbers.size and numbers.min() >= 0 and numbers.max() <= 1:
        raise ValueError(
            f"the network gives one number for each answer, and all are between 0 and 1 ({numbers.min():.3g} to "
            f"{numbers.max():.3g}), as probabilities are: by its sign each would be the answer 1. Say threshold=0.5 for "
            "probabilities, threshold=0 for logits, or return integer answers"
        )


def _refuse_bits(scores: np.ndarray) -> None:
    """Refuse bits of several labels: integers along a last axis are scores, or a one-hot code."""
    tied = np.argwhere((scores == scores.max(axis=-1, keepdims=True)).sum(axis=-1) > 1)
    if len(tied) and scores.min() >= 0 and scores.max() <= 1:
        raise ValueError(
            f"apply returned zeros and ones such as {scores[tuple(tied[0])].astype(int).tolist()}, of which no one is the "
            "largest: expected scores or a one-hot code along the last axis, one answer; return the number of the answer"
        )


def _strange(outputs: Any, tokens: tuple[int, ...]) -> ValueError:
    given = np.asarray(outputs)
    return ValueError(
        f"apply returned {given.dtype} of shape {given.shape} for tokens of shape {tuple(tokens)}: expected logits "
        "(batch, length, classes), or one logit or integer answers (batch, length), at every position; or logits "
        "(batch, classes), one logit or integer answers (batch,), for the whole word. Wrap the network, and drop the answer at "
        "a beginning-of-sequence token"
    )

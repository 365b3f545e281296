"""Which part of what a network returns is its answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

__all__ = ["Answer", "Answered", "answer_of", "check_answer", "one_array"]

Answer = int | str | tuple | Callable[[Any], Any] | None
"""A number, a key or an attribute, several of these one after the other, or a function of the outputs; None for all."""


@dataclasses.dataclass(frozen=True)
class Answered:
    """A function whose outputs hold its answer somewhere."""

    function: Callable[..., Any]
    answer: Any

    def __call__(self, *arguments: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        return one_array(answer_of(self.function(*arguments), self.answer))


def check_answer(answer: Any) -> Any:
    """Return `answer` if it can choose a part of outputs.

    Raises:
        TypeError: It is something else.
    """
    parts = answer if isinstance(answer, tuple) else (answer,)
    wrong = [part for part in parts if isinstance(part, bool) or not isinstance(part, (int, str))]
    if answer is None or callable(answer) or (parts and not wrong):
        return answer
    raise TypeError(
        f"answer = {answer!r:.60}: expected which part of the outputs is the answer: a number as 0, a key or attribute as "
        "'logits', a tuple of these, or a function of the outputs"
    )


def answer_of(outputs: Any, answer: Answer) -> Any:
    """Return the part of outputs that is the answer.

    Raises:
        ValueError: The outputs have no such part.
    """
    if answer is None:
        return outputs
    if callable(answer):
        return answer(outputs)
    for step in answer if isinstance(answer, tuple) else (answer,):
        outputs = _part(outputs, step, answer)
    return outputs


def _part(outputs: Any, step: int | str, answer: Any) -> Any:
    if isinstance(outputs, Mapping) and step in outputs:
        return outputs[step]
    if isinstance(step, str) and not isinstance(outputs, Mapping) and hasattr(outputs, step):
        return getattr(outputs, step)
    if isinstance(step, int) and isinstance(outputs, (tuple, list)) and -len(outputs) <= step < len(outputs):
        return outputs[step]
    held = _held(outputs)
    raise ValueError(
        f"answer={answer!r}: the network returns {held[0] if held else 'one array'}, which has no part {step!r}; "
        + (f"say {held[1]}" if held else "leave answer= out, or choose entries by a function, answer=lambda outputs: ...")
    )


def _held(outputs: Any) -> tuple[str, str] | None:
    """What outputs are in words, and how to choose their first part; None if they are one array or number."""
    if isinstance(outputs, Mapping) and outputs:
        return f"a {type(outputs).__name__} ({', '.join(map(repr, outputs))})", f"answer={next(iter(outputs))!r}"
    if isinstance(outputs, tuple) and outputs:
        names = getattr(outputs, "_fields", ())
        shown = ", ".join(names) if names else f"{len(outputs)} parts"
        return f"a {type(outputs).__name__} ({shown})", f"answer={names[0]!r}" if names else "answer=0"
    if isinstance(outputs, list) and any(np.ndim(part) for part in jax.tree.leaves(outputs)):
        return f"a list ({len(outputs)} parts)", "answer=0"
    if isinstance(outputs, (list, int, float, complex, np.generic)) or hasattr(outputs, "shape"):
        return None
    names = [field.name for field in dataclasses.fields(outputs)] if dataclasses.is_dataclass(outputs) else []
    if names:
        return f"a {type(outputs).__name__} ({', '.join(names)})", f"answer={names[0]!r}"
    return f"{outputs!r:.60}", "the part by answer=..., if one is an array"


def one_array(outputs: Any) -> Any:
    """Return what a network gave, if it is one array.

    Raises:
        TypeError: It is a tuple, a dictionary, another object or nothing, as of a network that returns its state too.
    """
    if outputs is None:
        raise TypeError("the network returns None: expected one array, its answers to the tokens")
    held = _held(outputs)
    if held is not None:
        raise TypeError(f"the network returns {held[0]}: expected one array, the answers; say which part they are, {held[1]}")
    return outputs

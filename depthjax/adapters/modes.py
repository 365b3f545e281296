"""Networks in training mode, by their parts that say so, and networks whose answers depend on more than the word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

__all__ = ["SWITCHES", "training", "training_parts", "unsteady"]

SWITCHES = ("inference", "deterministic", "use_running_average")
"""Attributes of layers of equinox and flax that are False while they train."""


def training(part: Any) -> str:
    """Return how a layer says that it is in training mode, such as "Dropout (deterministic=False)"; empty if it does not."""
    switch = next((name for name in SWITCHES if getattr(part, name, None) is False), "")
    if switch:
        return f"{type(part).__name__} ({switch}=False)"
    if getattr(part, "training", None) is True and _trains_otherwise(part):
        return f"{type(part).__name__} (training=True)"
    return ""


def _trains_otherwise(part: Any) -> bool:
    """Whether a layer of PyTorch in training mode computes something else than in evaluation mode."""
    drops = any(isinstance(rate := getattr(part, name, None), (int, float)) and rate > 0 for name in ("p", "dropout"))
    return drops or getattr(part, "running_mean", None) is not None


def training_parts(network: Any) -> tuple[str, ...]:
    """Return the parts of a network that say that they are in training mode, such as a Dropout that is not deterministic.

    >>> class Dropout:
    ...     deterministic = False
    >>> class Network:
    ...     def __init__(self):
    ...         self.layers = [Dropout()]
    >>> training_parts(Network())
    ('Dropout (deterministic=False)',)
    """
    return tuple(sorted({said for part in _parts(network) if (said := training(part))}))


def _parts(network: Any) -> Iterator[Any]:
    """The objects inside a network, each once: attributes, items of lists and dictionaries, and the object of a method."""
    waiting, seen = [getattr(network, "__self__", network)], set()
    while waiting and len(seen) < 10_000:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, (str, bytes, int, float, complex, np.ndarray, jax.Array, type)):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, (list, tuple)):
            waiting += part
        elif hasattr(part, "__dict__") and not callable(getattr(part, "__code__", None)):
            waiting += vars(part).values()


def unsteady(network: Any, word: str, one: str, other: str) -> str:
    """Return what is said of a network that answers a word differently in another batch, and what to do about it."""
    parts = training_parts(network)
    remedy = (
        f"it is in training mode: {', '.join(parts)}; switch to evaluation"
        if parts
        else "switch off what is random or looks at the whole batch, such as Dropout and BatchNorm in training mode"
    )
    return f"the network is not a function of the word: {word} has other answers in another batch, {one} and {other}; {remedy}"

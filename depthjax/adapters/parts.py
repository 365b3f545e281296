"""A network as a hashable function and its parameters, so that networks of one structure share one compiled program."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

__all__ = ["ARRAYS", "NUMBERS", "ApplyPair", "CallableTree", "Itself", "Plain", "Split", "With", "hashable", "split"]

ARRAYS = (jax.Array, np.ndarray)
NUMBERS = (*ARRAYS, np.generic, int, float, complex)


@dataclass(frozen=True)
class Split:
    """A tree without its arrays and numbers, which are data: what is left of it is part of the program."""

    structure: Any
    fixed: tuple[Hashable, ...]

    def joined(self, data: Any) -> Any:
        """Return the tree with these data."""
        leaves = [own if given is None else given for own, given in zip(self.fixed, data, strict=True)]
        return jax.tree.unflatten(self.structure, leaves)


def split(tree: Any, kinds: tuple[type, ...]) -> tuple[Split, list[Any]]:
    """Return a tree without the leaves of these kinds, and these leaves, None in the place of the others."""
    leaves, structure = jax.tree.flatten(tree)
    given = [isinstance(leaf, kinds) for leaf in leaves]
    fixed = tuple(None if data else leaf for data, leaf in zip(given, leaves, strict=True))
    return Split(structure, fixed), [leaf if data else None for data, leaf in zip(given, leaves, strict=True)]


@dataclass(frozen=True)
class Plain:
    """A function without parameters."""

    function: Callable[..., Any]

    def __call__(self, data: Any, *arguments: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        return self.function(*arguments)


@dataclass(frozen=True)
class ApplyPair:
    """A function whose first argument holds its parameters."""

    function: Callable[..., Any]
    rest: Split

    def __call__(self, data: Any, *arguments: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        return self.function(self.rest.joined(data), *arguments)


@dataclass(frozen=True)
class CallableTree:
    """A callable tree of arrays: the arrays are its parameters."""

    rest: Split

    def __call__(self, data: Any, *arguments: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        return self.rest.joined(data)(*arguments)


@dataclass(frozen=True, eq=False)
class With:
    """A function some of whose arguments are given, as by `functools.partial`."""

    function: Callable[..., Any]
    first: tuple[Any, ...]
    named: Mapping[str, Any]

    def __call__(self, data: Any, *arguments: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        return self.function(data, *self.first, *arguments, **self.named)


@dataclass(frozen=True, eq=False)
class Itself:
    """A function that cannot be hashed: it equals itself alone."""

    function: Callable[..., Any]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        return self.function(*arguments, **named)


def hashable(part: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function itself if it can be hashed, else one that equals itself alone."""
    try:
        hash(part)
    except TypeError:
        return Itself(part)
    return part

"""The shapes of what a scan reads: axes have names, and one name has one size in all arrays of a call."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array

__all__ = ["Axes"]


class Axes:
    """The names of the axes of arrays that are read together.

    Args:
        why: Why their sizes must fit each other, as the end of a sentence.
        **axes: For each array the names of its axes, such as "length *batch n"; a name with a star stands for any number of
            axes, and may stand once.

    >>> Axes("h = A h", matrix="n n", state="n").check(matrix=jnp.eye(2), state=jnp.ones(3))
    Traceback (most recent call last):
    ValueError: state has shape (3,): expected (n = 2), because h = A h
    """

    def __init__(self, why: str, **axes: str) -> None:
        self._why, self._axes = why, axes

    def check(self, **given: Any) -> None:
        """Refuse arrays that do not fit each other; nothing is said of other arguments, nor of arrays that are None.

        Raises:
            ValueError: An array has too few or too many axes, or an axis has another size than its name has in an array before.
        """
        sizes: dict[str, tuple[int, ...]] = {}
        for name, axes in self._axes.items():
            if given.get(name) is not None:
                _bind(name, tuple(np.shape(given[name])), axes.split(), sizes, self._why)

    def arrays(self, *, inexact: bool = True, **given: Any) -> list[Array]:
        """Return arrays as JAX arrays if they fit each other.

        Args:
            inexact: Whether they hold floating point or complex numbers, all of one type; else anything.
            **given: The arrays.

        Raises:
            ValueError: As `check`.
            TypeError: Some array holds no numbers of this kind, or two arrays have different types.
        """
        found = {name: array if isinstance(array, Tracer) else jnp.asarray(array) for name, array in given.items()}
        self.check(**found)
        first, one = next(iter(found.items()))
        for name, array in found.items() if inexact else ():
            if not jnp.issubdtype(array.dtype, jnp.inexact):
                raise TypeError(
                    f"{name} holds {array.dtype}: expected floating point numbers, because {self._why}; convert with .astype"
                )
            if array.dtype != one.dtype:
                raise TypeError(f"{first} is {one.dtype} and {name} {array.dtype}: convert one of them with .astype")
        return list(found.values())


def _bind(name: str, shape: tuple[int, ...], axes: list[str], sizes: dict[str, tuple[int, ...]], why: str) -> None:
    """Give every axis its size, or compare it with the size that its name has."""
    star = next((place for place, axis in enumerate(axes) if axis.startswith("*")), None)
    more = len(shape) - len(axes) + 1  # axes that the star stands for
    if more == 1 or (star is not None and more >= 0):
        place, own = 0, dict[str, tuple[int, ...]]()
        for number, axis in enumerate(axes):
            wide = more if number == star else 1
            size = shape[place : place + wide]
            place += wide
            if sizes.get(axis, own.get(axis, size)) != size:
                break
            own[axis] = size
        else:
            sizes |= own
            return
    expected = ", ".join(_shown(axis, sizes) for axis in axes)
    raise ValueError(f"{name} has shape {shape}: expected ({expected}), because {why}")


def _shown(axis: str, sizes: dict[str, tuple[int, ...]]) -> str:
    """An axis with the size that it has in the arrays before."""
    if axis not in sizes:
        return axis
    return f"{axis} = {sizes[axis]}" if axis.startswith("*") else f"{axis} = {sizes[axis][0]}"

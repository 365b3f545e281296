"""The shapes of what a scan reads: axes have names, and one name has one size in all arrays of a call."""

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array

__all__ = ["fitting"]


def fitting(why: str, inexact: bool = True, **arrays: tuple[object, str]) -> list[Array]:
    """Return arrays as JAX arrays if their axes fit each other.

    Args:
        why: Why they must, as the end of a sentence.
        inexact: Whether they hold floating point or complex numbers, all of one type; else anything.
        **arrays: Each array with the names of its axes, such as "length *batch n"; a name with a star stands for any number of
            axes, and may stand once.

    Raises:
        ValueError: An array has too few or too many axes, or an axis has another size than its name has in an array before.
        TypeError: Some array holds no numbers of this kind, or two arrays have different types.

    >>> fitting("h = A h", matrix=(jnp.eye(2), "n n"), state=(jnp.ones(3), "n"))
    Traceback (most recent call last):
    ValueError: state has shape (3,): expected (n = 2), because h = A h
    """
    sizes: dict[str, tuple[int, ...]] = {}
    found: list[Array] = []
    for name, (given, axes) in arrays.items():
        array = given if isinstance(given, Tracer) else jnp.asarray(given)  # type: ignore[arg-type]
        _bind(name, tuple(np.shape(array)), axes.split(), sizes, why)
        if inexact and not jnp.issubdtype(array.dtype, jnp.inexact):
            raise TypeError(f"{name} holds {array.dtype}: expected floating point numbers, because {why}; convert with .astype")
        if inexact and found and array.dtype != found[0].dtype:
            first = next(iter(arrays))
            raise TypeError(f"{first} is {found[0].dtype} and {name} {array.dtype}: convert one of them with .astype")
        found.append(array)
    return found


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

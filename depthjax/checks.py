"""The few guards on user input, with one voice: what was given, what was expected, why, what to do."""

import jax
import jax.numpy as jnp
import numpy as np


def at_least(name: str, value: int, smallest: int, why: str = "") -> int:
    """Return `value` if it is an integer of at least `smallest`.

    Raises:
        TypeError: `value` is not an integer (a bool is not one either).
        ValueError: it is too small.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}: it sets the shape of arrays; pass a Python int")
    if value < smallest:
        raise ValueError(f"{name} must be at least {smallest}, got {value}{': ' + why if why else ''}")
    return int(value)


def floating(name: str, array: jax.Array, why: str = "exponentials and fractions of it are taken") -> jax.Array:
    """Return `array` as a JAX array if its entries are real floating point numbers.

    Raises:
        TypeError: the entries are integers, booleans or complex numbers.
    """
    array = jnp.asarray(array)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        raise TypeError(f"{name} must hold floating point numbers, got {array.dtype}: {why}; convert with .astype(float)")
    return array


def dimension(name: str, array: jax.Array, axis: int, size: int, meaning: str) -> None:
    """Refuse an array whose `axis` does not have `size` entries.

    Raises:
        ValueError: the axis is missing or has another size.
    """
    shape = jnp.shape(array)
    given = shape[axis] if -len(shape) <= axis < len(shape) else "no such axis"
    if given != size:
        raise ValueError(f"{name} has shape {shape}: axis {axis} counts {meaning} and must have {size}, got {given}")

"""The same function with as many digits as one likes: the trace of a JAX function is evaluated in mpmath's numbers.

Arrays are numpy's arrays of mpmath numbers. Numbers of float64 are taken over exactly, so only the arithmetic changes, not the
weights. Primitives that are not known are refused by name.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jax.extend import core
from jax.interpreters.partial_eval import dce_jaxpr

__all__ = ["exactly", "in_long_arithmetic"]


def exactly(array: Any) -> np.ndarray:
    """Return the array with mpmath numbers as entries, complex or real, each exactly the one that it was.

    >>> exactly(np.array([0.5, 2.0])).tolist()
    [mpf('0.5'), mpf('2.0')]
    """
    array = np.asarray(array)
    if array.dtype == object:
        return array
    entry = (lambda z: mpmath.mpc(complex(z))) if np.iscomplexobj(array) else (lambda x: mpmath.mpf(float(x)))
    return _each(entry)(array)


def in_long_arithmetic(function: Callable, *like: Any) -> Callable:
    """Return the function of arrays of mpmath numbers that does what this JAX function does, with mpmath's digits.

    Digits are those of `mpmath.mp` when the result is called. It takes arguments of the same structure and shapes as `like`.

    Raises:
        NotImplementedError: When called, if the function uses a primitive for which there is no rule here.

    Cost: about a microsecond for every operation on a number, and ten for every primitive of the trace.

    >>> root = in_long_arithmetic(lambda x: jnp.exp(x) - 1, jnp.ones(1))
    >>> with mpmath.workdps(50):
    ...     print(mpmath.nstr(root(exactly([1e-20]))[0], 17))
    9.9999999999999995e-21
    """
    traced, shape = jax.make_jaxpr(function, return_shape=True)(*like)
    tree = jax.tree.structure(shape)
    jaxpr, _ = dce_jaxpr(traced.jaxpr, [True] * tree.num_leaves, instantiate=True)  # without what no result depends on

    def run(*given: Any) -> Any:
        leaves = [exactly(leaf) for leaf in jax.tree.leaves(given)]
        return jax.tree.unflatten(tree, _evaluated(jaxpr, traced.consts, leaves))

    return run


def _evaluated(jaxpr: Any, consts: Any, given: list[np.ndarray]) -> list[np.ndarray]:
    known: dict[Any, Any] = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *given), strict=True))
    for equation in jaxpr.eqns:
        values = [part.val if isinstance(part, core.Literal) else known[part] for part in equation.invars]
        inner = equation.params.get("call_jaxpr", equation.params.get("jaxpr"))
        if inner is not None:
            results = _evaluated(inner.jaxpr, inner.consts, values)
        elif (rule := _RULES.get(equation.primitive.name)) is None:
            raise NotImplementedError(f"no rule for the primitive {equation.primitive.name!r} in long arithmetic: add one")
        else:
            results = rule(*map(_real_numbers, values), **equation.params)
        several = results if equation.primitive.multiple_results else [results]
        known.update(zip(equation.outvars, map(np.asarray, several), strict=True))
    return [part.val if isinstance(part, core.Literal) else known[part] for part in jaxpr.outvars]


def _real_numbers(value: Any) -> np.ndarray:
    """Floats become mpmath numbers; indices and truth values stay."""
    value = np.asarray(value)
    return exactly(value) if jnp.issubdtype(value.dtype, jnp.inexact) else value


def _each(function: Callable) -> Callable:
    vectorised = np.frompyfunc(function, 1, 1)
    return lambda x, **_: np.asarray(vectorised(x), dtype=object)


def _broadcast(x: np.ndarray, *, shape: tuple, broadcast_dimensions: tuple, **_: Any) -> np.ndarray:
    sizes = [1] * len(shape)
    for axis, size in zip(broadcast_dimensions, x.shape, strict=True):
        sizes[axis] = size
    return np.broadcast_to(x.reshape(sizes), shape)


def _dot(x: np.ndarray, y: np.ndarray, *, dimension_numbers: tuple, **_: Any) -> np.ndarray:
    (summed_x, summed_y), (batch_x, batch_y) = dimension_numbers
    free_x, free_y = (
        [axis for axis in range(part.ndim) if axis not in (*summed, *batch)]
        for part, summed, batch in ((x, summed_x, batch_x), (y, summed_y, batch_y))
    )
    sizes = [x.shape[axis] for axis in batch_x], [x.shape[axis] for axis in free_x], [y.shape[axis] for axis in free_y]
    batch, rows, columns = (int(np.prod(part, dtype=int)) for part in sizes)
    left = x.transpose(*batch_x, *free_x, *summed_x).reshape(batch, rows, -1)
    right = y.transpose(*batch_y, *summed_y, *free_y).reshape(batch, -1, columns)
    return (left @ right).reshape(*(size for part in sizes for size in part))


def _select(which: np.ndarray, *cases: np.ndarray, **_: Any) -> np.ndarray:
    return np.choose(which.astype(int), cases)


def _converted(x: np.ndarray, *, new_dtype: Any, **_: Any) -> np.ndarray:
    return exactly(x) if jnp.issubdtype(new_dtype, jnp.inexact) else x.astype(new_dtype)


def _split(x: np.ndarray, *, sizes: tuple, axis: int, **_: Any) -> list[np.ndarray]:
    return np.split(x, np.cumsum(sizes)[:-1], axis)


def _sliced(x: np.ndarray, *, start_indices: tuple, limit_indices: tuple, strides: tuple | None, **_: Any) -> np.ndarray:
    steps = strides or (1,) * x.ndim
    return x[tuple(slice(*bounds) for bounds in zip(start_indices, limit_indices, steps, strict=True))]


def _iota(*, shape: tuple, dimension: int, **_: Any) -> np.ndarray:
    return np.indices(shape)[dimension]


_RULES: dict[str, Callable] = {
    "abs": _each(abs),
    "add": lambda x, y, **_: x + y,
    "broadcast_in_dim": _broadcast,
    "complex": lambda x, y, **_: np.asarray(np.frompyfunc(mpmath.mpc, 2, 1)(x, y), dtype=object),
    "concatenate": lambda *parts, dimension: np.concatenate(parts, dimension),
    "convert_element_type": _converted,
    "copy": lambda x, **_: x,
    "cos": _each(lambda x: mpmath.cos(x)),
    "div": lambda x, y, **_: x / y,
    "dot_general": _dot,
    "eq": lambda x, y, **_: np.asarray(x == y, dtype=bool),
    "exp": _each(lambda x: mpmath.exp(x)),
    "imag": _each(lambda z: mpmath.im(z)),
    "integer_pow": lambda x, *, y, **_: x**y,
    "iota": _iota,
    "log1p": _each(lambda x: mpmath.log1p(x)),
    "logistic": _each(lambda x: 1 / (1 + mpmath.exp(-x))),
    "max": lambda x, y, **_: np.maximum(x, y),
    "mul": lambda x, y, **_: x * y,
    "ne": lambda x, y, **_: np.asarray(x != y, dtype=bool),
    "neg": lambda x, **_: -x,
    "real": _each(lambda z: mpmath.re(z)),
    "reduce_sum": lambda x, *, axes, **_: x.sum(axis=tuple(axes)),
    "reshape": lambda x, *, new_sizes, **_: x.reshape(new_sizes),
    "rsqrt": _each(lambda x: 1 / mpmath.sqrt(x)),
    "select_n": _select,
    "sin": _each(lambda x: mpmath.sin(x)),
    "slice": _sliced,
    "split": _split,
    "squeeze": lambda x, *, dimensions, **_: np.squeeze(x, tuple(dimensions)),
    "sub": lambda x, y, **_: x - y,
    "tanh": _each(lambda x: mpmath.tanh(x)),
    "transpose": lambda x, *, permutation, **_: x.transpose(permutation),
}

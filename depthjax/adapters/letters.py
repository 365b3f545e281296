"""The letters that a network knows: what it looks up beyond its rows, JAX answers in silence."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify
from jax.extend.core import ClosedJaxpr, Jaxpr, jaxpr_as_fun

from depthjax.adapters.network import adapted

__all__ = ["unknown_letters"]


def unknown_letters(network: Any, letters: Sequence[int], shape: tuple[int, int]) -> Sequence[int]:
    """Return the letters for which a network has no row: it would read another letter's row in silence, or a row of zeros.

    JAX clamps an index that is too large, and ``jax.nn.one_hot`` gives zeros for it, so the answers do not show it. Where the
    network looks rows up, it is run with every index checked; where it spells letters by ``one_hot``, the size of that code is
    read off its program. One that JAX cannot trace is asked, and says by an error what it does not know. All three know the
    letters up to some number, so the first unknown one is found by bisection.

    Args:
        network: The network.
        letters: The letters that are asked about, from 0 on.
        shape: The shape of tokens that the network takes, (batch, length).

    Cost: one tracing; where the network looks rows up, one more compilation, which serves all networks of its structure, and a
    run for the largest letter.
    """
    network = adapted(network)
    network.settle(np.broadcast_to(np.int32(0), shape))
    function, data = network.function, network.data
    try:
        program = None if network.host else jax.make_jaxpr(function)(data, jax.ShapeDtypeStruct(shape, jnp.int32))
    except Exception:  # what cannot be traced says by itself what it thinks of a letter
        program = None
    size, looks_up = (None, False) if program is None else (_one_hot_size(program.jaxpr), _looks_up(program.jaxpr))

    def unknown(letter: int) -> bool:
        if program is None:
            return _fails(network, np.full(shape, letter, np.int32))
        return (size is not None and letter >= size) or (
            looks_up and _outside(function, data, jnp.full(shape, letter, jnp.int32), program)
        )

    ordered = letters if isinstance(letters, range) else sorted(letters)
    if not unknown(ordered[-1]) or unknown(ordered[0]):  # a network that reads past its arrays on every word means to
        return []
    return ordered[bisect.bisect_left(ordered, True, key=unknown) :]


def _fails(network: Any, tokens: np.ndarray) -> bool:
    try:
        network(tokens)
    except Exception:  # an IndexError of numpy, or what another library says instead
        return True
    return False


def _outside(function: Callable[..., Any], data: Any, tokens: jax.Array, program: ClosedJaxpr) -> bool:
    try:
        return _checked(function, data, tokens)[0].get() is not None
    except Exception:  # checkify does not know every primitive, and counters of flax.nnx do not know checkify
        pass
    try:
        checked = checkify.checkify(jaxpr_as_fun(program), errors=checkify.index_checks)
        return jax.jit(checked)(*jax.tree.leaves((data, tokens)))[0].get() is not None
    except Exception:
        return False


def _call(function: Callable[..., Any], data: Any, tokens: jax.Array) -> Any:
    return function(data, tokens)


_checked = jax.jit(checkify.checkify(_call, errors=checkify.index_checks), static_argnums=0)


def _inner(equation: Any) -> Iterator[Jaxpr]:
    for value in equation.params.values():
        for part in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(part, ClosedJaxpr):
                yield part.jaxpr
            elif isinstance(part, Jaxpr):
                yield part


def _looks_up(jaxpr: Jaxpr) -> bool:
    return any(
        equation.primitive.name in ("gather", "dynamic_slice") or any(map(_looks_up, _inner(equation)))
        for equation in jaxpr.eqns
    )


_SAME = ("broadcast_in_dim", "convert_element_type", "reshape", "transpose", "squeeze", "expand_dims", "copy")
"""Operations after which an entry still is the letter that it was."""


def _one_hot_size(jaxpr: Jaxpr, tokens: tuple[bool, ...] | None = None) -> int | None:
    """The smallest size of a code in which letters, and nothing computed from them, are compared with 0, 1, 2, ...; or None."""
    letters = (
        {jaxpr.invars[-1]} if tokens is None else {var for var, is_token in zip(jaxpr.invars, tokens, strict=True) if is_token}
    )
    counts: dict[Any, int] = {}
    sizes = []
    for equation in jaxpr.eqns:
        name, inputs = equation.primitive.name, [var for var in equation.invars if not hasattr(var, "val")]
        if name == "iota":
            counts[equation.outvars[0]] = equation.params["shape"][equation.params["dimension"]]
        elif name in _SAME:
            letters |= set(equation.outvars) if letters & set(inputs) else set()
            counts |= {equation.outvars[0]: counts[inputs[0]]} if inputs and inputs[0] in counts else {}
        elif name == "eq" and letters & set(inputs):
            sizes += [counts[var] for var in inputs if var in counts]
        for inner in _inner(equation):
            given = equation.invars[len(equation.invars) - len(inner.invars) :]
            if len(given) == len(inner.invars) and name not in ("scan", "while"):
                size = _one_hot_size(inner, tuple(not hasattr(var, "val") and var in letters for var in given))
                sizes += [] if size is None else [size]
    return min(sizes, default=None)

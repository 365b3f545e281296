"""A network of any library as one function of its parameters and its inputs, and what can be said of it before it is asked.

A network is a function ``apply(tokens)``; a pair ``(apply, params)`` with ``apply(params, tokens)``; a callable tree of arrays,
as modules of flax.nnx and equinox are; or a module of flax.linen with its variables bound. What is compiled is a hashable
function whose parameters are data, so networks of one structure share one program.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify
from jax.extend.core import ClosedJaxpr, Jaxpr

__all__ = ["NOT_TRACEABLE", "compiled", "one_array", "program", "taken_apart", "training_parts", "unknown_letters", "unsteady"]

NOT_TRACEABLE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
"""What JAX raises where it cannot trace a function: numpy, another library, or Python that reads values."""
_EXPECTED = (
    "expected a function apply(tokens), or a pair (apply, params) with apply(params, tokens); pass the module's apply method "
    "together with its parameters"
)


@dataclass(frozen=True)
class _Plain:
    """A function without parameters."""

    function: Callable[..., Any]

    def __call__(self, data: Any, *arguments: Any) -> Any:
        return self.function(*arguments)


@dataclass(frozen=True, eq=False)
class _Itself:
    """A function that cannot be hashed: it equals itself alone."""

    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


@dataclass(frozen=True)
class _Split:
    """A tree without its arrays and numbers, which are data: what is left of it is part of the program."""

    structure: Any
    fixed: tuple[Hashable, ...]

    def joined(self, data: Any) -> Any:
        """Return the tree with these data."""
        leaves = [own if given is None else given for own, given in zip(self.fixed, data, strict=True)]
        return jax.tree.unflatten(self.structure, leaves)


@dataclass(frozen=True)
class _Pair:
    """A function whose first argument holds its parameters."""

    function: Callable[..., Any]
    rest: _Split

    def __call__(self, data: Any, *arguments: Any) -> Any:
        return self.function(self.rest.joined(data), *arguments)


@dataclass(frozen=True)
class _Linen:
    """A module of flax.linen without variables; modules with equal fields are equal."""

    module: Any

    def __call__(self, data: Any, *arguments: Any) -> Any:
        return self.module.apply(data, *arguments)


@dataclass(frozen=True)
class _Tree:
    """A callable tree of arrays, such as a module of flax.nnx or equinox: the arrays are its parameters."""

    rest: _Split

    def __call__(self, data: Any, *arguments: Any) -> Any:
        return self.rest.joined(data)(*arguments)


def taken_apart(network: Any) -> tuple[Callable[..., Any], Any]:
    """Return a network as a hashable function of (parameters, *arguments), and its parameters.

    Raises:
        TypeError: This module does not know such a network; the message says which ones it knows, and what to pass.
    """
    if isinstance(network, tuple):
        return _pair(network)
    if not callable(network):
        raise TypeError(f"network = {network!r:.60}: {_EXPECTED}")
    if callable(getattr(network, "unbind", None)) and hasattr(network, "scope"):  # a module of flax.linen
        if network.scope is None:
            raise TypeError(
                f"network = {network!r:.60} has no variables: expected module.bind(variables), or a pair "
                "(module.apply, variables)"
            )
        module, variables = network.unbind()
        return _hashable(_Linen(module)), variables
    if jax.tree.leaves(network) == [network]:
        return _hashable(_Plain(network)), ()
    rest, data = _split(network, (jax.Array, np.ndarray))
    return _hashable(_Tree(rest)), data


def _split(tree: Any, kinds: tuple[type, ...]) -> tuple[_Split, list[Any]]:
    """The tree without the leaves of these kinds, and these leaves, None in the place of the others."""
    leaves, structure = jax.tree.flatten(tree)
    given = [isinstance(leaf, kinds) for leaf in leaves]
    fixed = tuple(None if data else leaf for data, leaf in zip(given, leaves, strict=True))
    return _Split(structure, fixed), [leaf if data else None for data, leaf in zip(given, leaves, strict=True)]


def _pair(network: tuple) -> tuple[Callable[..., Any], Any]:
    if len(network) != 2 or not callable(network[0]):
        raise TypeError(f"network = {network!r:.60}: {_EXPECTED}")
    function, data = network
    if callable(data) and jax.tree.leaves(data) == [data]:  # a function holds no parameters
        raise TypeError(
            f"network = {type(network).__name__} of two functions: expected a pair (apply, params); haiku.transform and others "
            "return (init, apply): initialise first, params = init(key, tokens), and pass (apply, params), where "
            "apply(params, tokens) gives the answers"
        )
    rest, data = _split(data, (jax.Array, np.ndarray, np.generic, int, float, complex))
    return _hashable(_Pair(function, rest)), data


def _hashable(part: Callable[..., Any]) -> Callable[..., Any]:
    try:
        hash(part)
    except TypeError:
        return _Itself(part)
    return part


@partial(jax.jit, static_argnums=0)
def compiled(function: Callable[..., Any], data: Any, *arguments: Any) -> Any:
    """Return ``function(data, *arguments)``, compiled once for all equal functions and all data of one shape."""
    return function(data, *arguments)


def program(network: Any) -> Callable[..., Any]:
    """Return a network as a compiled function of tokens; as it is where JAX cannot trace it.

    Raises:
        TypeError: As `taken_apart`; a call raises it if the network does not return one array.
    """
    function, data = taken_apart(network)
    own = jax.jit(function) if not data else partial(compiled, function)
    traceable = not _is_compiled(network)

    def answered(tokens: Any) -> Any:
        nonlocal traceable
        if traceable:
            try:
                return one_array(own(data, tokens))
            except NOT_TRACEABLE:
                traceable = False
        return one_array(function(data, tokens))

    return answered


def _is_compiled(network: Any) -> bool:
    """Whether a network is compiled already, perhaps with options of its own."""
    inner = network[0] if isinstance(network, tuple) else network
    while isinstance(inner, partial):
        inner = inner.func
    return hasattr(inner, "lower") and hasattr(inner, "trace")


def one_array(outputs: Any) -> Any:
    """Return what a network gave, if it is one array.

    Raises:
        TypeError: It is a tuple, a dictionary or nothing, as of a network that returns its state too.
    """
    several = isinstance(outputs, (tuple, dict)) or (isinstance(outputs, list) and any(np.ndim(part) for part in outputs))
    if several and outputs:
        first = next(iter(outputs)) if isinstance(outputs, dict) else 0
        held = ", ".join(map(repr, outputs)) if isinstance(outputs, dict) else f"{len(outputs)} parts"
        raise TypeError(
            f"the network returns a {type(outputs).__name__} ({held}): expected one array, the answers; choose it, as in "
            f"lambda tokens: network(tokens)[{first!r}]"
        )
    if outputs is None or several or isinstance(outputs, (str, bytes)):
        raise TypeError(f"the network returns {outputs!r:.60}: expected one array, its answers to the tokens")
    return outputs


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
    found = set()
    for part in _parts(network):
        switch = next((name for name in ("inference", "deterministic", "use_running_average") if hasattr(part, name)), "")
        if switch and getattr(part, switch) is False:
            found.add(f"{type(part).__name__} ({switch}=False)")
    return tuple(sorted(found))


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


def unknown_letters(network: Any, letters: Sequence[int], shape: tuple[int, int]) -> Sequence[int]:
    """Return the letters for which a network has no row: it would read another letter's row in silence, or a row of zeros.

    JAX clamps an index that is too large, and ``jax.nn.one_hot`` gives zeros for it, so the answers do not show it. Where the
    network looks rows up, it is run with every index checked; where it spells letters by ``one_hot``, the size of that code is
    read off its program. Both know the letters up to some number, so the first unknown one is found by bisection.

    Args:
        network: The network.
        letters: The letters that are asked about, from 0 on.
        shape: The shape of tokens that the network takes, (batch, length).

    Cost: one tracing; where the network looks rows up, one more compilation, which serves all networks of its structure, and a
    run for the largest letter.
    """
    function, data = taken_apart(network)
    try:
        program = jax.make_jaxpr(function)(data, jax.ShapeDtypeStruct(shape, jnp.int32)).jaxpr
    except Exception:  # what cannot be traced says by itself what it thinks of a letter
        return []
    size, looks_up = _one_hot_size(program), _looks_up(program)

    def unknown(letter: int) -> bool:
        return (size is not None and letter >= size) or (
            looks_up and _outside(function, data, jnp.full(shape, letter, jnp.int32))
        )

    ordered = letters if isinstance(letters, range) else sorted(letters)
    if not unknown(ordered[-1]) or unknown(ordered[0]):  # a network that reads past its arrays on every word means to
        return []
    return ordered[bisect.bisect_left(ordered, True, key=unknown) :]


def _outside(function: Callable[..., Any], data: Any, tokens: jax.Array) -> bool:
    try:
        return _checked(function, data, tokens)[0].get() is not None
    except Exception:  # checkify does not know every primitive
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

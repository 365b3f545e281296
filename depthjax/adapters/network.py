"""A network of any library as one function, compiled where JAX can trace it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.adapters import libraries
from depthjax.adapters.answers import Answered, check_answer, one_array
from depthjax.adapters.libraries import NOT_TRACEABLE, library
from depthjax.adapters.modes import training
from depthjax.adapters.parts import ARRAYS, NUMBERS, ApplyPair, CallableTree, Plain, With, hashable, split
from depthjax.arrays import array_of

__all__ = ["Adapted", "adapted", "compiled"]

_EXPECTED = (
    "expected a function apply(tokens), or a pair (apply, params) with apply(params, tokens), or a module of flax, equinox or "
    "PyTorch; pass a module's apply method together with its parameters"
)


@partial(jax.jit, static_argnums=0)
def compiled(function: Callable[..., Any], data: Any, *arguments: Any) -> Any:
    """Return ``function(data, *arguments)``, compiled once for all equal functions and all data of one shape."""
    return function(data, *arguments)


class Adapted:
    """A network as a function of its parameters and its arguments.

    Attributes:
        kind: What it is, such as "a module of flax.nnx".
        function: ``function(data, *arguments)``, hashable, with everything that the network returns.
        data: Its parameters, a tree of arrays.
        answer: Which part of the outputs is the answer.
        host: Whether it is called as it is, because JAX cannot trace it: by numpy, PyTorch, or Python that reads values.
        given: The network as it was given.

    >>> adapted(np.cumsum).kind
    'a function'
    """

    def __init__(self, given: Any, kind: str, function: Callable[..., Any], data: Any = (), *, answer: Any = None):
        self.given, self.kind, self.data, self.answer = given, kind, data, check_answer(answer)
        self.function = hashable(function)
        self.host = isinstance(function, libraries.Torch)
        self._settled = kind != _EQUINOX or type(given).__name__ == "_VmapWrapper"  # of equinox.filter_vmap: over the batch
        self._jitted, self._own = _is_jitted(given), None

    @property
    def note(self) -> str:
        """What a reader of an answer should know of how the network was asked; empty for compiled ones."""
        return f"{self.kind}, called through numpy: slow" if isinstance(self.function, libraries.Torch) else ""

    @property
    def apply(self) -> Callable[..., Any]:
        """``apply(data, *arguments)``, hashable, which returns the answer."""
        return Answered(self.function, self.answer)

    def __call__(self, *arguments: Any) -> Any:
        """Return the answer to tokens, an array; of JAX where the network is compiled, else of numpy.

        Raises:
            TypeError: The network does not return one array, or does not take such arguments.
            ValueError: Its parameters do not fit, it trains, or its outputs have no part `answer`.
        """
        self.settle(*arguments[:1])
        try:
            if not self.host and not self._jitted:
                try:
                    return self._compiled(*arguments)
                except NOT_TRACEABLE:
                    self.host = True
            found = self.apply(self.data, *arguments)
        except Exception as error:
            if isinstance(self.function, Plain) and libraries.wants_tensors(error):
                self.kind, self.host, self.function = "a function of PyTorch", True, libraries.Torch(self.function.function)
                return self(*arguments)
            if type(error).__name__ == "TraceContextError":
                raise TypeError(
                    f"{self.given!r:.60} holds a module of flax.nnx, whose counters JAX may not change from inside a function: "
                    "pass the module itself, or a pair as in (lambda module, tokens: module(tokens)[0], module)"
                ) from error
            raise
        return found if isinstance(found, jax.Array) else array_of(found)

    def _compiled(self, *arguments: Any) -> Any:
        if isinstance(self.function, Plain) and self.answer is None:  # its program goes when the function does
            self._own = self._own or jax.jit(self.function.function)
            try:
                return one_array(self._own(*arguments))
            except TypeError as error:
                if "not a valid JAX type" not in str(error):
                    raise
        return compiled(self.apply, self.data, *arguments)

    def settle(self, tokens: Any = None) -> None:
        """Decide whether a module of equinox reads a word or a batch, by what it takes of tokens (batch, length).

        Raises:
            TypeError: It takes both, and answers differently.
        """
        if self._settled or np.ndim(tokens) != 2:
            return
        self._settled = True
        length = np.shape(tokens)[1]
        rows = 8 if length != 8 else 9
        by_word = hashable(libraries.Words(self.function))
        batch, word = (_takes(function, self.data, (rows, length)) for function in (self.function, by_word))
        if batch is word is None:
            words = np.random.default_rng(0).integers(0, 2, (rows, length)).astype(np.int32)
            one, other = (compiled(function, self.data, words) for function in (self.function, by_word))
            if not jax.tree.all(jax.tree.map(_same, one, other)):
                raise TypeError(
                    f"{self.given!r:.60}, a module of equinox, takes a word and a batch of words, and answers differently: say "
                    "which it is for, by jax.vmap(module) or by (lambda module, tokens: module(tokens), module)"
                )
        elif word is None:  # as modules of equinox are
            self.function = by_word
        elif batch is not None and not isinstance(word, NOT_TRACEABLE):
            raise type(word)(f"{word}. Neither does it take a batch of words: {str(batch).partition(';')[0]}") from word


def _takes(function: Callable[..., Any], data: Any, shape: tuple[int, int]) -> Exception | None:
    """Why a function takes no tokens of a shape; None if it does, and returns something for each of the words."""
    try:
        found = jax.eval_shape(function, data, jax.ShapeDtypeStruct(shape, jnp.int32))
    except Exception as error:  # what it is not made for
        return error
    if any(getattr(leaf, "shape", ())[:1] == shape[:1] for leaf in jax.tree.leaves(found)):
        return None
    return ValueError("nothing that it returns has an axis of words")


def _same(one: Any, other: Any) -> bool:
    one, other = (np.asarray(side, np.complex128 if np.iscomplexobj(side) else float) for side in (one, other))
    size = np.max(np.abs(other), initial=0.0, where=np.isfinite(other)) or 1.0
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-3, atol=1e-3 * size, equal_nan=True)


_EQUINOX = "a module of equinox"


def adapted(network: Any, answer: Any = None) -> Adapted:
    """Return a network of any library as one function of its parameters and its arguments.

    Args:
        network: A function, a pair, or a module; `depthjax.adapters` has the table.
        answer: Which part of the outputs is the answer: a number, a key or an attribute, a tuple of these, or a function of the
            outputs. None where the network returns one array.

    Raises:
        TypeError: It is no network, or `answer` cannot choose; the message says what to pass.
        ValueError: It is a module of PyTorch in training mode.

    >>> network = adapted((lambda params, tokens: {"logits": params * tokens}, 2), answer="logits")
    >>> network.kind, network(np.array([[1, 2]])).tolist()
    ('a pair (apply, params)', [[2, 4]])
    """
    if isinstance(network, Adapted):
        return (
            network if answer is None else Adapted(network.given, network.kind, network.function, network.data, answer=answer)
        )
    return Adapted(network, *_taken(network), answer=answer)


def _taken(network: Any) -> tuple[str, Callable[..., Any], Any]:
    """What a network is, as a function of (parameters, *arguments), and its parameters."""
    owner = getattr(network, "__self__", network)
    home, method = library(owner), getattr(network, "__name__", None) if owner is not network else None
    if home == "haiku":
        raise TypeError(
            f"network = {type(network).__name__} is a pair (init, apply) of functions: expected its parameters too; initialise "
            "first, params = transformed.init(key, tokens), and pass (transformed, params)"
        )
    if isinstance(network, tuple):
        return _pair(network)
    if home == "jax.export" and callable(getattr(owner, "call", None)):
        return "an exported program", libraries.Exported(owner), ()
    if home == "PyTorch":
        return "a module of PyTorch", _of_torch(network), ()
    if not callable(network):
        raise TypeError(f"network = {network!r:.60}: {_EXPECTED}")
    if isinstance(network, type):
        raise TypeError(f"network = {network!r:.60} is a class: expected a module that it makes, with its parameters")
    if home == "flax.linen" and callable(getattr(owner, "unbind", None)):
        if owner.scope is None:
            raise TypeError(
                f"network = {network!r:.60} has no variables: expected module.bind(variables), or a pair (module, variables)"
            )
        module, variables = owner.unbind()
        return "a module of flax.linen", libraries.Linen(module, method), variables
    if home == "flax.nnx" and _is_nnx(owner):
        graph, state = libraries.nnx_parts(owner)
        return "a module of flax.nnx", libraries.Nnx(graph, method), state
    if isinstance(network, functools.partial) and library(getattr(network.func, "__self__", network.func)):
        first, rest = network.func, network.args
        if getattr(first, "__name__", "") == "apply" and rest and _is_unbound(first):  # its first argument is its variables
            first, rest = (first, rest[0]), rest[1:]
        kind, function, data = _taken(first)
        return kind, With(function, rest, network.keywords), data
    if home == "equinox" and not jax.tree_util.all_leaves([owner]):
        rest, data = split(owner, ARRAYS)
        return _EQUINOX, libraries.Equinox(rest, method), data
    if jax.tree.leaves(network) == [network]:
        return "a function", Plain(network), ()
    rest, data = split(network, ARRAYS)
    return "a callable tree", CallableTree(rest), data


def _is_unbound(method: Any) -> bool:
    """Whether a method is one of a module of flax.linen without variables."""
    owner = getattr(method, "__self__", None)
    return library(owner) == "flax.linen" and getattr(owner, "scope", owner) is None


def _pair(network: tuple) -> tuple[str, Callable[..., Any], Any]:
    if len(network) == 3 and library(network[0]) == "haiku":  # with its state
        network = (network[0], tuple(network[1:]))
    if len(network) != 2:
        raise TypeError(f"network = {network!r:.60}: {_EXPECTED}")
    function, data = network
    if callable(data) and not callable(function) and not callable(getattr(function, "apply", None)):
        raise TypeError(f"network = {network!r:.60}: expected the function first, a pair (apply, params)")
    owner = getattr(function, "__self__", function)
    home = library(owner)
    if callable(data) and jax.tree.leaves(data) == [data]:  # a function holds no parameters
        raise TypeError(
            f"network = {type(network).__name__} of two functions: expected a pair (apply, params); haiku.transform and others "
            "return (init, apply): initialise first, params = init(key, tokens), and pass (apply, params), where "
            "apply(params, tokens) gives the answers"
        )
    if home == "flax.linen" and callable(getattr(owner, "apply", None)):
        name = getattr(function, "__name__", None) if owner is not function else None
        return "a module of flax.linen", libraries.Linen(owner, None if name == "apply" else name), data
    if home == "haiku" or str(getattr(function, "__module__", "")).startswith("haiku."):
        return "a function of haiku", libraries.Haiku(getattr(function, "apply", function)), data
    if home == "jax.export" and callable(getattr(owner, "call", None)):
        return "an exported program", libraries.Exported(owner, pair=True), data
    if home == "flax.nnx" and _is_nnx(function):
        raise TypeError("network = a module of flax.nnx and a second object: the module holds its variables; pass it alone")
    if not callable(function) and callable(getattr(function, "apply", None)):  # a model with a method apply(params, tokens)
        function = function.apply
    if not callable(function):
        raise TypeError(f"network = {network!r:.60}: {_EXPECTED}")
    rest, data = split(data, NUMBERS)
    return "a pair (apply, params)", ApplyPair(function, rest), data


def _is_nnx(owner: Any) -> bool:
    return any(
        kind.__module__.startswith("flax.nnx.") and kind.__name__ in ("Module", "Pytree") for kind in type(owner).__mro__
    )


def _of_torch(network: Any) -> Callable[..., Any]:
    if type(network).__name__ == "ExportedProgram":  # of torch.export
        network = network.module()
    owner = getattr(network, "__self__", network)
    if not callable(network):
        raise TypeError(f"network = {network!r:.60}: {_EXPECTED}")
    modules = owner.modules() if callable(getattr(owner, "modules", None)) else ()
    if parts := sorted({said for part in modules if (said := training(part))}):
        raise ValueError(f"the network is in training mode: {', '.join(parts)}; switch to evaluation, as by module.eval()")
    return libraries.Torch(network)


def _is_jitted(network: Any) -> bool:
    """Whether a network is compiled already, perhaps with options of its own."""
    inner = network[0] if isinstance(network, tuple) and network else network
    while isinstance(inner, partial):
        inner = inner.func
    return isinstance(inner, jax.stages.Compiled) or (hasattr(inner, "lower") and hasattr(inner, "trace"))

"""The modules of each library as hashable functions of their parameters; the library is there, since the module is its own."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from depthjax import dtypes
from depthjax.adapters.modes import training, training_parts
from depthjax.adapters.parts import Split

__all__ = [
    "NOT_TRACEABLE",
    "Equinox",
    "Exported",
    "Haiku",
    "Linen",
    "Nnx",
    "Torch",
    "Words",
    "library",
    "nnx_parts",
    "wants_tensors",
]

NOT_TRACEABLE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
"""What JAX raises where it cannot trace a function: numpy, another library, or Python that reads values."""
_LIBRARIES = {
    "flax.linen": "flax.linen",
    "flax.nnx": "flax.nnx",
    "equinox": "equinox",
    "haiku": "haiku",
    "torch": "PyTorch",
    "jax._src.export": "jax.export",
}


def library(thing: Any) -> str:
    """Return the library whose class a thing is, by the modules of its classes; empty where it is none of those known here."""
    for kind in type(thing).__mro__:
        for root, name in _LIBRARIES.items():
            if kind.__module__ == root or kind.__module__.startswith(root + "."):
                return name
    return ""


@contextlib.contextmanager
def explained(kind: str, arguments: tuple[Any, ...], network: Any = None) -> Iterator[None]:
    """Say of a failure inside a library what was called, and what may be wrong; its own error stands behind."""
    try:
        yield
    except NOT_TRACEABLE:
        raise
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        first, name = lines[0].partition(" (http")[0], type(error).__name__
        shapes = ", ".join(f"{part.dtype}{list(part.shape)}" for part in arguments if hasattr(part, "dtype"))
        if name in ("InvalidRngError", "MissingRNGError", "ModifyScopeVariableError"):
            hint = "it is in training mode, where it draws random numbers or moves averages; build it for evaluation"
        elif parts := training_parts(network):
            hint = f"it is in training mode: {', '.join(parts)}; switch to evaluation"
        elif name == "ScopeCollectionNotFound":
            hint = "pass all variables, as module.init returns them: {'params': ...}"
        elif isinstance(error, TypeError) and "argument" in first:
            hint = "tokens are all that it is given; pass a function of the tokens that gives the rest"
        else:
            hint = "look whether its parameters fit, and whether it reads integer tokens (batch, length)"
        kinds = TypeError if isinstance(error, TypeError) else ValueError
        raise kinds(f"the network, {kind}, fails on {shapes or 'its arguments'}: {name}: {first:.300}; {hint}") from error


@dataclass(frozen=True)
class Equinox:
    """A module of equinox: its arrays are its parameters."""

    rest: Split
    method: str | None = None

    def __call__(self, data: Any, *arguments: Any, **named: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        module = self.rest.joined(data)
        with explained("a module of equinox", arguments, module):
            return (module if self.method is None else getattr(module, self.method))(*arguments, **named)


@dataclass(frozen=True)
class Linen:
    """A module of flax.linen without variables; modules with equal fields are equal."""

    module: Any
    method: str | None = None

    def __call__(self, data: Any, *arguments: Any, **named: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        with explained("a module of flax.linen", arguments):
            return self.module.apply(data, *arguments, method=self.method, **named)


@dataclass(frozen=True)
class Nnx:
    """The graph of a module of flax.nnx; what its variables hold is data, and a call changes copies of them."""

    graph: Any
    method: str | None = None

    def __call__(self, data: Any, *arguments: Any, **named: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        nnx = import_module("flax.nnx")
        module = nnx.merge(self.graph, data)
        trained = [(said, part, _held(part)) for _, part in nnx.iter_modules(module) if (said := training(part))]
        with explained("a module of flax.nnx", arguments, module):
            outputs = (module if self.method is None else getattr(module, self.method))(*arguments, **named)
        used = sorted({said for said, part, before in trained if any(a is not b for a, b in zip(before, _held(part)))})  # noqa: B905
        if used:
            raise ValueError(f"the network is in training mode: {', '.join(used)}; switch to evaluation, as by module.eval()")
        return outputs


def _held(part: Any) -> list[Any]:
    """What the variables of a module of flax.nnx hold: other objects once it was written to."""
    nnx = import_module("flax.nnx")
    return [variable.get_value() for _, variable in nnx.to_flat_state(nnx.state(part))]


def nnx_parts(module: Any) -> tuple[Any, Any]:
    """Return the graph of a module of flax.nnx, and what its variables hold."""
    return import_module("flax.nnx").split(module)


@dataclass(frozen=True)
class Haiku:
    """The `apply` of `haiku.transform` or `transform_with_state`; random numbers are not given, and new states are dropped."""

    apply: Callable[..., Any]

    def __call__(self, data: Any, *arguments: Any, **named: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        names = list(inspect.signature(self.apply).parameters)
        stateful = names[1:2] == ["state"]
        if stateful and not (isinstance(data, (tuple, list)) and len(data) == 2):
            raise TypeError("haiku.transform_with_state needs its state: pass (transformed, (params, state))")
        given = (*data,) if stateful else (data,)
        if "rng" in names[: len(given) + 1]:
            given = (*given, None)
        with explained("a function of haiku", arguments):
            outputs = self.apply(*given, *arguments, **named)
        return outputs[0] if stateful else outputs


@dataclass(frozen=True, eq=False)
class Torch:
    """A module of PyTorch, asked without gradients; it takes and returns arrays of the host."""

    function: Callable[..., Any]

    def __call__(self, data: Any, *arguments: Any, **named: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        torch = sys.modules["torch"]
        owner = getattr(self.function, "__self__", self.function)
        parameters = owner.parameters() if callable(getattr(owner, "parameters", None)) else iter(())
        device = getattr(next(parameters, None), "device", "cpu")
        arrays = [np.asarray(argument) for argument in arguments]
        arrays = [np.array(array, np.int64 if dtypes.is_integer(array.dtype) else array.dtype) for array in arrays]
        with explained("a module of PyTorch", tuple(arrays)), torch.no_grad():
            return self.function(*[torch.as_tensor(array).to(device) for array in arrays], **named)


def wants_tensors(error: Exception) -> bool:
    """Whether a function fails because it was given no tensor of PyTorch, which it asked for or whose method it called."""
    if "torch" not in sys.modules:
        return False
    called = getattr(error, "name", None) if isinstance(error, AttributeError) else None
    return (isinstance(error, TypeError) and "must be Tensor, not" in str(error)) or (
        isinstance(called, str) and hasattr(sys.modules["torch"].Tensor, called)
    )


@dataclass(frozen=True, eq=False)
class Exported:
    """A program of `jax.export`; tokens are its last input, and a fixed number of words is asked batch by batch."""

    program: Any
    pair: bool = False

    def __call__(self, data: Any, *arguments: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        tokens, asks = self.program.in_avals[-1], "the exported program"
        if not dtypes.is_integer(tokens.dtype) or tokens.ndim not in (1, 2):
            raise TypeError(f"{asks} reads {tokens.str_short()}: expected integer tokens, (batch, length) or (length,), last")
        first = (data,) if self.pair else ()
        words = jnp.asarray(arguments[0]).astype(tokens.dtype)
        length = tokens.shape[-1]
        if isinstance(length, int) and words.shape[1] != length:
            raise ValueError(
                f"{asks} reads words of {length} letters, and is given {words.shape[1]}: ask for length={length} (one that "
                "answers whole words is asked shorter ones too), or export it with jax.export.symbolic_shape('batch, length')"
            )
        with explained("an exported program", (words,)):
            if tokens.ndim == 1:
                return jax.lax.map(lambda word: self.program.call(*first, word), words)
            rows = tokens.shape[0]
            if not isinstance(rows, int) or rows == len(words):
                return self.program.call(*first, words)
            pieces = -(-len(words) // rows)
            filled = jnp.concatenate([words, jnp.broadcast_to(words[:1], (pieces * rows - len(words), words.shape[1]))])
            found = jax.lax.map(lambda part: self.program.call(*first, part), filled.reshape(pieces, rows, -1))
            return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:])[: len(words)], found)


@dataclass(frozen=True)
class Words:
    """A function of one word, vmapped over the batch."""

    function: Callable[..., Any]

    def __call__(self, data: Any, tokens: Any) -> Any:
        """Return what the network gives for these parameters and arguments."""
        return jax.vmap(self.function, in_axes=(None, 0))(data, tokens)

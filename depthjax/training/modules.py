"""A network of any library for training: its initialisation, its outputs and its loss as functions of a tree of parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Integer

from depthjax import dtypes
from depthjax.adapters.network import Adapted, adapted
from depthjax.tasks.words import Batch
from depthjax.training.losses import cross_entropy

__all__ = ["Trainable", "trainable"]


class Trainable(NamedTuple):
    """A network as `depthjax.training.ensemble` and `depthjax.training.fit` take it.

    Attributes:
        init: key -> parameters, the rounded numbers of the network that this key makes.
        apply: (params, tokens) -> answers, so that ``(apply, params)`` is a network for laws and probes.
        loss: (params, batch, depth) -> (mean loss, metrics); the depth is that of the network, and not read.

    >>> Trainable._fields
    ('init', 'apply', 'loss')
    """

    init: Callable[[Array], Any]
    apply: Callable[[Any, Array], Array]
    loss: Callable[..., tuple[Array, dict[str, Array]]]


def trainable(
    make: Any,
    tokens: Integer[Array, "batch length"] | Integer[np.ndarray, "batch length"],
    *,
    answer: Any = None,
    loss: Callable[[Array, Batch], tuple[Array, dict[str, Array]]] = cross_entropy,
) -> Trainable:
    """Return initialisation, outputs and loss of a network of any library, for `ensemble`.

    What is no rounded number (counters, keys of random numbers) stays as the first key makes it, and a running average is a
    parameter that no gradient moves, so networks are given in evaluation mode.

    Args:
        make: key -> a network as `depthjax.adapters` takes it: ``lambda key: Model(nnx.Rngs(key))``,
            ``lambda key: Model(key=key)`` in equinox, ``lambda key: (module, module.init(key, tokens))`` in flax.linen and
            haiku.
        tokens: An example of what the network reads; it is asked once.
        answer: Which part of the outputs is the answer, as in answer="logits".
        loss: (answers, batch) -> (mean loss, metrics).

    Raises:
        TypeError: What it makes is no network, or one through which JAX takes no gradients (numpy, PyTorch, an exported
            program), or does not return one array.
        ValueError: It has no parameters, its parameters do not fit, or it trains.

    >>> from depthjax.training import Recipe, ensemble
    >>> look_up = lambda params, tokens: params[tokens]
    >>> model = trainable(lambda key: (look_up, jax.random.normal(key, (2, 2), "float32")), np.zeros((2, 3), int))
    >>> sample = lambda key: Batch(jnp.zeros((2, 3), int), jnp.ones((2, 3), int), jnp.ones((2, 3), "float32"))
    >>> runs = ensemble(jax.random.key(0), model.init, model.loss, sample, Recipe(steps=2, record_every=1), depths=[1], seeds=2)
    >>> model.apply(jax.tree.map(lambda leaf: leaf[0, 0], runs.fit.params), jnp.zeros((1, 3), int)).shape
    (1, 3, 2)
    """
    if not callable(make):
        raise TypeError(f"make = {make!r:.60}: expected a function of a key that returns a network, lambda key: Model(key=key)")
    first = adapted(make(jax.random.key(0)), answer)
    first(np.asarray(tokens))
    if first.host or first.kind == "an exported program":
        raise TypeError(f"{first.given!r:.60}, {first.kind}, gives JAX no gradients: expected a network that is written in JAX")
    fixed = [None if _moves(leaf) else leaf for leaf in jax.tree.leaves(first.data)]
    structure, call = jax.tree.structure(first.data), first.apply
    if all(leaf is not None for leaf in fixed):
        raise ValueError(f"{first.given!r:.60} is {first.kind} without parameters of rounded numbers: nothing can be trained")

    def init(key: Array) -> list[Any]:
        return _moving(adapted(make(key)))

    def apply(params: list[Any], tokens: Array) -> Array:
        moving = iter(params)
        leaves = [jnp.asarray(next(moving)) if leaf is None else leaf for leaf in fixed]  # finished runs are of numpy
        return call(jax.tree.unflatten(structure, leaves), tokens)

    def loss_at(params: list[Any], batch: Batch, depth: Any) -> tuple[Array, dict[str, Array]]:
        return loss(apply(params, batch.tokens), batch)

    return Trainable(init, apply, loss_at)


def _moves(leaf: Any) -> bool:
    return dtypes.is_inexact(getattr(leaf, "dtype", None) or np.asarray(leaf).dtype)


def _moving(network: Adapted) -> list[Any]:
    """The leaves that are rounded numbers, in the order of the tree."""
    return [leaf for leaf in jax.tree.leaves(network.data) if _moves(leaf)]

"""Attention patterns of trained transformers, and their likeness to a map of positions."""

from functools import partial
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Integer

from depthjax.checks import in_alphabet, marked
from depthjax.models import SequenceModel


def attention_patterns(
    model: SequenceModel, params: dict[str, Any], word: Integer[Array, " length"]
) -> Float[Array, "depth heads length length"]:
    """Return the softmax weights of every layer and head on one word; the model is a transformer.

    Raises:
        ValueError: The model is of another kind, or a letter is out of range (under jit: NaN).
    """
    if model.kind != "transformer":
        raise ValueError(f"attention patterns need a transformer, got {model.kind!r}: other kinds have no attention")
    return _patterns(model, params, in_alphabet("word", word, model.letters))


@partial(jax.jit, static_argnums=0)
def _patterns(model: SequenceModel, params: dict[str, Any], word: Array) -> Array:
    seen: list[Array] = []

    def watch(method: Any, args: Any, named: Any, context: Any) -> Any:
        result = method(*args, **named)
        if context.method_name == "weights":
            seen.append(result[0])
        return result

    x = marked(params["embedding"][word], word < 0)[:, None]
    if "positions" in params:
        x = x + params["positions"][: len(word), None]
    for index in range(model.max_depth):
        layer = jax.tree.map(lambda part, index=index: part[index], params["layers"])
        with nn.intercept_methods(watch):
            x = model.layer.apply({"params": layer}, x)
    return jnp.stack(seen)


def likeness(pattern: Float[Array, "*heads rows columns"], ideal: Float[Array, "rows columns"]) -> Float[Array, "*heads"]:
    """Return the cosine of the angle between attention and a 0/1 map of positions, as matrices; rows without a 1 do not count.

    After the published code of Sanford, Hsu and Telgarsky, whose score is <A, F> / (|A| |F|) over all rows.
    """
    counted = pattern * ideal.any(axis=1)[(None,) * (pattern.ndim - 2)][..., None].astype(pattern.dtype)
    lengths = jnp.linalg.norm(counted, axis=(-2, -1)) * jnp.linalg.norm(ideal)
    return jnp.einsum("...ij,ij->...", counted, ideal) / jnp.maximum(lengths, jnp.finfo(pattern.dtype).tiny)

"""Attention patterns of a trained transformer beside those of the construction that computes the same number of hops."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

from depthjax.constructions.hop import hop_transformer
from depthjax.models import SequenceModel
from depthjax.probe.patterns import attention_patterns, likeness
from depthjax.tasks.hops import find_power

ROWS = ("ideal", "constructed", "trained")


def hop_patterns(
    model: SequenceModel, params: dict, word: Integer[Array, " length"], alphabet: int, hops: int
) -> Float[np.ndarray, "rows layers positions positions"]:
    """Return, for every layer, where it should look, where the construction looks, and the trained head that is most like it.

    The construction is that of the causal route. Its layer 1 should look at the letter before, and layer j + 2 at find^(2^j).

    Args:
        model: Transformer whose tokens are the letters and the questions, as in `hop_batch`.
        params: Its parameters.
        word: Letters, without a question.
        alphabet: Number of letters.
        hops: Number of hops of the construction, and of the question that the trained transformer is asked.

    Raises:
        ValueError: another kind of model, a letter out of range, or a number of layers that is not that of the construction.
    """
    length = len(word)
    built, weights = hop_transformer(hops, length, alphabet, "causal")
    if built.depth != model.max_depth:
        raise ValueError(f"{hops} hops take {built.depth} layers by construction; the trained model has {model.max_depth}")
    constructed = np.stack([layer["attention"] for layer in built.trace(weights, word)[1:]])
    targets = [jnp.arange(length)] + [find_power(word[None], alphabet, 2**j)[0] for j in range(built.depth - 1)]
    row = jnp.arange(length + 1)
    ideal = jnp.stack([(row[None, :] == jnp.pad(t, (1, 0))[:, None]) & (row[:, None] * row[None, :] > 0) for t in targets])
    ideal = ideal.astype(jnp.float32)
    question = jnp.array([alphabet + hops - 1], word.dtype)
    heads = attention_patterns(model, params, jnp.concatenate([question, word]))
    trained = [head[jnp.argmax(likeness(head, layer))] for head, layer in zip(heads, ideal, strict=True)]
    return np.stack([np.asarray(ideal), constructed, np.stack(trained)])

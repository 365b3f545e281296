"""Attention patterns of a trained transformer beside those of the construction that computes the same number of hops."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

from depthjax.checks import at_least
from depthjax.constructions.directions.hop import hop_transformer, reach
from depthjax.models import SequenceModel
from depthjax.tasks.hops import find_power
from experiments.attention.hop_training_depth.patterns import attention_patterns, likeness

ROWS = ("ideal", "constructed", "trained")


def hop_patterns(
    model: SequenceModel, params: dict, word: Integer[Array, " length"]
) -> Float[np.ndarray, "rows layers positions positions"]:
    """Return, for every layer, where it should look, where the construction looks, and the trained head that is most like it.

    The construction is that of the strict route for the most hops that as many layers reach. Its layer 1 should look at the
    last earlier occurrence of the letter, and layer j + 2 at find^(2^j).

    Args:
        model: Transformer of at least two layers whose tokens are the letters.
        params: Its parameters.
        word: Letters.

    Raises:
        ValueError: another kind of model, fewer layers, or a letter out of range.
    """
    depth = at_least("layers", model.max_depth, 2, "one layer reaches no hop")
    built, weights = hop_transformer(reach(depth, "strict"), len(word), model.letters, "strict")
    constructed = np.stack([layer["attention"][1:, 1:] for layer in built.trace(weights, word)[1:]])
    found = [find_power(word[None], model.letters, 2**j)[0] for j in range(depth - 1)]
    targets = [found[0] - 1, *found]  # one-based; a match stands before the position that is found
    column = jnp.arange(1, len(word) + 1)
    ideal = jnp.stack([(column[None, :] == target[:, None]) for target in targets]).astype(jnp.float32)
    heads = attention_patterns(model, params, word)
    trained = [head[jnp.argmax(likeness(head, layer))] for head, layer in zip(heads, ideal, strict=True)]
    return np.stack([np.asarray(ideal), constructed, np.stack(trained)])

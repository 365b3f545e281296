"""What is said of a trained sequence model: accuracies by token and by word, and how long a prefix it gets wholly right.

Positions of weight 0 do not count; a beginning-of-sequence token counts for accuracies, as published, and lengths are in
group letters, without it.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Integer

WHOLE = 0.9  # the share of words that must be right through a position


def correct(
    logits: Float[Array, "batch positions classes"],
    labels: Integer[Array, "batch positions"],
    weights: Float[Array, "batch positions"],
) -> Bool[Array, "batch positions"]:
    """Return where the largest logit is the label's, or the position does not count."""
    found = logits.argmax(axis=-1)
    # in the wider type: a class may not fit the labels', nor a large label the classes'
    return (found == labels.astype(found.dtype)) | (weights == 0)


def word_accuracy(right: Bool[Array, "batch positions"], weights: Float[Array, "batch positions"]) -> dict[str, Array]:
    """Return "token": the share of positions that are right; "sequence": the share of words with every position right."""
    token = jnp.where(right, weights, 0).sum() / weights.sum()
    return {"token": token, "sequence": right.all(axis=1).mean(dtype=weights.dtype)}


def longest_prefix(right: Bool[Array, "batch positions"], bos: bool, share: float = WHOLE) -> Int[Array, ""]:
    """Return the most letters t such that at least `share` of the words are right at every position through t."""
    whole = jnp.cumprod(right.astype(jnp.int32), axis=1).mean(axis=0, dtype=jnp.float32)
    return jnp.maximum((whole >= share).sum() - int(bos), 0)

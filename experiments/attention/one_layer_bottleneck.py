r"""One attention layer cannot solve the induction head on long words: its sums have too few values.

Statement: let the partial sums of a layer with h heads of width m be p-bit numbers. If h (m + 1) p < n there are two words of
length N = 2 n + 1 over three letters with different answers and the same output of the layer, so it errs on one of them:

    h (m + 1) p >= (N - 1) / 2        is necessary, whatever the embeddings and the MLP.

Derivation: the answer can be any of n bits, so 2^n summaries of the even positions are needed (INDEX). Certificates: the 2^n
distinct rows of the answers are enumerated, and for each layer of an ensemble a fooling pair is found and run.

Hypotheses: sums in fixed point; where h (m + 1) p >= n the bound is vacuous and says so. Source: Sanford, Hsu and Telgarsky for
Omega(N); the constant is derived here. Refuted by: a layer under the bound without a fooling pair. Cost: 10 s on a CPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.hop import hop_transformer
from depthjax.models.one_layer import OneLayer, last_output, partial_sums, random_one_layer
from depthjax.tasks.hops import hop_labels, index_words
from depthjax.tasks.words import all_words
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="one_layer_bottleneck",
    title="One attention layer with h (m + 1) p < (N - 1) / 2 is fooled by two words of the induction head",
    statement=(
        "Whatever its weights, one attention layer with h heads of width m and p-bit sums gives the same output on two words "
        "of length N with different answers if h (m + 1) p < (N - 1) / 2."
    ),
    latex=r"h\,(m+1)\,p \ge \tfrac{N-1}{2}",
    relation=Relation.EQUALS,
    source=Source(
        "Sanford, Hsu, Telgarsky",
        "One-layer Transformers Fail to Solve the Induction Heads Task",
        "arXiv 2408.14332",
        "Theorem 1",
    ),
    assumes=(
        "the partial sums of a head are p-bit numbers in fixed point",
        "h (m + 1) p < (N - 1) / 2, else the bound is vacuous",
    ),
    refuted_by="a layer under the bound with a different summary for each of the 2^n words",
    cost="10 s on a CPU",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number n of bits is the axis; p is the largest under the bound."""

    bits: int = axis(5, 7, 9)
    heads: int = 1
    width: int = 1
    layers: int = 16


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(bits=axis(5, 7, 9, 11), layers=64),
    "paper": Sizes(bits=axis(5, 7, 9, 11, 12), layers=256),
}


def _precision(cell: Sizes) -> int:
    """Bits a number, the most that h (m + 1) p < n allows."""
    return (cell.bits - 1) // (cell.heads * (cell.width + 1))


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """A fooling pair in every layer; at most 2^(h (m + 1) p) summaries where 2^n are needed."""
    numbers = cell.heads * (cell.width + 1) * _precision(cell)
    longest = bounds.one_layer(cell.heads, cell.width, _precision(cell)).at()
    met = Hypothesis(f"not vacuous: the word has more than {longest:g} letters", 2 * cell.bits + 1 > longest)
    return (
        Prediction(cell.layers, of="fooled", hypotheses=(met,)),
        Prediction(2**cell.bits, of="needed"),
        Prediction(2**numbers, of="summaries", relation=Relation.AT_MOST),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """How many layers are fooled by a pair that is found by enumeration and then run through layer and task."""
    words = all_words(2, cell.bits)
    return _fooling(cell, key, _precision(cell)).assign(
        needed=((), len(np.unique(_answers(words), axis=0)), {"long_name": "distinct rows of answers"})
    )


@jax.jit
def _answers(words: jax.Array) -> jax.Array:
    """The task's answer for every word and index."""
    n = words.shape[1]
    columns = [index_words(words, jnp.full(len(words), i, words.dtype)) for i in range(n)]
    return jnp.stack([hop_labels(column, 3, 1)[:, -1] for column in columns], axis=1)


def _fooling(cell: Sizes, key: jax.Array, precision: int) -> xr.Dataset:
    words = all_words(2, cell.bits)
    fooled, most = 0, 0
    for layer_key in jax.random.split(key, cell.layers):
        layer = random_one_layer(layer_key, cell.heads, cell.width, 2 * cell.bits + 1, 3)
        summaries = np.asarray(_summaries(layer, words, precision)).reshape(len(words), -1)
        _, first, which = np.unique(summaries, axis=0, return_index=True, return_inverse=True)
        most = max(most, len(first))
        twins = np.nonzero(first[which.ravel()] != np.arange(len(words)))[0]
        if len(twins):
            pair = words[np.array([first[which.ravel()[twins[0]]], twins[0]])]
            fooled += _is_fooled(layer, pair, precision)
    return xr.Dataset(
        {
            "fooled": ((), fooled, {"long_name": "layers with a fooling pair"}),
            "summaries": ((), most, {"long_name": "distinct summaries"}),
        }
    )


@partial(jax.jit, static_argnums=2)
def _summaries(layer: OneLayer, words: jax.Array, precision: int) -> jax.Array:
    # the index is elsewhere: what the even positions contribute does not depend on it
    asked = index_words(words, jnp.zeros(len(words), words.dtype))
    return partial_sums(layer, asked, jnp.arange(1, asked.shape[1] - 1, 2), precision)


def _is_fooled(layer: OneLayer, pair: jax.Array, precision: int) -> bool:
    """Run both words: the same output, different answers."""
    index = jnp.argmax(pair[0] != pair[1])
    words = index_words(pair, jnp.full(2, index, pair.dtype))
    mine, rest = jnp.arange(1, words.shape[1] - 1, 2), jnp.arange(0, words.shape[1], 2)
    output = last_output(layer, words, mine, rest, precision)
    answers = hop_labels(words, 3, 1)[:, -1]
    return bool((output[0] == output[1]).all() and answers[0] != answers[1])


def _two_layers(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Layers in which two words with different bits get the same outputs: none, if every answer is right."""
    words = all_words(2, cell.bits)
    model, weights = hop_transformer(1, 2 * cell.bits + 1, 3, "causal")
    wrong = 0
    for index in range(cell.bits):
        asked = index_words(words, jnp.full(len(words), index, words.dtype))
        wrong += int((jnp.argmax(model.apply(weights, asked)[:, -1], axis=-1) != words[:, index]).sum())
    return xr.Dataset({"fooled": ((), cell.layers if wrong else 0)})


CONTROLS = (
    Control("two layers", "two layers are fooled as well", lambda cell: Prediction(cell.layers, of="fooled"), _two_layers),
    Control(
        "enough bits",
        "the layers are fooled with sums of 24 bits, where the bound is vacuous",
        lambda cell: Prediction(cell.layers, of="fooled"),
        lambda cell, key: _fooling(cell, key, 24),
    ),
)

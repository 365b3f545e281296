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
from depthjax.probe.fooling import fooling_pairs
from depthjax.tasks.hops import hop_labels, index_words
from depthjax.tasks.words import all_words
from depthjax.verify import UNSHARP, Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
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
    cost="5 s on a CPU; full: a minute",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number n of bits is the axis; p is the largest under the bound."""

    bits: int = axis(4, 8, 12)
    heads: int = 1
    width: int = 1
    layers: int = 16


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(bits=axis(*range(3, 13)), layers=64),
    "paper": Sizes(bits=axis(*range(3, 13)), layers=1000),
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
        Prediction(2**numbers, of="summaries", resolution=UNSHARP, relation=Relation.AT_MOST),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """How many layers are fooled by a pair that is found by enumeration and then run through layer and task."""
    return _fooling(cell, key, _precision(cell)).assign(
        needed=((), len(np.unique(_answers(cell.bits), axis=0)), {"long_name": "distinct rows of answers"})
    )


def _fooling(cell: Sizes, key: jax.Array, precision: int) -> xr.Dataset:
    found = fooling_pairs(
        key, bits=cell.bits, heads=cell.heads, width=cell.width, layers=cell.layers, precision=jnp.asarray(precision)
    )
    return xr.Dataset(
        {
            "fooled": ((), int(found.fooled.sum()), {"long_name": "layers with a fooling pair"}),
            "summaries": ((), int(found.summaries.max()), {"long_name": "distinct summaries"}),
        }
    )


@partial(jax.jit, static_argnums=0)
def _questions(bits: int) -> jax.Array:
    """Every word with every index: index, word, letter."""
    words = all_words(2, bits)
    return jax.vmap(lambda i: index_words(words, jnp.full(len(words), i, words.dtype)))(jnp.arange(bits))


def _answers(bits: int) -> np.ndarray:
    """The task's answer for every word and index."""
    questions = _questions(bits)
    answers = hop_labels(questions.reshape(-1, questions.shape[-1]), 3, 1)[:, -1]
    return np.asarray(answers).reshape(bits, -1).T


def _two_layers(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Layers in which two words with different bits get the same outputs: none, if every answer is right."""
    questions = _questions(cell.bits)
    model, weights = hop_transformer(1, 2 * cell.bits + 1, 3, "causal")
    answers = jnp.argmax(model.apply(weights, questions.reshape(-1, questions.shape[-1]))[:, -1], axis=-1)
    right = np.array_equal(np.asarray(answers).reshape(cell.bits, -1).T, _answers(cell.bits))
    return xr.Dataset({"fooled": ((), 0 if right else cell.layers)})


CONTROLS = (
    Control("two layers", "two layers are fooled as well", lambda cell: Prediction(cell.layers, of="fooled"), _two_layers),
    Control(
        "enough bits",
        "the layers are fooled with sums of 24 bits, where the bound is vacuous",
        lambda cell: Prediction(cell.layers, of="fooled"),
        lambda cell, key: _fooling(cell, key, 24),
    ),
)

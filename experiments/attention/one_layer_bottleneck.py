r"""One attention layer with h (m + 1) p < (N - 1) / 2 is fooled by two words of the induction head.

Statement: Let the partial sums of an attention layer with h heads of width m be p-bit numbers. If h (m + 1) p < (N - 1) / 2,
    two words of length N over three letters have different answers but the same output of the layer, whatever its embeddings
    and its MLP. To solve the induction head a layer therefore needs
    $$ h\,(m+1)\,p \ge \tfrac{N-1}{2} $$
Hypotheses: the partial sums of a head are p-bit numbers in fixed point; h (m + 1) p < (N - 1) / 2, as the bound is vacuous
    otherwise.
Source: Sanford, Hsu, Telgarsky, “One-layer Transformers Fail to Solve the Induction Heads Task”, arXiv 2408.14332, Theorem 1.
Refuted by: a layer under the bound with a different summary for each of the 2^n words, n = (N - 1) / 2.
Cost: quick 5 s on a CPU; full a minute.

The answer can be any of n bits, so the layer needs 2^n different summaries of the positions that hold these bits (the
communication problem INDEX). The source has Omega(N); the constant is derived here. The 2^n distinct rows of answers are
enumerated, and for each layer of an ensemble a fooling pair is found and run through the layer and the task.
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
from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, scaled
from theory import bounds

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Bits n of INDEX, bits p of a number; heads, width and number of the layers."""

    bits: int = axis(4, 8, 12)
    precision: int = axis(1, 3, 5)
    heads: int = 1
    width: int = 1
    layers: int = 16

    def allows(self) -> bool:
        """Whether this is the largest precision under the bound; smaller ones are easier to fool."""
        numbers = self.heads * (self.width + 1)
        return numbers * self.precision < self.bits <= numbers * (self.precision + 1)


GRIDS = {
    "test": Sizes(bits=axis(4), precision=axis(1), layers=4),
    "quick": Sizes(),
    "full": Sizes(bits=axis(*range(3, 13)), precision=axis(*range(1, 6)), layers=64),
    "paper": Sizes(bits=axis(*range(3, 13)), precision=axis(*range(1, 6)), layers=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """A fooling pair in every layer; 2^n summaries are needed, and there are at most 2^(h (m + 1) p)."""
    longest = bounds.one_layer(cell.heads, cell.width, cell.precision).at()
    met = Hypothesis(f"not vacuous: the word has more than {longest:g} letters", 2 * cell.bits + 1 > longest)
    summaries = 2 ** (cell.heads * (cell.width + 1) * cell.precision)
    return (
        Prediction(cell.layers, of="fooled", hypotheses=(met,)),
        Prediction(2**cell.bits, of="needed"),
        Prediction(summaries, of="summaries", relation=Relation.AT_MOST, resolution=UNSHARP),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The layers that are fooled by a pair of words, which is found by enumeration and then run."""
    sizes = {"bits": cell.bits, "heads": cell.heads, "width": cell.width, "layers": cell.layers}
    found = fooling_pairs(key, **sizes, precision=jnp.asarray(cell.precision))
    return measured(
        fooled=Quantity(int(found.fooled.sum()), label="layers with a fooling pair"),
        summaries=Quantity(int(found.summaries.max()), label="distinct summaries"),
        needed=Quantity(len(np.unique(_answers(cell.bits), axis=0)), label="distinct rows of answers"),
    )


@partial(jax.jit, static_argnums=0)
def _questions(bits: int) -> jax.Array:
    """Every word with every index, as rows: all words for index 0, then all for index 1, and so on."""
    words = all_words(2, bits)
    asked = jax.vmap(lambda i: index_words(words, jnp.full(len(words), i, words.dtype)))(jnp.arange(bits))
    return asked.reshape(-1, asked.shape[-1])


def _answers(bits: int) -> np.ndarray:
    """The task's answers: a row for each word, a column for each index."""
    return np.asarray(hop_labels(_questions(bits), 3, 1)[:, -1]).reshape(bits, -1).T


def _two_layers(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Layers in which two words with different answers have the same outputs: none, if every answer is right."""
    model, weights = hop_transformer(1, 2 * cell.bits + 1, 3, "causal")
    answers = jnp.argmax(model.apply(weights, _questions(cell.bits))[:, -1], axis=-1)
    right = np.array_equal(np.asarray(answers).reshape(cell.bits, -1).T, _answers(cell.bits))
    return measured(fooled=Quantity(0 if right else cell.layers))


def _enough_bits(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The same layers with sums of 24 bits, where the bound is vacuous."""
    return measure(dataclasses.replace(cell, precision=24), key)


CONTROLS = (
    control("two layers", "two layers are fooled as well", measure=_two_layers),
    control("enough bits", "the layers are fooled with sums of 24 bits as well", measure=_enough_bits),
)
RIVALS = (scaled(0.5, of="needed", name="half the summaries", statement="the answers need 2^(n - 1) summaries"),)

r"""In one family of counting formulas, k alternating blocks take depth k to recognise and depth k - 2 to predict.

Statement: Let L_k hold the words of k alternating blocks, the first of them of letters a. Explicit one-sided counting formulas
    of depth k recognise L_k, and formulas of depth k - 2 say at every prefix of a word of L_k whether it may end there. Uniform
    attention computes them in as many layers.
    $$ w \in L_k \iff \#[A_k] \ge 1 \wedge \#[B_k] = 0,
       \qquad w_{\le j} \in L_k \iff w_j = s_k \wedge \#[B_{k-2}]_j \ge 1 $$
Hypotheses: counts are exact (float32 here); for prediction, every prefix is one of a word of L_k.
Source: Yang, Cadilhac, Chiang, “Knee-Deep in C-RASP: A Transformer Depth Hierarchy”, arXiv 2506.16055, the depths (the formulas
    are derived here).
Refuted by: a wrong prefix of any word up to the stated length, or another number of layers.
Cost: quick 10 s on one core, full about 5 min.

A_1 = a, A_{m+1} = s and #[A_m] >= 1, where the letter s alternates b, a, ...; B_m is the same with the letters exchanged. One
layer, repeated as often as the depth, gives the truth at every position. The derivation is in `theory.logic.counting`; L_k has
C(n - 1, k - 1) words of length n. The parity of the ones takes depth 2 with counts of both sides.

That less depth is not enough for *any* formula is a theorem of the source. Here less depth of the same family is wrong
(controls), and the layers that these formulas need are measured in networks of k + 1 layers.
"""

import dataclasses
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.compiled.formulas import CompiledFormulas, compile_formulas
from depthjax.probe.layers_needed import fewest_layers
from depthjax.tasks.alternation import block_numbers, may_end
from depthjax.tasks.short_words import short_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
from theory import bounds
from theory.logic import Formula
from theory.logic.counting import block_counts, parity, predictor, recogniser
from theory.logic.program import program

CLAIM = claim(Relation.EQUALS)

LONGEST = 10  # letters of the words whose parity is asked


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of blocks is the axis; all words over two letters of one length, whose prefixes are the shorter ones."""

    k: int = axis(1, 2, 3, 4, 5, 6)
    length: int = 12


GRIDS = {
    "test": Sizes(k=axis(4), length=7),
    "quick": Sizes(),
    "full": Sizes(k=axis(1, 2, 3, 4, 5, 6, 7, 8), length=16),
    "paper": Sizes(k=axis(1, 2, 3, 4, 5, 6, 7, 8), length=18),
}


def objects(cell: Sizes) -> dict[str, CompiledFormulas]:
    """The formulas as networks of one layer that is repeated k + 1 times; shallower formulas of the same families."""

    def network(formula: Formula, letters: str = "ab") -> CompiledFormulas:
        return compile_formulas([program(formula, letters)._replace(depth=cell.k + 1)])

    return {
        "recogniser": network(recogniser(cell.k)),
        "predictor": network(predictor(cell.k)),
        "parity": network(parity(), "01"),
        "shallow_recogniser": network(recogniser(cell.k, max(cell.k - 1, 1))),
        "shallow_predictor": network(predictor(cell.k, max(cell.k - 3, 0))),
        "one_sided_parity": network(parity(two_sided=False), "01"),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No wrong prefix, the depths as layers, and binomial word counts."""
    return (
        Prediction(0, of="wrong_recognised"),
        Prediction(0, of="wrong_predicted"),
        Prediction(block_counts(cell.k, cell.length)[1:], of="accepted", dims=("letters",)),
        Prediction(int(bounds.alternation(cell.k).at()), of="layers_to_recognise"),
        Prediction(int(bounds.alternation(cell.k, "predict").at()), of="layers_to_predict"),
        Prediction(0, of="wrong_parity"),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong prefixes of all words and of all promised words, and the fewest layers without a wrong one."""
    wrong_recognised, to_recognise = _judged(cell, given["recogniser"])
    wrong_predicted, to_predict = _judged(cell, given["predictor"], promised_only=True)
    return measured(
        wrong_recognised=wrong_recognised,
        wrong_predicted=wrong_predicted,
        accepted=_accepted(cell, given["recogniser"]),
        layers_to_recognise=to_recognise,
        layers_to_predict=to_predict,
        wrong_parity=Quantity(_wrong_parity(given["parity"]), label="words whose parity is wrong"),
        letters=np.arange(1, cell.length + 1),
    )


@cache
def _prefixes(cell: Sizes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All words of the length; which of their prefixes are in L_k; which are promised to be prefixes of words of L_k."""
    words = np.indices((2,) * cell.length, np.int32).reshape(cell.length, -1).T
    promised = (words[:, :1] == 0) & np.asarray(block_numbers(jnp.asarray(words)) <= cell.k)
    return words, np.asarray(may_end(jnp.asarray(words), cell.k)), promised


def _accepted(cell: Sizes, network: CompiledFormulas) -> Quantity:
    """How many words of each length are accepted; a prefix of n letters begins 2^(length - n) words."""
    found = np.asarray(network(_prefixes(cell)[0], cell.k + 1))[0].sum(axis=0) // 2 ** np.arange(cell.length - 1, -1, -1)
    return Quantity(found, "letters", label=f"words of a length in L_k, up to {cell.length}")


def _judged(cell: Sizes, network: CompiledFormulas, promised_only: bool = False) -> tuple[Quantity, Quantity]:
    """Wrong prefixes of all words, or of the promised ones, after all layers; and the fewest layers without a wrong one."""
    words, truth, promised = _prefixes(cell)

    def wrong(layers: int) -> int:
        return int(((np.asarray(network(words, layers))[0] != truth) & (promised | (not promised_only))).sum())

    fewest = fewest_layers(wrong, cell.k + 1)
    return Quantity(wrong(cell.k + 1), label="wrong prefixes"), Quantity(fewest, label="layers needed")


def _wrong_parity(network: CompiledFormulas) -> int:
    """Words of length 1, 2, ... whose parity is wrong at the last position; the formula counts ahead, so prefixes do not do."""
    words, lengths = short_words(2, LONGEST)
    odd = np.asarray(network(words, lengths=lengths))[0][np.arange(len(words)), lengths - 1]
    return int((odd != (words.sum(axis=1) % 2 == 1)).sum())


def _shallow_recogniser(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    wrong, layers = _judged(cell, given["shallow_recogniser"])
    accepted = _accepted(cell, given["shallow_recogniser"])
    return measured(wrong_recognised=wrong, accepted=accepted, layers_to_recognise=layers)


def _shallow_predictor(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    wrong, layers = _judged(cell, given["shallow_predictor"], promised_only=True)
    return measured(wrong_predicted=wrong, layers_to_predict=layers)


def _one_sided_parity(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(wrong_parity=Quantity(_wrong_parity(given["one_sided_parity"])))


CONTROLS = (
    control(
        "patterns of k - 1",
        "the recogniser of the same family with patterns one shorter is right",
        measure=_shallow_recogniser,
        where=lambda cell, _: cell.k >= 2,
    ),
    control(
        "a pattern of k - 3",
        "the predictor of the same family with a pattern one shorter is right",
        measure=_shallow_predictor,
        where=lambda cell, _: cell.k >= 3,
    ),
    control("parity from one side", "the formula for parity is right when both counts look back", measure=_one_sided_parity),
)
RIVALS = (
    off_by(-1, of=("layers_to_recognise", "layers_to_predict"), name="one layer fewer"),
    off_by(1, of="accepted", name="one more word of every length"),
)

"""Words of alternating blocks, and networks of counting formulas that recognise or predict them, layer by layer."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.compiled.formulas import CompiledFormulas
from depthjax.instruments.layers_needed import fewest_layers
from depthjax.tasks.alternation import block_numbers, may_end
from depthjax.tasks.short_words import short_words
from depthjax.verify import Cell, Quantity, measured
from experiments.logic._compiled import compiled

LONGEST = 10  # letters of the words whose parity is asked


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong prefixes of all words and of all promised words, and the fewest layers without a wrong one."""
    recogniser, shallow_recogniser = (compiled(given[name]) for name in ("recogniser", "shallow_recogniser"))
    predictor, shallow_predictor = (compiled(given[name]) for name in ("predictor", "shallow_predictor"))
    parities = [_parity(compiled(given[name])) for name in ("parity", "one_sided_parity")]
    to_recognise, to_predict = _layers(cell, recogniser), _layers(cell, predictor, promised_only=True)
    return measured(
        right_recognised=_right(cell, recogniser),
        right_recognised_by_shallow=_right(cell, shallow_recogniser),
        right_predicted=_right(cell, predictor, promised_only=True),
        right_predicted_by_shallow=_right(cell, shallow_predictor, promised_only=True),
        accepted_by_shallow=_accepted(cell, shallow_recogniser),
        accepted=_accepted(cell, recogniser),
        layers_to_recognise=to_recognise,
        layers_to_predict=to_predict,
        right_parity=Quantity(parities[0], label="words whose parity is right"),
        right_parity_from_one_side=Quantity(parities[1], label="the same if both counts look back"),
        letters=np.arange(1, cell.length + 1),
    )


@cache
def _prefixes(cell: Cell) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All words of the length; which of their prefixes are in L_k; which are promised to be prefixes of words of L_k."""
    words = np.indices((2,) * cell.length, np.int32).reshape(cell.length, -1).T
    promised = (words[:, :1] == 0) & np.asarray(block_numbers(jnp.asarray(words)) <= cell.k)
    return words, np.asarray(may_end(jnp.asarray(words), cell.k)), promised


def _accepted(cell: Cell, network: CompiledFormulas) -> Quantity:
    """How many words of each length are accepted; a prefix of n letters begins 2^(length - n) words."""
    found = np.asarray(network(_prefixes(cell)[0], cell.k + 1))[0].sum(axis=0) // 2 ** np.arange(cell.length - 1, -1, -1)
    return Quantity(found, "letters", label=f"words of a length in L_k, up to {cell.length}")


def _right(cell: Cell, network: CompiledFormulas, promised_only: bool = False) -> Quantity:
    """Right prefixes of all words, or of the promised ones, after all layers."""
    words, truth, promised = _prefixes(cell)
    right = np.asarray(network(words, cell.k + 1))[0] == truth
    return Quantity(int((right & (promised | (not promised_only))).sum()), label="right prefixes")


def _layers(cell: Cell, network: CompiledFormulas, promised_only: bool = False) -> Quantity:
    """The fewest layers without a wrong prefix of all words, or of the promised ones."""
    words, truth, promised = _prefixes(cell)

    def wrong(layers: int) -> int:
        return int(((np.asarray(network(words, layers))[0] != truth) & (promised | (not promised_only))).sum())

    return Quantity(fewest_layers(wrong, cell.k + 1), label="layers needed")


def _parity(network: CompiledFormulas) -> int:
    """Words of length 1, 2, ... whose parity is right at the last position; the formula counts ahead, so prefixes do not do."""
    words, lengths = short_words(2, LONGEST)
    odd = np.asarray(network(words, lengths=lengths))[0][np.arange(len(words)), lengths - 1]
    return int((odd == (words.sum(axis=1) % 2 == 1)).sum())

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
    recogniser, predictor, parity = (compiled(given[name]) for name in ("recogniser", "predictor", "parity"))
    wrong_recognised, to_recognise = _judged(cell, recogniser)
    wrong_predicted, to_predict = _judged(cell, predictor, promised_only=True)
    return measured(
        wrong_recognised=wrong_recognised,
        wrong_predicted=wrong_predicted,
        accepted=_accepted(cell, recogniser),
        layers_to_recognise=to_recognise,
        layers_to_predict=to_predict,
        wrong_parity=Quantity(_wrong_parity(parity), label="words whose parity is wrong"),
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


def _judged(cell: Cell, network: CompiledFormulas, promised_only: bool = False) -> tuple[Quantity, Quantity]:
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


def shallow_recogniser(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The recogniser of the same family whose patterns are one shorter, in place of the right one."""
    network = compiled(given["shallow_recogniser"])
    wrong, layers = _judged(cell, network)
    return measured(wrong_recognised=wrong, accepted=_accepted(cell, network), layers_to_recognise=layers)


def shallow_predictor(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The predictor of the same family whose pattern is one shorter, in place of the right one."""
    wrong, layers = _judged(cell, compiled(given["shallow_predictor"]), promised_only=True)
    return measured(wrong_predicted=wrong, layers_to_predict=layers)


def one_sided_parity(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The parity by a formula whose counts both look back, in place of one that counts ahead as well."""
    return measured(wrong_parity=Quantity(_wrong_parity(compiled(given["one_sided_parity"]))))

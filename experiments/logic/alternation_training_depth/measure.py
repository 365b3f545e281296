"""Transformers of each depth that are trained to predict ends of blocks, tested on longer words and on pairs."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.trained import Facts
from depthjax.verify import Cell, Quantity, measured
from experiments.logic.alternation_training_depth import block_prediction
from experiments.logic.alternation_training_depth.block_prediction import (
    TIMES,
    BlockSetup,
    PairAnswers,
    TrainedOnBlocks,
    on_pairs,
    separating_multiple,
    trained,
)
from experiments.logic.alternation_training_depth.common import WHOLE

REFUTING = 8  # seeds of a control: seven that all fail refute it


def measure(cell: Cell, key: jax.Array, pairs: tuple[np.ndarray, np.ndarray]) -> xr.Dataset:
    """Networks of each depth from several seeds, tested on fresh words and on the pairs."""
    found = [trained(key, _setup(cell), cell.seeds, cell.k, depth) for depth in cell.depths]
    said = [on_pairs(_setup(cell), one.params, depth, *pairs) for one, depth in zip(found, cell.depths, strict=True)]
    whole, curves = (np.stack([getattr(one, part) for one in found]) for part in ("whole", "curve"))
    solved, same = np.stack([one.solved(WHOLE, 2) for one in found]), np.stack([one.same for one in said])
    separates, text = separating_multiple(whole[0], whole[1], WHOLE), "words wholly right"
    facts = Facts(*(np.stack(each) for each in zip(*(one.facts for one in found), strict=True)))
    taught = {
        name: Quantity(values, "above seed", floor=floor, label=label) for name, (values, floor, label) in facts.named().items()
    }
    pairs = np.stack([one.pairs for one in found])  # type: ignore[assignment]
    lengths = np.stack([np.asarray(one.lengths, float) for one in found])
    return measured(
        **taught,
        pairs=Quantity(pairs, "above seed", label="pairs of six positions that attention joins"),
        needed=Quantity(_fewest(), label="right words of 1000 that count as solved"),
        lengths=Quantity(lengths, "above seed use extreme", floor=0.0, label="letters of the shortest and of the longest word"),
        solved=Quantity(solved, "above seed", label="seeds that get 9 of 10 words of twice the length right"),
        enough=Quantity(solved[1:], "depth_enough seed", label="the same with k - 2 layers and more"),
        sequence=Quantity(whole, "above seed multiple", label=text),
        separates_from=Quantity(separates, label="least multiple of the training lengths that separates the depths"),
        one_layer_gap=_gap(said[cell.depths.index(1)]) if 1 in cell.depths else Quantity(np.full(cell.seeds, np.nan), "seed"),
        same_on_pairs=Quantity(same, "above seed", label="pairs at whose ends the answers are the same"),
        curve=Quantity(curves, "above seed record", label=f"{text}, in training"),
        multiple=list(TIMES),
        above=[depth - cell.k + 2 for depth in cell.depths],
    )


def _fewest() -> int:
    """How many words of a thousand, of twice the training lengths, must be right to count as solved."""
    shares = np.arange(1001)[:, None] / 1000 * (np.array(TIMES) == 2)
    return int(TrainedOnBlocks(None, shares, *[shares] * 4).solved(WHOLE, 2).argmax())  # type: ignore[arg-type]


def _taught(found: TrainedOnBlocks) -> dict[str, Quantity]:
    """What the networks of a control were taught."""
    facts = found.facts.named() | {
        "lengths": (np.asarray(found.lengths, float), 0.0, "letters of the shortest and of the longest word")
    }
    dims = {"lengths": "seed use extreme"}
    return {
        f"{name}_of_control": Quantity(values, dims.get(name, "seed"), floor=floor, label=label)
        for name, (values, floor, label) in facts.items()
    }


def _setup(cell: Cell) -> BlockSetup:
    return BlockSetup(cell.deepest, cell.width, cell.heads, cell.longest, cell.batch, cell.steps, cell.rate, cell.tests)


def _gap(said: PairAnswers) -> Quantity:
    label = "difference between the ends of a pair over the largest logit, one layer"
    return Quantity(np.asarray(said.gap), "seed", floor=said.floor, label=label)


def permuted(cell: Cell, key: jax.Array, pairs: tuple[np.ndarray, np.ndarray]) -> xr.Dataset:
    """One layer trained on the labels of other positions."""
    found = trained(key, _setup(cell), REFUTING, cell.k, 1, permuted=True)
    learned = Quantity(found.solved(WHOLE, 2)[None], "enough seed", label="seeds that learn")
    return measured(learned=learned, **_taught(found))


def other_counts(cell: Cell, key: jax.Array, pairs: tuple[np.ndarray, np.ndarray]) -> xr.Dataset:
    """One layer at the ends of words of equal length and last letter, the letters before the last exchanged in one of them."""
    others, one = block_prediction.other_counts(*pairs), trained(key, _setup(cell), 1, cell.k, 1)
    return measured(one_layer_gap=_gap(on_pairs(_setup(cell), one.params, 1, others, pairs[1])), **_taught(one))

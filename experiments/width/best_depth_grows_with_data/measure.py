"""Transformers of every depth, trained on sets of words of every size and on endless ones, and tested on new words."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.trained_hops import hop_recipe
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.width.best_depth_grows_with_data.common import EVERY
from experiments.width.best_depth_grows_with_data.repeated_words import ENDLESS, HopErrors, train_on_words

SOON, FEWEST = 8, 20  # times fewer steps are enough for words that alternate, and the fewest steps of a recipe


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Errors of every depth, training set and seed on new words, and which depths are as good as the best."""
    counts = *map(int, cell.words.split()), ENDLESS
    found = _trained(cell, key, counts, cell.steps, alphabet=cell.alphabet)
    errors, seen, mixed = found.fresh, found.seen, found.other
    lowest = errors.min(axis=0)  # not a number where the run of some depth failed
    enough, blind = (_as_good(cell, error, error.min(axis=0)) for error in (errors, mixed))  # type: ignore[arg-type]
    least = 1 + enough.argmax(axis=0)
    growth, by_heart = np.diff(least, axis=0), (seen[-1] <= cell.margin) & (errors[-1] >= 0.5)
    judged = {
        "enough": (enough[:, -1], lowest[-1], "layers seed", "endless words: as good as the best depth"),
        "blind": (blind[:, -1], lowest[-1], "layers seed", "the same by the answers of other words"),
        "one_layer": (enough[0, 0], lowest[0], "seed", "few words: one layer is as good as the best depth"),
        "one_layer_endless": (enough[0, -1], lowest[-1], "seed", "endless words: one layer is as good as the best depth"),
        "by_heart": (by_heart[0], errors[-1, 0], "seed", "few words: known by heart"),
        "by_heart_endless": (by_heart[-1], errors[-1, -1], "seed", "endless words: known by heart"),
        "rises": ((growth >= 0).all(axis=0), lowest.min(axis=0), "seed", "the number of layers that is enough does not fall"),
        "falls": ((growth <= 0).all(axis=0), lowest.min(axis=0), "seed", "the number of layers that is enough does not rise"),
    }
    allowed = int(_as_good(cell, np.arange(1001) / 1000, 0.0).sum()) - 1
    trained = {
        name: Quantity(values, "layers words seed", floor=floor, label=label)
        for name, (values, floor, label) in found.facts.named().items()
    }
    return measured(
        **trained,
        pairs=Quantity(found.pairs, "layers words seed", floor=0.0, label="pairs of six positions that attention joins"),
        allowed=Quantity(allowed, label="errors in 1000 that are as good as none"),
        layers=_layers(cell),
        words=Quantity(np.array(counts), "words", label="training words"),
        hops=np.array(EVERY[: cell.largest]),
        error=Quantity(errors, "layers words seed hops", label="share of wrong answers on new words"),
        least=Quantity(least, "words seed hops", label="layers that are enough"),
        **{
            f"{name}_{k}": Quantity(where_trained(those, known)[..., k - 1], dims, label=f"hop_{k}, {label}")
            for name, (those, known, dims, label) in judged.items()
            for k in EVERY[: cell.largest]
        },
    )


def of_two_letters(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Which depths are as good as the best on endless words of two letters, in place of all letters."""
    steps = max(cell.steps // SOON, FEWEST)
    errors = np.asarray(_trained(cell, key, (ENDLESS,), steps, alphabet=2, layout="masked").fresh)[:, 0]
    lowest = errors.min(axis=0)
    enough = where_trained(_as_good(cell, errors, lowest), lowest)
    return measured(
        layers=_layers(cell),
        **{f"enough_{k}": Quantity(enough[..., k - 1], "layers seed") for k in EVERY[: cell.largest]},
    )


def _as_good(cell: Cell, error: np.ndarray, best: np.ndarray | float) -> np.ndarray:
    return np.asarray(error <= best + cell.margin)


def _layers(cell: Cell) -> np.ndarray:
    return np.arange(1, cell.depths + 1)


def _trained(cell: Cell, key: jax.Array, counts: Sequence[int], steps: int, **sizes: Any) -> HopErrors:
    """Errors of every depth, number of training words, seed and k."""
    sizes |= {name: getattr(cell, name) for name in ("length", "largest", "batch", "width", "heads", "mlp", "seeds", "tests")}
    recipe = hop_recipe(steps, cell.rate)
    runs = [train_on_words(key, recipe, counts, depth=int(n), deepest=cell.depths, **sizes) for n in _layers(cell)]
    return jax.tree.map(lambda *parts: np.stack(parts), *runs)

"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.towers.group import AbelianTable
from depthjax.training import Recipe
from depthjax.verify import Cell, Quantity, measured
from experiments.training.expressible_not_learned.phase_network import Weights, exact, initial
from experiments.training.expressible_not_learned.phase_starts import STARTS, moved, trained_from_starts, wrong_positions

SCALE = 10.0  # of the right logit in the constructed weights: a probability above 0.999 for up to 20 elements


WHOLE = 0.99  # share of words with every position right that counts as solved


WORDS = ("started near the constructed weights", "from random weights", "from given phases", "started far away")


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of the exact weights on long words; accuracies of every seed from every start along its training."""
    solution = exact(_stages(given), given["elements"], SCALE)
    if not cell.trained:
        return measured(constructed_errors=_errors(cell, key, given, solution))
    recipe = Recipe(cell.steps, cell.learning_rate, schedule="constant", record_every=cell.steps // cell.budgets)
    sizes = {name: getattr(cell, name) for name in ("seeds", "batch", "length", "near", "far")}
    whole, apart, finite = trained_from_starts(key, solution, _stages(given), given["table"], recipe, **sizes)
    solved = np.where(finite[..., None], whole >= WHOLE, np.nan)
    kept, found, with_phases, from_far = (
        Quantity(rows.T, "budget seed", label=f"solved, {words}") for rows, words in zip(solved, WORDS, strict=True)
    )
    return measured(
        start=list(STARTS),
        budget=recipe.record_every * np.arange(1, cell.budgets + 1),
        constructed_errors=_errors(cell, key, given, solution),
        kept=kept,
        found=found,
        found_with_phases=with_phases,
        kept_from_far=from_far,
        accuracy=Quantity(whole, "start seed budget", label="sequence accuracy on fresh words"),
        distance=Quantity(apart, "start seed", label="distance of trained from constructed weights, relative"),
    )


def _errors(cell: Cell, key: jax.Array, given: dict, weights: Weights) -> Quantity:
    """Wrong positions of fixed weights on words longer than those of the training."""
    drawn, longer = jax.random.fold_in(key, 0), cell.times * cell.length
    wrong = wrong_positions(drawn, weights, _stages(given), given["table"], cell.words, longer)
    return Quantity(wrong, label="wrong positions of the constructed weights")


def untrained(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of the moved weights before they are trained."""
    order = len(given["table"])
    solution = exact(_stages(given), given["elements"], SCALE)
    direction = initial(jax.random.fold_in(key, 1), _stages(given), order, order)
    return measured(constructed_errors=_errors(cell, key, given, moved(solution, direction, cell.near)))


def _stages(given: dict) -> tuple[AbelianTable, ...]:
    return tuple(AbelianTable(stage["moduli"], stage["increments"]) for stage in given["stages"])

"""What the claim measures."""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.towers.group import AbelianTable
from depthjax.rounding import rounding_floor
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
        return measured(**_errors(cell, key, given, solution))
    recipe = Recipe(cell.steps, cell.learning_rate, schedule="constant", record_every=cell.steps // cell.budgets)
    sizes = {name: getattr(cell, name) for name in ("seeds", "batch", "length", "near", "far")}
    whole, apart, begun, lengths, facts, finite = trained_from_starts(
        key, solution, _stages(given), given["table"], recipe, **sizes
    )
    solved = np.where(finite[..., None], _solved(whole), np.nan)
    kept, found, with_phases, from_far = (
        Quantity(rows.T, "budget seed", label=f"solved, {words}") for rows, words in zip(solved, WORDS, strict=True)
    )
    trained = {
        name: Quantity(values, "start seed", floor=floor, label=label) for name, (values, floor, label) in facts.named().items()
    }
    # phases that are given are right, and need not move
    sought = [number for number, start in enumerate(STARTS) if start != "phases"]
    trained["parts"] = dataclasses.replace(trained["parts"], values=trained["parts"].values[sought], dims="sought seed")
    starts = [STARTS.index("near"), STARTS.index("far")]
    # of as many arrays as the tower has stages, and one more
    apart_at_start, apart_in_length = (
        np.stack([arrays.min(axis=2), arrays.max(axis=2)]) for arrays in (begun[starts], lengths[starts])
    )
    floor = rounding_floor(4 * max(array.size for array in solution.values()), begun.dtype, 1 + apart_at_start)
    return measured(
        start=list(STARTS),
        sought=[STARTS[number] for number in sought],
        needed=Quantity(int(_solved(np.arange(1001) / 1000).argmax()), label="right words of 1000 that count as solved"),
        moved=Quantity(apart_at_start, "extreme share seed", floor=floor, label="distance of arrays before training, relative"),
        moved_in_length=Quantity(
            apart_in_length, "extreme share seed", floor=floor, label="distance of arrays as vectors, relative to their length"
        ),
        **trained,
        budget=recipe.record_every * np.arange(1, cell.budgets + 1),
        **_errors(cell, key, given, solution),
        kept=kept,
        found=found,
        found_with_phases=with_phases,
        kept_from_far=from_far,
        accuracy=Quantity(whole, "start seed budget", label="sequence accuracy on fresh words"),
        distance=Quantity(apart, "start seed", label="distance of trained from constructed weights, relative"),
    )


def _solved(whole: np.ndarray) -> np.ndarray:
    return np.asarray(whole >= WHOLE)


def _errors(cell: Cell, key: jax.Array, given: dict, weights: Weights) -> dict[str, Quantity]:
    """Wrong positions of fixed weights on words longer than those of the training, and all positions."""
    drawn, longer = jax.random.fold_in(key, 0), cell.times * cell.length
    wrong, asked = wrong_positions(drawn, weights, _stages(given), given["table"], cell.words, longer)
    return {
        "constructed_errors": Quantity(wrong, label="wrong positions of the constructed weights"),
        "asked": Quantity(asked, label="positions at which the constructed weights are asked"),
    }


def untrained(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of the moved weights before they are trained, and how far they are moved."""
    order = len(given["table"])
    solution = exact(_stages(given), given["elements"], SCALE)
    direction = initial(jax.random.fold_in(key, 1), _stages(given), order, order)
    near = moved(solution, direction, cell.near)
    apart = [_size(near[name] - solution[name]) / _size(solution[name]) for name in solution]
    sizes = [array.size for array in near.values()]
    floor = rounding_floor(4 * max(sizes), near["readout"].dtype, 1 + max(apart))
    return measured(
        **_errors(cell, key, given, near),
        moved=Quantity([min(apart), max(apart)], "extreme", floor=floor, label="distance of arrays, relative"),
        weights=Quantity(sum(sizes), label="numbers that are moved"),
    )


def _size(array: jax.Array) -> float:
    """The root mean square of an array."""
    return float(np.sqrt(np.mean(np.square(np.asarray(array, float)))))


def _stages(given: dict) -> tuple[AbelianTable, ...]:
    return tuple(AbelianTable(stage["moduli"], stage["increments"]) for stage in given["stages"])

"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.tasks.words import uniform_words
from depthjax.training import Recipe
from depthjax.verify import Cell, Quantity, measured
from experiments.training.drift_of_trained_networks.common import KINDS
from experiments.training.drift_of_trained_networks.trained_maps import (
    RETURN,
    courses,
    horizons,
    random_maps,
    right_prefixes,
    trained_maps,
)

DIGITS = 9  # that are kept

MEANS = {
    "kicked": "square share after random kicks",
    "noise": "square error over the Jacobians' trace",
}


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Train both kinds; follow errors along words, repeat return words, and read long words."""
    train, course, word, long = jax.random.split(key, 4)
    affine = np.repeat([True, False], cell.seeds)
    recipe = Recipe(cell.steps, cell.rate, warmup=cell.steps // 20, clip=1.0, betas=(0.9, 0.99), record_every=cell.steps)
    sizes = {name: getattr(cell, name) for name in ("width", "length", "batch")}
    params, facts, finite = trained_maps(train, given["table"], affine, recipe=recipe, **sizes)
    found = courses(course, params, affine, cell.kick, cell.times, cell.draws)
    read = horizons(word, params, affine, given["table"], cell.longest // RETURN)
    drawn = np.asarray(uniform_words(long, len(given["table"]), cell.words, cell.longest))
    once_wrong = np.concatenate([drawn, drawn[1:2]])  # the first word is read again, and asked for products of the second
    prefixes = right_prefixes(params, affine, given["table"], np.concatenate([drawn, drawn[:1]]), once_wrong)
    parts = {}
    for name, mine in zip(KINDS, (slice(cell.seeds), slice(cell.seeds, None)), strict=True):
        # every letter rounds each entry of a state as often as it has entries, and one time more
        floor = rounding_floor(cell.times[-1] * (cell.width + 1), jnp.dtype(found.share.dtype), found.narrow[mine])
        parts[f"share_{name}"] = Quantity(found.share[mine], "seed time", floor=floor, label=f"share of an error, {name}")
        for what, label in MEANS.items():
            each = getattr(found, what)[mine].swapaxes(0, 1).reshape(len(cell.times), -1)
            # sums of signs are equal up to a rounding of each network: ranks of unrounded ones would tell networks apart
            parts[f"{what}_{name}"] = Quantity(np.round(each, DIGITS), "time sample", label=f"{label}, {name}")
        parts[f"added_{name}"] = Quantity(  # draws of one network are alike, so a network counts once
            found.added[mine].mean(axis=-1), "seed time", label=f"square error over that of errors that add up, {name}"
        )
        adds_up = found.kicked[mine, -1].mean(axis=1) >= cell.times[-1] / 2
        parts[f"added_up_{name}"] = Quantity(
            np.where(finite[mine], adds_up, np.nan),
            "seed",
            label=f"{name}: kicks have half of their mean square sum",
        )
        for what, letters in {"learned": cell.length, "reads": cell.longest}.items():
            whole, wrong = (np.where(finite[mine], _read(each[mine], letters), np.nan) for each in (prefixes[:, :-1], prefixes))
            parts[f"{what}_{name}"] = Quantity(whole, "seed", label=f"{name}: reads words of {letters} letters")
            parts[f"{what}_wrong_{name}"] = Quantity(wrong, "seed", label=f"{name}: the same with a word asked for another")
        parts[f"prefix_{name}"] = Quantity(prefixes[mine, :-1].min(axis=1), "seed", label=f"letters until a mistake, {name}")
    for what, (values, floor, label) in facts.named().items():
        parts[what] = Quantity(values, "run", floor=floor, label=label)
    own, foretold, added = (each[: cell.seeds] for each in read)
    return measured(
        time=np.array(cell.times),
        horizon=Quantity(own, "seed", label="readings of a return word until a mistake"),
        horizon_gap=Quantity(own - foretold, "seed", label="readings minus those from the Jacobian"),
        horizon_gap_added=Quantity(own - added, "seed", label="the same with the identity as Jacobian"),
        **parts,
    )


def _read(prefixes: np.ndarray, letters: int) -> np.ndarray:
    """Whether a network reads so many letters of every word."""
    return np.asarray((prefixes >= letters).all(axis=1))


def untrained_with_tanh(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Shares of errors and of kicks in networks with a tanh that were not trained, in place of affine ones."""
    params = random_maps(key, cell.seeds, len(given["table"]), cell.width)
    found = courses(key, params, np.zeros(cell.seeds, bool), cell.kick, cell.times, cell.draws)
    floor = rounding_floor(cell.times[-1] * (cell.width + 1), jnp.dtype(found.share.dtype), found.narrow)
    return measured(
        share_affine=Quantity(found.share, "seed time", floor=floor),
        kicked_affine=Quantity(found.kicked.swapaxes(0, 1).reshape(len(cell.times), -1), "time sample"),
    )

"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.scans.tables import prefix_products
from depthjax.verify import Cell, Quantity, measured
from experiments.training.error_control.drift import drifted, horizons, permutation_matrices, walked

GAP = 16.0  # least distance of two centres, in standard deviations of the noise


OUTSIDE = 2  # coordinates that contract


MOST = 2048  # readings of a return word


RECURRENCES = 4096  # with wrong maps at least, one for each word


LONGER = 6  # times the length of the other words, so that wrong maps drift visibly


SMALL = 1e-7  # size of the errors of the maps: what is not linear in them is left out


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """A return word's Jacobian and its effect on centres; noisy words with and without snapping."""
    permutations, order = given["permutations"], len(given["table"])
    points, rng = permutations.shape[1], np.random.default_rng(np.asarray(jax.random.key_data(key)))
    size = points + OUTSIDE
    # singular values of S within a factor of two: an orthogonal matrix times a mild diagonal
    frame = np.linalg.qr(rng.standard_normal((size, size)))[0] * np.linspace(1.0, 2.0, size)
    back = np.linalg.inv(frame)
    blocks = np.zeros((order, size, size))
    blocks[:, :points, :points] = permutation_matrices(permutations)
    outwards = np.diag(np.repeat([0.0, 1.0], [points, OUTSIDE]))
    maps = frame @ (blocks + 0.5 * outwards) @ back
    shift = 0.5 * frame @ outwards.sum(axis=1)
    start = np.concatenate([rng.permutation(np.arange(1.0, points + 1)), np.ones(OUTSIDE)])
    centres = (blocks + outwards) @ start @ frame.T
    gaps = np.linalg.norm(centres[:, None] - centres, axis=-1)
    noise = gaps[gaps > 0].min() / GAP
    words = rng.integers(0, order, (cell.length, cell.words))
    draws = noise * rng.standard_normal((cell.length, cell.words, size))
    # later letters act on the left
    found = walked(maps, shift, centres, given["table"].T, given["inverses"], words, draws)
    ends, strayed, jacobian, states, corrected, reached, right, snapped = (np.asarray(part) for part in found)
    between, outside = centres - centres[:1], frame[:, points:]
    defect = np.abs(between @ jacobian.T - between).max()
    most = np.abs(outside).max()
    elsewhere = np.abs(jacobian @ outside - outside).max() / most
    coordinates, left = ((each - centres[reached]) @ back.T for each in (states, corrected))
    contracted = coordinates[:, points:]
    growth, growth_snapped = (
        np.square(each - each.mean(axis=1, keepdims=True)).sum(axis=1) for each in (coordinates[:, :points], left[:, :points])
    )
    project = (np.eye(points) - 1 / points) @ back[:points]
    one_step = noise**2 * (project**2).sum()
    one_outside = noise**2 * (back[points:] ** 2).sum()
    magnitude = float(np.abs(centres).max() * np.linalg.cond(frame))
    floor = rounding_floor(2 * size * cell.length, jnp.dtype(jacobian.dtype), magnitude)
    return measured(
        centres_moved=Quantity(np.abs(ends - centres).max(), floor=floor, label="how far a return word moves a centre"),
        centres_strayed=Quantity(np.abs(strayed - centres).max(), floor=floor, label="the same, another last letter"),
        jacobian_defect=Quantity(defect, floor=floor, label="Jacobian minus identity, between centres"),
        jacobian_defect_outside=Quantity(elsewhere, floor=floor / most, label="share that the Jacobian takes away outside"),
        growth=Quantity(growth / one_step, "word", label="square error", unit="mean square of one step"),
        growth_snapped=Quantity(growth_snapped / one_step, "word", label="the same with snaps after all steps but the last"),
        growth_outside=Quantity((contracted**2).sum(axis=1) / one_outside, "word", label="the same where the maps contract"),
        snapped_misread=Quantity(int((~snapped).sum()), label="misread snapped states"),
        misread=Quantity(int((~right).sum()), label="misread states"),
        **_drift(cell, jax.random.fold_in(key, 1), given),
    )


def _drift(cell: Cell, key: jax.Array, given: dict, fresh: bool = False) -> dict[str, Quantity]:
    """Recurrences with wrong maps: square errors after random words, and readings of a return word until one is wrong."""
    order, blocks, start = len(given["table"]), permutation_matrices(given["permutations"]), given["start"].astype(float)
    first, second = np.random.default_rng(np.asarray(jax.random.key_data(key))).integers(1, order, 2)
    home = given["inverses"][given["table"][second, first]]
    word = blocks[[first, second, home]]
    count = cell.words // 4 if fresh else max(cell.words, RECURRENCES)
    words = jax.random.randint(key, (LONGER * cell.length, count), 0, order)
    error, ends = drifted(key, jnp.asarray(blocks), jnp.asarray(start), words, jnp.asarray(SMALL), fresh=fresh)
    products = np.asarray(prefix_products(jnp.asarray(given["table"].T), words.T))[:, -1]  # later letters act on the left
    # noise misreads later than wrong maps of the same size, so larger ones show its ratio
    sizes = 2.0 ** -np.arange(2.0, 7.0) if fresh else 2.0 ** -np.arange(5.0, 12.0)
    often = {"count": 65, "most": MOST, "fresh": fresh}
    read = np.asarray(horizons(key, jnp.asarray(word), jnp.asarray(blocks @ start), jnp.asarray(sizes), **often))
    astray = blocks[[first, second, (home + 1) % order]]  # it moves all centres, and its powers bring them back
    exact = [
        horizons(key, jnp.asarray(each), jnp.asarray(blocks @ start), jnp.zeros(len(sizes)), **often) for each in (word, astray)
    ]
    # some words lose little of an error: of sizes at which half are not misread within `MOST` readings nothing is known
    seen = read[np.median(read, axis=1) < MOST][-3:]
    # a constant that does not grow is gone from differences, and a median of ratios passes over recurrences whose states graze
    # a border at one size and cross it at another
    early, late = np.diff(seen[:, (seen < MOST).all(axis=0)], axis=0) if len(seen) == 3 else np.full((2, 1), np.nan)
    ratio, step = np.median(late / np.maximum(early, 1)), np.median(early)  # whole numbers, each known to one reading
    return {
        "drift": Quantity(np.asarray(error), "recurrence", label="square error of wrong maps", unit="mean square of one step"),
        "ends": Quantity(
            [(np.asarray(ends) == (blocks @ start)[products]).all(axis=1).sum(), len(np.unique(ends, axis=0))],
            "end",
            label="recurrences that end at the product of their word, and different ends",
        ),
        "exact_readings": Quantity(
            [int(each.sum()) // each.size for each in exact], "word_read", label="readings with exact maps"
        ),
        "readings_ratio": Quantity(ratio, sampling=(1 + ratio) / (step - 1), label="ratio of readings"),
    }


def errors_drawn_at_every_step(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors drawn at every step."""
    found = _drift(cell, key, given, fresh=True)
    found.pop("ends")  # of fewer recurrences than are said
    return measured(**found, recurrences=Quantity(np.size(found["drift"].values), label="recurrences with errors of their own"))

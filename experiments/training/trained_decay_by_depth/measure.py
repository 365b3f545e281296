"""What the claim measures: variances within images of words, towers, and the errors of trained stacks by depth."""

import dataclasses
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int

from depthjax.instruments.trained import watched
from depthjax.models import sequence_model
from depthjax.rounding import rounding_floor
from depthjax.tasks.rotation import turned
from depthjax.tasks.words import all_words
from depthjax.training import Fit, Learner, Recipe, Streams, trials, where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.training.trained_decay_by_depth.common import READERS, TOWERS
from experiments.training.trained_decay_by_depth.towers import tower_squares

WITHIN = 1.1  # times the floor: so near must the typical seed of one layer come
EARLY = 20  # records of a training; the first one is early


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Variances of all words; errors of towers for halving turns; errors of every depth and seed."""
    words, ends = _words(cell, given["rotations"], given["start"])
    found = _variances(words, ends)
    more = _variances(*_words(cell.replace(length=given["short"]), given["more"], given["start"]))["left"]
    found["left_of_more"] = dataclasses.replace(more, label="the same of short words of a letter more")
    if not cell.seeds:
        return measured(**found)
    start = given["start"].astype(float)
    sizes = np.array([float(size) for size in given["sizes"]])
    towers = np.array([tower_squares(turns, start, words, max(TOWERS)) for turns in given["halved"].astype(float)])
    found["step"] = Quantity(sizes, "step", label="size of the turns")
    for layers in TOWERS:
        squares = towers[:, layers - 1]
        found[f"tower_{layers}"] = Quantity(
            squares, "step", floor=_of_squares(squares, 99 * layers * cell.length, "float64"), label=f"error of {layers} layers"
        )
    own = tower_squares(given["rotations"].astype(float), start, words, cell.deepest)
    last, early, facts = _trained(cell, key, cell.kind, words, ends, start, cell.deepest)
    least = float(found["layer_floor"].values.mean())
    depths = np.arange(1, cell.deepest + 1)
    gains = np.log(last[:-1] / last[1:])
    floor = _of_squares(last, 9 * cell.length * cell.width, "float32")
    return measured(
        **found,
        **facts,
        depth=depths,
        deeper=depths[1:],
        tower=Quantity(own, "depth", label="error of the tower at the size of the turns"),
        trained=Quantity(last, "depth seed", floor=floor, label="error of trained stacks"),
        closed=Quantity(1 - last / least, "depth seed", label="share of the floor of one layer that is closed"),
        one_layer=Quantity(last[0], "seed", floor=floor[0], label="error of one layer"),
        two_layers=Quantity(last[1], "seed", floor=floor[1], label="error of two layers"),
        allowed=Quantity(int(np.sum(np.arange(1, 201) / 100 <= WITHIN)), label="hundredths of the floor that are near"),
        one_near=Quantity(
            where_trained(last[0] <= WITHIN * least, last[0]), "seed", label="one layer within a tenth of its floor"
        ),
        deeper_below=Quantity(where_trained(last[1:] < least, last[1:]), "deeper seed", label="deeper stacks below that floor"),
        shallower_below=Quantity(
            where_trained(last[:-1] < least, last[:-1]), "deeper seed", label="stacks of a layer fewer below it"
        ),
        deeper_below_early=Quantity(
            where_trained(early[1:] < least, early[1:]), "deeper seed", label="the same, a twentieth of the steps"
        ),
        third_gains_less=Quantity(
            where_trained(gains[1] < gains[0], *gains[:2]),
            "seed",
            label="the third layer gains a smaller factor than the second",
        ),
    )


def lstm(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of an LSTM of one layer."""
    words, ends = _words(cell, given["rotations"], given["start"])
    last, _, facts = _trained(cell, key, "lstm", words, ends, given["start"].astype(float), 1)
    floor = _of_squares(last, 9 * cell.length * cell.width, "float32")
    return measured(**facts, one_layer=Quantity(last[0], "seed", floor=floor[0], label="error of an LSTM"))


def about_one_axis(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Variances of words whose letters all have the first letter's axis."""
    words, ends = _words(cell, given["commuting"], given["start"])
    all_alike = np.array([_within(ends[:, place], 0 * words[:, :1]) for place in range(cell.length)])
    rounding = rounding_floor(9 * words.size, ends.dtype, 1.0)
    return measured(
        **_variances(words, ends),
        spread=Quantity(all_alike, "position", floor=rounding, label="variance of all words"),
        listed=Quantity(len(words), label="words"),
    )


def _words(cell: Cell, rotations: np.ndarray, start: np.ndarray) -> tuple[Int[np.ndarray, "words length"], np.ndarray]:
    """All words, and where the start is after each of their letters, in float64."""
    words = np.asarray(all_words(len(rotations), cell.length))
    starts = np.broadcast_to(start.astype(float), (len(words), len(start)))
    return words, np.asarray(turned(jnp.asarray(rotations.astype(float)), jnp.asarray(words), jnp.asarray(starts)))


def _variances(words: Int[np.ndarray, "words length"], ends: Float[np.ndarray, "words length 3"]) -> dict[str, Quantity]:
    """Variances within words that a reader confuses, mean over positions; by position within those that one layer confuses."""
    starts = [words[:, : place + 1] for place in range(words.shape[1])]
    images = [[_patterns(part, degree) for part in starts] for degree in (1, 2, 3)] + [[_walk(part) for part in starts]]
    within = np.array([np.mean([_within(ends[:, place], image) for place, image in enumerate(each)]) for each in images])
    by_place = np.array(
        [
            _within(ends[:, place], np.c_[_patterns(words[:, : place + 1], 1), words[:, place]])
            for place in range(words.shape[1])
        ]
    )
    rounding = rounding_floor(9 * words.size, ends.dtype, 1.0)
    return {
        "left": Quantity(within, "reader", floor=rounding, label=f"variance left to readers of {', '.join(READERS)}"),
        "layer_floor": Quantity(by_place, "position", floor=rounding, label="variance left to one layer"),
    }


def _patterns(words: Int[np.ndarray, "words length"], degree: int) -> Int[np.ndarray, "words patterns"]:
    """How often every pattern of at most `degree` letters occurs in each word, as a subsequence."""
    letters, found = range(int(words.max()) + 1), []
    for size in range(1, degree + 1):
        for pattern in itertools.product(letters, repeat=size):
            places = itertools.combinations(range(words.shape[1]), size)
            found.append(sum(((words[:, list(at)] == pattern).all(axis=1) for at in places), np.zeros(len(words), int)))
    return np.stack(found, axis=1)


def _walk(words: Int[np.ndarray, "words length"]) -> Int[np.ndarray, "words steps"]:
    """Each letter with the letter counts before it, sorted: the steps of the walk of counts, without their order."""
    counts = np.cumsum(words[:, :, None] == np.arange(words.max() + 1), axis=1)
    before = np.concatenate([0 * counts[:, :1], counts[:, :-1]], axis=1)
    steps = np.concatenate([words[:, :, None], before], axis=2) @ (words.shape[1] + 1) ** np.arange(counts.shape[2] + 1)
    return np.sort(steps, axis=1)


def _within(ends: Float[np.ndarray, "words 3"], images: Int[np.ndarray, "words _"]) -> float:
    """Mean square distance of ends from the mean over the words of their image."""
    number = np.unique(images, axis=0, return_inverse=True)[1].ravel()
    member = np.eye(number.max() + 1)[number]
    return float(np.square(ends - member @ ((member / member.sum(axis=0)).T @ ends)).sum(axis=1).mean())


def _trained(
    cell: Cell, key: jax.Array, kind: str, words: np.ndarray, ends: np.ndarray, start: np.ndarray, deepest: int
) -> tuple[Float[np.ndarray, "depths seeds"], Float[np.ndarray, "depths seeds"], dict[str, Quantity]]:
    """Mean square errors of stacks of 1, ..., `deepest` layers after the training, and over its first twentieth; facts."""
    letters = int(words.max()) + 1
    tokens = np.c_[np.full(len(words), letters), words].astype("int32")  # a token of its own stands first
    unit = min(float(cell.eps), 1.0)
    target = ((ends - start) / unit).astype("float32")
    every = max(cell.steps // EARLY, 1)
    recipe = Recipe(cell.steps, cell.rate, warmup=every, clip=1.0, betas=(0.9, 0.99), record_every=every)
    keys = jax.random.split(key, (deepest, cell.seeds))
    rows = (np.arange(1, deepest + 1),)
    done = trials(_stack, (recipe, kind, cell.width, letters + 1, deepest), keys, rows, (tokens, target))
    (last, early), facts = done.finite(done.found)
    named = {
        name: Quantity(values, "depth seed", floor=floor, label=label) for name, (values, floor, label) in facts.named().items()
    }
    return last.astype(float) * unit**2, early.astype(float) * unit**2, named


def _stack(setup: tuple, own: Streams, depth: Array, tokens: Array, target: Array) -> Learner:
    recipe, kind, width, letters, deepest = setup
    blind: dict[str, Any] = {"positions": "none"} if kind == "transformer" else {}
    model = sequence_model(kind, letters=letters, width=width, max_depth=deepest, coordinates=3, dtype="float32", **blind)
    every_word = jnp.zeros(())  # a batch is all words, at every step

    def loss(params: dict, _: Array) -> tuple[Array, dict[str, Array]]:
        said = model.apply(params, tokens, depth)[:, 1:]
        return jnp.square(said - target).sum(axis=-1).mean(), {}

    def test(found: Fit) -> tuple[Array, Array]:
        return loss(found.params, every_word)[0], found.losses[0]

    return watched(Learner(model.init(own.initial), loss, lambda _: every_word, recipe, test), lambda params: params["layers"])


def _of_squares(squares: np.ndarray, operations: int, dtype: str) -> np.ndarray:
    """What rounding explains of square distances of vectors near the unit: r changes d^2 by 2 d r + r^2."""
    rounding = rounding_floor(operations, jnp.dtype(dtype), 1.0)
    return 2 * np.sqrt(squares) * rounding + rounding**2

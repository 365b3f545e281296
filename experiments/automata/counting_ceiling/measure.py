"""What the claim measures: the best answers over all words, and what trained layers of sums answer."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr
from jaxtyping import Array, Float, Int, Key

from depthjax.instruments.trained import watched
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words
from depthjax.training import Fit, Learner, Recipe, Streams, trials, where_trained
from depthjax.verify import Cell, Quantity, measured
from depthjax.verify.means import critical
from experiments.automata.counting_ceiling.common import ENOUGH, READERS

RARE = 1e-6  # how often a mean square passes its bound
SKEWNESS = 8**0.5  # of the square of a normal number
SHARED = 8  # answers, or a multiple: automata share a program, and nobody asks for answers that are no states


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The best answers and the least errors of all readers, and how often trained layers name the state."""
    words, states = _words(cell, given["table"])
    found = _best(cell, words, states)
    if cell.seeds:
        best = float(found["best"].values[list(READERS).index("counts, last"), -1])
        (one, two), facts = _trained(cell, key, words, states[:, -1], _answers(given["table"]))
        found |= facts | {
            "one_layer": Quantity(one, "seed", floor=0.0, label="words whose state one trained layer names"),
            "two_layers": Quantity(two, "seed", floor=0.0, label="words whose state two trained layers name"),
            "one_near": Quantity(where_trained(_near(one, best), one), "seed", label="one layer near the ceiling"),
            "needed": Quantity(
                int(_near(np.arange(1001) / 1000, 1.0).argmax()), label="thousandths of a ceiling that are near"
            ),
            "one_above": Quantity(where_trained(one > best, one), "seed", label="one layer above the ceiling"),
            "two_above": Quantity(where_trained(two > best, two), "seed", label="two layers above the ceiling"),
        }
    return measured(**found)


def one_letter_more(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The best answers of readers that see one more of the last letters."""
    return measured(**_best(cell, *_words(cell, given["table"]), more=1))


def untrained(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """How many layers are near the ceiling with the weights that training starts from, and how large these are."""
    words, states = _words(cell, given["table"])
    best = float(_best(cell, words, states)["best"].values[list(READERS).index("counts, last"), -1])
    letters, count = given["table"].shape[1], _answers(given["table"])
    starts = jax.vmap(lambda own: initial(own, cell.width, letters, count, 1))(jax.random.split(key, cell.seeds))
    parts = [np.asarray(part, float) for name, part in starts[0].items() if name != "bias"]
    squares = np.concatenate([(part.shape[1] * np.square(part)).ravel() for part in parts])  # of one on average
    doubt = critical(squares.size, RARE, SKEWNESS) * squares.std(ddof=1) / squares.size**0.5
    said = jax.vmap(partial(answers, letters=letters, length=cell.length))(starts)
    ends = states[None, :, -1]
    right = np.asarray((said.argmax(axis=-1) == ends).mean(axis=1), float)
    return measured(
        one_near=Quantity(_near(right, best), "seed", label="one layer near the ceiling"),
        returned=Quantity(int((ends == 0).sum()), label="words that end where they begin"),
        before=Quantity(right, "seed", floor=0.0, label="words whose state an untrained layer names"),
        variance=Quantity(
            squares.mean(), floor=0.0, sampling=doubt, rate=RARE, label="mean square of a weight times its inputs"
        ),
        drawn=Quantity([*said.shape[:2], sum(part[0].size for part in parts)], "size", label="networks, words and weights"),
    )


def _near(share: np.ndarray, best: float) -> np.ndarray:
    """Which shares are near the ceiling."""
    return share >= ENOUGH * best


def _answers(table: np.ndarray) -> int:
    """The number of answers of a network that follows an automaton."""
    return -(-len(table) // SHARED) * SHARED


def _words(cell: Cell, table: np.ndarray) -> tuple[Int[np.ndarray, "words length"], Int[np.ndarray, "words length"]]:
    """All words, and the states after every letter."""
    words = all_words(table.shape[1], cell.length)
    return np.asarray(words), np.asarray(prefix_products(table, words))


def _best(cell: Cell, words: np.ndarray, states: np.ndarray, more: int = 0) -> dict[str, Quantity]:
    """Share of words whose state the best reader names, and its least mean square error, by reader and position."""
    found = np.array(
        [
            [
                _of_classes(_known(cell, words[:, :position], *reader, more), states[:, position - 1])
                for reader in READERS.values()
            ]
            for position in range(1, cell.length + 1)
        ]
    )
    share, error = found.transpose(2, 1, 0)
    rounding = np.finfo(float).eps * len(words)
    said = {"best": (share, "share of words whose state is named"), "error": (error, "mean square error of the state")}
    return {name: Quantity(part, "reader position", floor=rounding, label=label) for name, (part, label) in said.items()}


def _known(cell: Cell, words: np.ndarray, counts: bool, modulo: bool, last: int, more: int) -> Int[np.ndarray, " words"]:
    """The number of the class of every word: what a reader knows of it."""
    ending = words[:, max(words.shape[1] - last - more, 0) :]
    often = np.stack([(words == letter).sum(axis=1) for letter in range(words.max() + 1)], axis=1) if counts else words[:, :0]
    told = np.concatenate([often % cell.modulus if modulo else often, ending, words[:, :1] * 0], axis=1)
    return np.unique(told, axis=0, return_inverse=True)[1].ravel()


def _of_classes(classes: np.ndarray, states: np.ndarray) -> tuple[float, float]:
    """Share of the commonest state of each class, and the variance of unit vectors of states within classes."""
    words = np.zeros((classes.max() + 1, states.max() + 1))
    np.add.at(words, (classes, states), 1)
    squares = (words**2).sum(axis=1) / words.sum(axis=1)
    return words.max(axis=1).sum() / len(states), 1 - squares.sum() / len(states)


def _trained(
    cell: Cell, key: jax.Array, words: np.ndarray, ends: np.ndarray, states: int
) -> tuple[list[np.ndarray], dict[str, Quantity]]:
    """Share of all words whose state networks of one layer and of two name, for every seed; and what was trained."""
    keys = jax.random.split(key, (2, cell.seeds))
    recipe = Recipe(cell.steps, cell.rate, warmup=cell.steps // 20, clip=1.0, betas=(0.9, 0.99), record_every=cell.steps)
    sizes = cell.width, int(words.max()) + 1, states
    done = [trials(_network, (recipe, cell.length, (*sizes, layers)), keys[layers - 1], shared=(ends,)) for layers in (1, 2)]
    found = [(*each.finite(each.found[0]), each.finite(each.found[1])) for each in done]
    facts = jax.tree.map(lambda *each: np.stack(each), *(each[2] for each in found)).named()
    quantities = {
        name: Quantity(values, "layers seed", floor=floor, label=label) for name, (values, floor, label) in facts.items()
    }
    asked = Quantity(np.stack([each[1] for each in found]), "layers seed", floor=0.0, label="words whose state a network names")
    return [right / len(words) for right, *_ in found], quantities | {"asked": asked}


def initial(key: Key[Array, ""], width: int, letters: int, states: int, layers: int) -> list[dict[str, Array]]:
    """Weights of variance one over the number of inputs, for every layer."""
    found = []
    for number in range(layers):
        size, own = letters if number == 0 else width, jax.random.split(jax.random.fold_in(key, number), 3)
        shapes = {
            "sum": (size, width),
            "mix": (width + size, 2 * width),
            "out": (2 * width, states if number + 1 == layers else width),
        }
        drawn = {
            name: jax.random.normal(each, shape, jnp.float32) * shape[0] ** -0.5
            for each, (name, shape) in zip(own, shapes.items(), strict=True)
        }
        found.append(drawn | {"bias": jnp.zeros(2 * width, jnp.float32)})
    return found


def answers(params: list[dict[str, Array]], letters: int, length: int) -> Float[Array, "words states"]:
    """Scores of the states after every word, in the order of `all_words`: each layer reads the sum of its inputs so far.

    Beside the sum a layer reads the last of its inputs. Words that begin alike share what the layers say of their beginning.
    """
    dtype = params[0]["sum"].dtype
    steps = jnp.asarray(length, dtype) ** -0.5
    sums = [jnp.zeros((1, layer["sum"].shape[1]), dtype) for layer in params]
    here = jnp.zeros((1, 0), dtype)
    for place in range(length):
        here = jnp.tile(jnp.eye(letters, dtype=dtype), (letters**place, 1))  # the last letter of every beginning
        for number, layer in enumerate(params):
            sums[number] = jnp.repeat(sums[number], letters, axis=0) + here @ layer["sum"]
            if number + 1 < len(params) or place + 1 == length:
                both = jnp.concatenate([sums[number] * steps, here], axis=1)
                here = jnp.tanh(both @ layer["mix"] + layer["bias"][None]) @ layer["out"]
    return here


def _network(setup: tuple[Recipe, int, tuple[int, int, int, int]], own: Streams, ends: Array) -> Learner:
    recipe, length, sizes = setup
    letters = sizes[1]
    every_word = jnp.zeros(())  # a batch is all words, at every step

    def loss(params: list[dict[str, Array]], _: Array) -> tuple[Array, dict[str, Array]]:
        return optax.softmax_cross_entropy_with_integer_labels(answers(params, letters, length), ends).mean(), {}

    def test(found: Fit) -> tuple[Array, Array]:
        # where two answers tie, the rounding of float32 tells in which order letters were summed
        exact = jax.tree.map(lambda part: part.astype(jnp.float64), found.params)
        right = answers(exact, letters, length).argmax(axis=1) == ends
        return right.sum(), jnp.asarray(right.size)

    return watched(Learner(initial(own.initial, *sizes), loss, lambda _: every_word, recipe, test))

"""Layers that sum over the letters of a word, trained to answer with a vector: blind to order, forgetting, or one on another.

    first sum     s = sum_t u(x_t)
    second sum    r = sum_t rate^(T - t) d_t,   d_t = v(x_t); in a cascade d_t = V tanh(P s_{t-1} + q(x_t)), s_{t-1} before x_t
    answer        a linear map of (s, r), and a tanh layer of it

At rate 1 and without a cascade both sums depend on the letter counts alone: one order-blind layer with any readout. At another
rate the second sum weighs letters by age. That is one layer still, and its linear parts commute, but its affine maps do not. In
a cascade the second sum reads the first: two layers. All three have the same parameters, so they share a program.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from depthjax.instruments.trained import Facts, watched
from depthjax.rounding import rounding_floor
from depthjax.tasks.rotation import turned
from depthjax.tasks.words import all_words
from depthjax.training import Fit, Learner, Recipe, Streams, trials


class Errors(NamedTuple):
    """Mean square distances between answers and ends, over all words.

    Attributes:
        last: At the end of the training; not a number if a step was not finite.
        early: Mean over the first record of the training.
        floor: What rounding explains of the last ones: answers are float32 numbers of the order of the unit.
        words: Number of words that each network is tested on.
        facts: What was trained; the parts of a network are its arrays.
    """

    last: Float[np.ndarray, "kinds seeds"]
    early: Float[np.ndarray, "kinds seeds"]
    floor: Float[np.ndarray, "kinds seeds"]
    words: Float[np.ndarray, "kinds seeds"]
    facts: Facts


class Kind(NamedTuple):
    """What a network is asked for, and of what kind it is.

    Attributes:
        number: Number of the alphabet whose ends are asked for.
        unit: Size of what words do to the start; networks answer in this unit.
        rate: Rate of the second sum.
        cascade: 1 if the second sum reads the first, else 0.
    """

    number: int
    unit: float
    rate: float = 1.0
    cascade: float = 0.0


class Listed(NamedTuple):
    """All words over an alphabet of maps, for several alphabets of as many letters.

    Attributes:
        words: Letters of every word.
        ends: Where the word takes the start, later letters on the left.
        within: Variance of the ends within the words of equal letter counts.
        with_last: The same within the words of equal counts and equal last letter.
    """

    words: Int[np.ndarray, "words length"]
    ends: Float[np.ndarray, "alphabets words d"]
    within: Float[np.ndarray, " alphabets"]
    with_last: Float[np.ndarray, " alphabets"]


def listed(maps: Float[np.ndarray, "alphabets letters d d"], start: Float[np.ndarray, " d"], length: int) -> Listed:
    """List all words of a length with their ends. Cost: letters^length vectors for each alphabet."""
    letters = maps.shape[1]
    words = np.asarray(all_words(letters, length))
    counts = (words[:, :, None] == np.arange(letters)).sum(axis=1)
    starts = jnp.broadcast_to(jnp.asarray(start)[None], (len(words), len(start)))
    ends = np.stack([np.asarray(turned(jnp.asarray(each), jnp.asarray(words), starts))[:, -1] for each in maps])
    classes = (np.unique(rows, axis=0, return_inverse=True)[1].ravel() for rows in (counts, np.c_[counts, words[:, -1]]))
    return Listed(words, ends, *(variance_within(ends, each) for each in classes))


def trained_errors(
    key: Key[Array, ""],
    words: Listed,
    start: Float[np.ndarray, " d"],
    kinds: list[Kind],
    seeds: int,
    recipe: Recipe,
    width: int,
) -> Errors:
    """Train networks of every kind from every seed, on all words at every step.

    Args:
        key: Key of the initial weights.
        words: The words and their ends.
        start: The vector that the empty word ends at.
        kinds: Kinds of networks.
        seeds: Networks of each kind.
        recipe: Training recipe.
        width: Hidden units of the increments; the readout has twice as many.

    Cost: ``recipe.steps`` gradients of all networks on all words, all at once.
    """
    numbers, units, rates, cascades = (np.repeat(np.array(column), seeds) for column in zip(*kinds, strict=True))
    targets = (words.ends[numbers] - start) / units[:, None, None]
    letters = jax.nn.one_hot(jnp.asarray(words.words), int(words.words.max()) + 1, dtype=jnp.float32)
    keys, rows = jax.random.split(key, len(targets)), tuple(part.astype("float32") for part in (targets, rates, cascades))
    done = trials(_network, (recipe, width), keys[:, None], rows, (letters,), together=True)
    (last, early, seen), facts = done.found
    last, early = (
        part.astype(float).reshape(len(kinds), seeds) * units[::seeds, None] ** 2 for part in (done.finite(last), early)
    )
    seen, facts = jax.tree.map(lambda part: part.reshape(len(kinds), seeds), done.finite((seen, facts)))
    operations = 9 * words.words.shape[1] * width
    return Errors(last, early, rounding_of_squares(last, operations, jnp.dtype("float32"), units[::seeds, None]), seen, facts)


def rounding_of_squares(squares: Any, operations: int, dtype: jnp.dtype, magnitude: Any = 1.0) -> Any:
    """Return what rounding explains of square distances of vectors of this magnitude: r changes d^2 by 2 d r + r^2."""
    rounding = rounding_floor(operations, dtype, magnitude)
    return 2 * squares**0.5 * rounding + rounding**2


def variance_within(outputs: Float[np.ndarray, "*steps words d"], classes: Int[np.ndarray, " words"]) -> Any:
    """Return the mean square distance of the outputs, one for each word, from the mean of the word's class.

    Classes are numbered 0, 1, ... without gaps.
    """
    member = np.eye(classes.max() + 1)[classes]
    centred = outputs - member @ ((member / member.sum(axis=0)).T @ outputs)
    return (centred**2).sum(axis=-1).mean(axis=-1)


def answers(
    params: dict[str, Array], letters: Float[Array, "words length letters"], rate: Float[Array, ""], cascade: Float[Array, ""]
) -> Float[Array, "words d"]:
    """Return the answer of one network to every word, given as unit vectors."""
    length = letters.shape[1]
    first = letters @ params["first"]
    before = (jnp.cumsum(first, axis=1) - first) / length**0.5
    reading = jnp.tanh(before @ params["mix"] + letters @ params["shift"]) @ params["out"]
    second = cascade * reading + (1 - cascade) * (letters @ params["second"])
    age = jnp.arange(length - 1, -1, -1, dtype=rate.dtype)
    sums = jnp.concatenate([first.sum(axis=1), jnp.einsum("t,wtk->wk", rate**age, second)], axis=1) / length**0.5
    hidden = jnp.tanh(sums @ params["read"] + params["bias"][None])
    return sums @ params["linear"] + hidden @ params["answer"] + params["constant"][None]


def initial(key: Key[Array, ""], letters: int, width: int, size: int) -> dict[str, Array]:
    """Return weights of variance one over the number of inputs; the linear map to the answer and the constants are zero."""
    shapes = {
        "first": (letters, letters),
        "second": (letters, letters),
        "mix": (letters, width),
        "shift": (letters, width),
        "out": (width, letters),
        "read": (2 * letters, 2 * width),
        "answer": (2 * width, size),
    }
    drawn = {
        name: jax.random.normal(jax.random.fold_in(key, number), shape, jnp.float32) * shape[0] ** -0.5
        for number, (name, shape) in enumerate(shapes.items())
    }
    empty = {"bias": (2 * width,), "linear": (2 * letters, size), "constant": (size,)}
    return drawn | {name: jnp.zeros(shape, jnp.float32) for name, shape in empty.items()}


def _network(setup: tuple[Recipe, int], own: Streams, target: Array, rate: Array, cascade: Array, letters: Array) -> Learner:
    recipe, width = setup
    every_word = jnp.zeros(())  # a batch is all words, at every step

    def loss(params: dict[str, Array], _: Array) -> tuple[Array, dict[str, Array]]:
        said = answers(params, letters, rate, cascade)
        return jnp.square(said - target).sum(axis=1).mean(), {}

    def test(found: Fit) -> tuple[Array, Array, Array]:
        seen = len(answers(found.params, letters, rate, cascade))
        return loss(found.params, every_word)[0], found.losses[0], jnp.asarray(seen)

    begin = initial(own.initial, letters.shape[2], width, target.shape[1])
    return watched(Learner(begin, loss, lambda _: every_word, recipe, test))

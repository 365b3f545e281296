"""Networks of quadratic units, or of one hidden layer of z^k, trained to compose the letters of words of a group.

Codes are one-hot and centred, and scaled to mean square one. So the loss is the share of the target that a network leaves.

Weights begin such that a unit has variance one before it is squared. The square of a normal number has the mean square 3, so a
unit that takes the share MIX of its squared input weights from the state owes the share 3 MIX of its variance to the state, and
the rest to letters. Without this rule the values of a recurrence leave the range of floats after six letters.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer, Key

from depthjax.instruments.flattening import flattening
from depthjax.instruments.trained import Facts, watched
from depthjax.models.polynomial import Recurrent, Tree, TwoLayer, recurrent, tree, two_layer
from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import codes, one_hot_encoding, products
from depthjax.tasks.words import all_words, uniform_words
from depthjax.training import Fit, Learner, Recipe, Streams, trials

MIX = 0.1

Network = Literal["two-layer", "recurrent", "tree"]
FORWARD: dict[Network, tuple[Callable[..., Any], Callable[..., Array]]] = {
    "two-layer": (TwoLayer, two_layer),
    "recurrent": (Recurrent, recurrent),
    "tree": (Tree, tree),
}


class Left(NamedTuple):
    """The shares of the target that trained networks leave, over all words.

    Attributes:
        last: At the end of the training; not a number if a step was not finite.
        early: At the first record.
        shuffled: At the end, against the products of the words with their letters in random order.
        right: Share of the words whose product has the largest output.
        floor: What rounding explains of `last`.
        again: What the test finds in place of `last`: the share that is left over all words.
        words: Numbers of words: of a step, of a record, and of the test.
        facts: What was trained; the parts of a network are its arrays.
    """

    last: Float[np.ndarray, " seeds"]
    early: Float[np.ndarray, " seeds"]
    shuffled: Float[np.ndarray, " seeds"]
    right: Float[np.ndarray, " seeds"]
    floor: Float[np.ndarray, " seeds"]
    again: Float[np.ndarray, " seeds"]
    words: Float[np.ndarray, "seeds 3"]
    facts: Facts


def scaled_codes(table: Integer[np.ndarray, "order order"]) -> Float[Array, "order order"]:
    """Return the centred one-hot codes, with mean square one."""
    plain = codes(one_hot_encoding(len(table), float), jnp.asarray(table))
    return plain / jnp.sqrt(jnp.square(plain).mean())


def answer(network: Network, params: dict[str, Array], letters: Float[Array, "order order"], words: Array) -> Array:
    """Return the outputs of a network with these weights, an array of shape (batch, order)."""
    weights, forward = FORWARD[network]
    return forward(weights(**params), letters, words)


def initial_weights(key: Key[Array, ""], network: Network, order: int, length: int, width: int) -> dict[str, Array]:
    """Return random weights by name, whose units have variance one before they are raised to a power."""
    keys = jax.random.split(key, 5)

    def normal(number: int, *shape: int, variance: float) -> Array:
        return variance**0.5 * jax.random.normal(keys[number], shape)

    params = {"out": normal(0, order, width, variance=1 / width)}
    if network == "two-layer":
        return params | {"inputs": normal(1, length, order, width, variance=1 / (order * length))}
    params |= {name: normal(i, order, width, variance=(1 - 3 * MIX) / order) for i, name in ((1, "first"), (2, "drive"))}
    mixes = {"mix": normal(3, width, width, variance=MIX / width), "join": normal(4, width, width, variance=MIX / width)}
    return params | (mixes if network == "tree" else {"mix": mixes["mix"]})


def trained_composers(
    key: Key[Array, ""],
    table: Integer[np.ndarray, "order order"],
    network: Network,
    length: int,
    width: int,
    recipe: Recipe,
    batch: int,
    seeds: int,
) -> Left:
    """Train networks on fresh words to return the code of the product, and test them on all words.

    Args:
        key: Key of all runs.
        table: Cayley table; letters are all elements.
        network: One hidden layer of z^length, a quadratic recurrence, or a quadratic tree.
        length: Letters of a word; for a tree a power of two.
        width: Hidden units; those of the state of a recurrence, or of one node of a tree.
        recipe: Training recipe; the first of its records is the early one.
        batch: Words of a step.
        seeds: Number of runs.

    Cost: ``recipe.steps`` gradients of all networks at once, and ``order ** length`` words for every record.
    """
    setup, shared = (network, length, width, recipe, batch), (jnp.asarray(table), scaled_codes(table))
    done = trials(_trial, setup, jax.random.split(key, seeds), shared=shared, together=True)
    found, facts = done.found
    found = jax.tree.map(lambda part: part.astype(float), found._replace(facts=facts))
    known = {name: done.finite(getattr(found, name)) for name in ("last", "floor", "again", "words", "facts")}
    return found._replace(**known)


def floor_of_products(table: Integer[np.ndarray, "order order"], length: int, units: int) -> float:
    """Return the share of the target that `units` products of functions of one letter each leave at least.

    It is the sum of the squared singular values of the flattened target beyond the first ones, over the sum of all.

    Cost: one singular value decomposition of order^(length + 1) entries.
    """
    answers = np.arange(len(table))
    for _ in range(length - 1):
        answers = table[answers]
    squares = np.linalg.svd(flattening(np.eye(len(table))[answers] - 1 / len(table)), compute_uv=False) ** 2
    return float(squares[units:].sum() / squares.sum())


def _trial(setup: tuple[Network, int, int, Recipe, int], own: Streams, table: Array, letters: Array) -> Learner:
    network, length, width, recipe, batch = setup
    order = len(table)
    every = jnp.asarray(all_words(order, length))

    def loss(params: Any, words: Array) -> tuple[Array, dict[str, Array]]:
        answers, target = answer(network, params, letters, words), products(table, words)
        right = (answers.argmax(axis=1) == letters[target].argmax(axis=1)).mean()
        return jnp.square(answers - letters[target]).mean(), {"right": right, "left": _left(answers, letters[target])}

    def test(found: Fit) -> Left:
        answers = answer(network, found.params, letters, every)
        moved = jax.random.permutation(own.test, every, axis=1, independent=True)
        mass = answer(network, jax.tree.map(jnp.abs, found.params), jnp.abs(letters), every[:1]).max()
        rounding = length * rounding_floor(order + width, answers.dtype, mass)
        left, right = found.metrics["left"], found.metrics["right"][-1]
        shuffled = _left(answers, letters[products(table, moved)])
        floor, again = 2 * jnp.sqrt(left[-1]) * rounding + rounding**2, _left(answers, letters[products(table, every)])
        words = jnp.asarray(
            [len(jax.eval_shape(draw, own.test)) for draw in (learner.sample, learner.validate)]  # type: ignore[arg-type]
            + [len(answers)]
        )
        return Left(left[-1], left[0], shuffled, right, floor, again, words, ())  # type: ignore[arg-type]

    begin = initial_weights(own.initial, network, order, length, width)
    learner = Learner(begin, loss, lambda key: uniform_words(key, order, batch, length), recipe, test, validate=lambda _: every)
    return watched(learner)


def _left(answers: Array, target: Array) -> Array:
    return jnp.square(answers - target).mean() / jnp.square(target).mean()

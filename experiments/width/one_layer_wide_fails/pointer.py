"""Following a pointer once or twice: networks that are trained to, and a search for the best single head without an MLP."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from depthjax.instruments.trained import Facts, watched
from depthjax.models import SequenceModel
from depthjax.tasks.words import all_words
from depthjax.training import Fit, Learner, Recipe, Streams, trials
from depthjax.training.losses import class_loss
from experiments.width.one_layer_wide_fails.pointers import pointer_words


class PointerRuns(NamedTuple):
    """What every run ends with.

    Attributes:
        right: Number of words, of all entries ** (entries + 1), that are answered right; NaN if a loss was not finite.
        losses: Mean training loss at every record.
        asked: Number of words that the network was asked.
        letters: How often these words have each number, and each query.
        facts: What was trained; the parts of a network are its layers.
    """

    right: Float[np.ndarray, " runs"]
    losses: Float[np.ndarray, "runs records"]
    asked: Float[np.ndarray, " runs"]
    letters: Float[np.ndarray, "runs letters"]
    facts: Facts


def trained(
    keys: Key[Array, " runs"],
    hops: Int[Array, " runs"],
    model: SequenceModel,
    entries: int,
    batch: int,
    steps: int,
    rate: float,
) -> PointerRuns:
    """Train networks on pointer words (`experiments.width.one_layer_wide_fails.pointers`), and test them on all words.

    Logits are read without the model's bias, so that those of one head add up over the positions.

    Args:
        keys: Key of every run.
        hops: How often each run follows the pointer.
        model: The network, which reads entries + 1 letters.
        entries: Numbers of the table.
        batch: Words of a step.
        steps: Number of steps, a multiple of 20, each on fresh words.
        rate: Peak learning rate.
    """
    setup = model, entries, batch, Recipe(steps, rate, warmup=steps // 20, weight_decay=0.0, record_every=steps // 20)
    done = trials(_network, setup, keys[:, None], (hops,))
    (right, losses, asked, letters), facts = done.found
    right, asked, letters, facts = jax.tree.map(lambda part: part[:, 0], done.finite((right, asked, letters, facts)))
    return PointerRuns(right, losses[:, 0], asked, letters, facts)


def pointer_tables(entries: int, query: int = 0) -> tuple[Int[Array, "tables entries"], Int[Array, " tables"]]:
    """Return all tables f of `entries` numbers, and f(f(query)) of each: entries ** entries rows."""
    tables = all_words(entries, entries)
    return tables, jnp.take_along_axis(tables, tables[:, query, None], axis=1)[:, 0]


@partial(jax.jit, static_argnames=("entries", "starts", "steps", "together"))
def best_sum(
    key: Key[Array, ""], entries: int, starts: int, steps: int, together: int = 1, rate: float = 0.3
) -> Int[Array, ""]:
    """Return the largest number of tables, of entries ** entries, on which a sum over positions was seen to answer f(f(0)).

    The sum answers argmax_c sum_j g_c(j, f(j)); the search is over the functions g.
    Uniform attention with the values g is such a sum, so a head attains every number that is found. By symmetry it is the same
    for every query. The search is Adam on the cross-entropy over all tables, from random starts; every step is a candidate.

    Args:
        key: Key of the starts.
        entries: Numbers of the table.
        starts: Number of starts.
        steps: Steps from each start.
        together: Entries that a term of the sum reads: 1 for a head, 2 for sums over pairs of positions.
        rate: Rate of Adam.
    """
    tables, answers = pointer_tables(entries)
    seen = jax.nn.one_hot(tables, entries, dtype=jnp.float32).reshape(len(tables), -1)
    terms = seen
    for _ in range(together - 1):
        terms = (terms[:, :, None] * seen[:, None]).reshape(len(tables), -1)
    optimiser = optax.adam(rate)

    def loss(g: Array) -> tuple[Array, Array]:
        logits = terms @ g
        right = (logits.argmax(axis=1) == answers).sum()
        return optax.softmax_cross_entropy_with_integer_labels(logits, answers).mean(), right

    def step(state: tuple, _: None) -> tuple[tuple, Array]:
        g, moments = state
        (_, right), slope = jax.value_and_grad(loss, has_aux=True)(g)
        with jax.numpy_dtype_promotion("standard"):  # optax raises floats to integer powers
            moves, moments = optimiser.update(slope, moments)
        return (optax.apply_updates(g, moves), moments), right

    def search(key: Array) -> Array:
        g = jax.random.normal(key, (terms.shape[1], entries), jnp.float32)
        return jax.lax.scan(step, (g, optimiser.init(g)), None, length=steps)[1].max()

    return jax.lax.map(search, jax.random.split(key, starts)).max()


def _network(setup: tuple[SequenceModel, int, int, Recipe], own: Streams, hops: Array) -> Learner:
    model, entries, batch, recipe = setup

    def logits(params: dict, words: Array) -> Array:
        return model.apply(params, words)[:, -1] - params["bias"][None]

    def test(found: Fit) -> tuple[Array, Array, Array, Array]:
        tables = jnp.repeat(all_words(entries, entries), entries, axis=0)
        queries = jnp.tile(jnp.arange(entries), entries**entries)[:, None]
        answers = jax.lax.fori_loop(0, hops, lambda _, at: jnp.take_along_axis(tables, at, axis=1), queries)[:, 0]
        words = jnp.concatenate([tables, queries + entries], axis=1)
        said = logits(found.params, words).argmax(axis=1)
        letters = jnp.bincount(words.ravel(), length=2 * entries)
        return (said == answers).sum(), found.losses, jnp.asarray(said.size), letters

    sample = partial(pointer_words, entries=entries, batch=batch, hops=hops)
    learner = Learner(model.init(own.initial), class_loss(logits), sample, recipe, test)
    return watched(learner, lambda params: params["layers"])

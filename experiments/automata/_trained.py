"""Networks trained to name the state of an automaton after every letter; several seeds and automata as one program."""

import dataclasses
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from depthjax.models import SequenceModel, sequence_model
from depthjax.tasks.automata import readings
from depthjax.training import Recipe, fit
from experiments.automata._compile import jit


@dataclasses.dataclass(frozen=True)
class Setup:
    """What is trained: a static argument, so that all automata and letter probabilities of one shape share a program.

    Attributes:
        kind: of `depthjax.models.sequence_model`.
        depth, width: its layers and its residual stream.
        letters, states: sizes that all tables are padded to.
        length: of the words.
        batch, steps, rate: how it is trained, on fresh words.
        test: words that it is tested on.
        scratchpad: where it is not 0, the network sees the last so many letters alone (recency), each with the state before it:
            the right one in training, its own answers in testing, one position after the other.
    """

    kind: str
    letters: int
    states: int
    length: int
    depth: int = 1
    width: int = 16
    batch: int = 32
    steps: int = 300
    rate: float = 1e-2
    test: int = 1024
    scratchpad: int = 0


class Task(NamedTuple):
    """An automaton and the laws of its letters: of training, of the first letter, of every test.

    Attributes:
        table: next states, padded.
        law: probabilities of the letters in training.
        first: of the first letter, in training and testing.
        tests: one law a row.
        permuted: train on states that belong to other words of the batch.
    """

    table: Int[Array, "*tasks states letters"]
    law: Float[Array, "*tasks letters"]
    first: Float[Array, "*tasks letters"]
    tests: Float[Array, "*tasks tests letters"]
    permuted: Bool[Array, "*tasks"]


class Accuracy(NamedTuple):
    """What a test says.

    Attributes:
        right: share of words whose state is right, at each position.
        constant: share of the most frequent state at each position, which one constant answer for each of them has right.
    """

    right: Float[Array, "*tasks seeds tests length"]
    constant: Float[Array, "*tasks seeds tests length"]


@partial(jit, level=1, static_argnames=("setup", "seeds"))
def accuracy(key: Key[Array, ""], task: Task, setup: Setup, seeds: int) -> Accuracy:
    """Return how right every seed is after training, in each test; tasks have one leading axis or none."""
    keys = jax.random.split(key, seeds)

    def every_seed(task: Task) -> Accuracy:
        return jax.vmap(lambda key: _trained(key, task, setup))(keys)

    return jax.vmap(every_seed)(task) if task.law.ndim == 2 else every_seed(task)


def better_than_constant(right: np.ndarray, constant: np.ndarray) -> np.ndarray:
    """Return whether accuracies lie closer to 1 than to those of the best constant answers."""
    return right > (1 + constant) / 2


def _trained(key: Array, task: Task, setup: Setup) -> Accuracy:
    letters = 1 + setup.letters * setup.states if setup.scratchpad else setup.letters
    model = sequence_model(
        setup.kind, letters=letters, classes=setup.states, width=setup.width, max_depth=setup.depth, dtype="float32"
    )
    training, initial, testing = jax.random.split(key, 3)

    def sample(key: Array) -> tuple[Array, Array]:
        words, states = readings(key, task.table, task.law, setup.batch, setup.length, task.first)
        # the states of the next word are independent of this one
        return words, jnp.where(task.permuted, jnp.roll(states, 1, axis=0), states)

    def loss(params: Any, batch: tuple[Array, Array]) -> tuple[Array, dict[str, Array]]:
        words, states = batch
        logits = _windowed(model, params, words, states, setup) if setup.scratchpad else model.apply(params, words)
        return optax.softmax_cross_entropy_with_integer_labels(logits, states).mean(), {}

    def tested(law: Array) -> Accuracy:
        words, states = readings(testing, task.table, law, setup.test, setup.length, task.first)
        if setup.scratchpad:
            answers = _rolled_out(model, found.params, words, setup)
        else:
            answers = jnp.argmax(model.apply(found.params, words), axis=-1)
        most = jnp.max(jax.nn.one_hot(states, setup.states, dtype=jnp.float32).mean(axis=0), axis=-1)
        return Accuracy((answers == states).mean(axis=0, dtype=jnp.float32), most)

    recipe = Recipe(steps=setup.steps, learning_rate=setup.rate, record_every=setup.steps, warmup=setup.steps // 15, clip=1.0)
    found = fit(training, model.init(initial), loss, sample, recipe)
    return jax.lax.map(tested, task.tests)


def _windowed(model: SequenceModel, params: Any, words: Array, states: Array, setup: Setup) -> Array:
    """Logits from the last letters with the states before them; token 0 fills the windows of the first positions."""
    before = jnp.concatenate([jnp.zeros((len(words), 1), states.dtype), states[:, :-1]], axis=1)
    tokens = jnp.pad(1 + words * setup.states + before, ((0, 0), (setup.scratchpad - 1, 0)))
    index = jnp.arange(setup.length)[:, None] + jnp.arange(setup.scratchpad)[None, :]
    windows = tokens[:, index].reshape(-1, setup.scratchpad)
    return model.apply(params, windows)[:, -1].reshape(*words.shape, -1)


def _rolled_out(model: SequenceModel, params: Any, words: Array, setup: Setup) -> Array:
    """Its own answers, one position after the other."""

    def step(carry: tuple[Array, Array], letter: Array) -> tuple[tuple[Array, Array], Array]:
        window, state = carry
        window = jnp.concatenate([window[:, 1:], (1 + letter * setup.states + state)[:, None]], axis=1)
        state = jnp.argmax(model.apply(params, window)[:, -1], axis=-1).astype(words.dtype)
        return (window, state), state

    blank = jnp.zeros((len(words), setup.scratchpad), words.dtype)
    return jax.lax.scan(step, (blank, blank[:, 0]), words.T)[1].T

"""Networks that are trained to name the state of an automaton after every letter; several seeds and automata in one program."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from depthjax.instruments.trained import Facts, watched
from depthjax.models import sequence_model
from depthjax.tasks.automata import readings
from depthjax.training import Fit, Learner, Recipe, Streams, trials

__all__ = [
    "Accuracy",
    "TrackedAutomaton",
    "TrackingSetup",
    "accuracy",
    "accuracy_and_facts",
    "better_than_constant",
    "halfway",
]


@dataclasses.dataclass(frozen=True)
class TrackingSetup:
    """The network and its training: static, so that all automata and letter probabilities of one shape share a program.

    Attributes:
        kind: Kind of the network, as in `depthjax.models.sequence_model`.
        letters: Number of letters that all tables are padded to.
        states: Number of states that all tables are padded to.
        length: Number of letters of a word.
        depth: Number of layers.
        width: Width of the residual stream.
        batch: Number of words of a training step; every step draws fresh words.
        steps: Number of training steps.
        rate: Peak learning rate.
        test: Number of words of each test.
        scratchpad: With w > 0 the network sees only the last w letters, each with the state before it: the right state in
            training, its own answer in testing, where it answers one position after the other. With 0 it sees the whole word.
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


class TrackedAutomaton(NamedTuple):
    """An automaton and the probabilities of its letters; several tasks have one leading axis.

    Attributes:
        table: Next states, padded.
        law: Probabilities of the letters in training.
        first: Probabilities of the first letter, in training and testing.
        tests: Probabilities of the letters in each test.
        permuted: Train on the states of other words of the batch, which are independent of the word that is read.
    """

    table: Int[Array, "*tasks states letters"]
    law: Float[Array, "*tasks letters"]
    first: Float[Array, "*tasks letters"]
    tests: Float[Array, "*tasks tests letters"]
    permuted: Bool[Array, "*tasks"]


class Accuracy(NamedTuple):
    """The results of the tests.

    Attributes:
        right: Share of the words whose state is right, at each position.
        constant: Share of the most frequent state at each position: what the best constant answers get right.
    """

    right: Float[Array | np.ndarray, "*tasks seeds tests length"]
    constant: Float[Array | np.ndarray, "*tasks seeds tests length"]


def accuracy(
    key: Key[Array, ""], task: TrackedAutomaton, setup: TrackingSetup, seeds: int, depth: Int[Array, ""] | None = None
) -> Accuracy:
    """Return the accuracy of every seed in each test after training; tasks have one leading axis or none.

    It is NaN for a seed whose loss was not finite.

    Args:
        key: Key of all draws.
        task: The automata.
        setup: Static sizes.
        seeds: Number of networks for each task.
        depth: Number of layers that are applied, as an array: depths up to that of the setup then share a program. None applies
            all.

    Cost: the training of ``seeds`` networks for each task.
    """
    tasks = task.law.shape[:-1]  # one leading axis or none
    runs = jax.tree.map(lambda part: np.repeat(np.asarray(part).reshape(-1, *part.shape[len(tasks) :]), seeds, axis=0), task)
    own = jnp.tile(jax.random.split(key, seeds), len(runs.law) // seeds)  # a seed's tasks share their words
    training = jax.vmap(lambda run: jax.random.split(run, 3)[0])(own)
    done = trials(_network, setup, training[:, None], (jax.random.key_data(own), runs), (depth,))
    return jax.tree.map(lambda part: part.reshape(*tasks, seeds, *part.shape[2:]), done.finite(done.found))


def accuracy_and_facts(
    key: Key[Array, ""], task: TrackedAutomaton, setup: TrackingSetup, seeds: int, depth: Int[Array, ""] | None = None
) -> tuple[Accuracy, Facts]:
    """Return what `accuracy` does, and what was trained; tasks have one leading axis. The parts of a network are its layers."""
    runs = jax.tree.map(lambda part: np.repeat(np.asarray(part), seeds, axis=0), task)
    own = jnp.tile(jax.random.split(key, seeds), len(task.law))  # a seed's tasks share their words
    training = jax.vmap(lambda run: jax.random.split(run, 3)[0])(own)
    done = trials(_watched, setup, training[:, None], (jax.random.key_data(own), runs), (depth,))
    return jax.tree.map(lambda part: part.reshape(len(task.law), seeds, *part.shape[2:]), done.finite(done.found))


def better_than_constant(right: np.ndarray, constant: np.ndarray) -> np.ndarray:
    """Return whether accuracies lie closer to 1 than to those of the best constant answers."""
    return right > halfway(constant)


def halfway(constant: np.ndarray) -> np.ndarray:
    """Return the accuracy halfway between that of the best constant answers and 1."""
    return (1 + constant) / 2


def _network(setup: TrackingSetup, _: Streams, own: Array, task: TrackedAutomaton, depth: Array | None) -> Learner:
    _, initial, testing = jax.random.split(jax.random.wrap_key_data(own), 3)
    letters = 1 + setup.letters * setup.states if setup.scratchpad else setup.letters
    model = sequence_model(
        setup.kind, letters=letters, classes=setup.states, width=setup.width, max_depth=setup.depth, dtype="float32"
    )
    apply = partial(model.apply, depth=depth)

    def read(key: Array, law: Array, number: int) -> tuple[Array, Array]:
        words, states = readings(key, task.table, law, number, setup.length, task.first)
        return words.astype(states.dtype), states

    def sample(key: Array) -> tuple[Array, Array]:
        words, states = read(key, task.law, setup.batch)
        return words, jnp.where(task.permuted, jnp.roll(states, 1, axis=0), states)

    def loss(params: Any, batch: tuple[Array, Array]) -> tuple[Array, dict[str, Array]]:
        words, states = batch
        logits = _windowed(apply, params, words, states, setup) if setup.scratchpad else apply(params, words)
        return optax.softmax_cross_entropy_with_integer_labels(logits, states).mean(), {}

    def test(found: Fit) -> Accuracy:
        def tested(law: Array) -> Accuracy:
            words, states = read(testing, law, setup.test)
            if setup.scratchpad:
                answers = _rolled_out(apply, found.params, words, setup)
            else:
                answers = jnp.argmax(apply(found.params, words), axis=-1).astype(states.dtype)
            most = jnp.max(jax.nn.one_hot(states, setup.states, dtype=jnp.float32).mean(axis=0), axis=-1)
            return Accuracy((answers == states).mean(axis=0, dtype=jnp.float32), most)

        return jax.lax.map(tested, task.tests)

    recipe = Recipe(steps=setup.steps, learning_rate=setup.rate, record_every=setup.steps, warmup=setup.steps // 15, clip=1.0)
    return Learner(model.init(initial), loss, sample, recipe, test)


def _watched(*given: Any) -> Learner:
    return watched(_network(*given), lambda params: params["layers"])


def _windowed(apply: Callable[..., Array], params: Any, words: Array, states: Array, setup: TrackingSetup) -> Array:
    """Logits from the last letters and the states before them; token 0 fills the windows of the first positions."""
    before = jnp.concatenate([jnp.zeros((len(words), 1), states.dtype), states[:, :-1]], axis=1)
    tokens = jnp.pad(1 + words * setup.states + before, ((0, 0), (setup.scratchpad - 1, 0)))
    index = jnp.arange(setup.length)[:, None] + jnp.arange(setup.scratchpad)[None, :]
    windows = tokens[:, index].reshape(-1, setup.scratchpad)
    return apply(params, windows)[:, -1].reshape(*words.shape, -1)


def _rolled_out(apply: Callable[..., Array], params: Any, words: Array, setup: TrackingSetup) -> Array:
    """The network's answers, one position after the other, each from the answers before it."""

    def step(carry: tuple[Array, Array], letter: Array) -> tuple[tuple[Array, Array], Array]:
        window, state = carry
        window = jnp.concatenate([window[:, 1:], (1 + letter * setup.states + state)[:, None]], axis=1)
        state = jnp.argmax(apply(params, window)[:, -1], axis=-1).astype(words.dtype)
        return (window, state), state

    blank = jnp.zeros((len(words), setup.scratchpad), words.dtype)
    return jax.lax.scan(step, (blank, blank[:, 0]), words.T)[1].T

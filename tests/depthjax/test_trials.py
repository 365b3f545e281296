"""The harness of trained networks: what a run depends on, depth as data, side by side or one after the other, and failures."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.compiler import lean_options
from depthjax.models import SequenceModel, sequence_model
from depthjax.tasks.words import GroupWords
from depthjax.training import Learner, Recipe, Streams, fit, streams, trials
from depthjax.training.losses import cross_entropy
from theory.groups import group

RECIPE = Recipe(steps=20, learning_rate=1e-2, record_every=10)
WORDS = GroupWords(np.asarray(group("C3").table))
MODEL = sequence_model("rnn", letters=WORDS.letters, classes=WORDS.classes, width=4, max_depth=3)


def network(model: SequenceModel, own: Streams, depth: jax.Array | int) -> Learner:
    def loss(params, batch):
        return cross_entropy(model.apply(params, batch.tokens, depth), batch)

    def test(found):
        return loss(found.params, WORDS.sample(own.test, 32, 6))[0], found.losses

    return Learner(model.init(own.initial), loss, lambda key: WORDS.sample(key, 4, 6), RECIPE, test)


def line(limit: float, own: Streams, target: jax.Array) -> Learner:
    """A parameter that walks to its target in steps of noise, with a loss that is not finite above the limit."""

    def loss(params, noise):
        return jnp.where(params > limit, jnp.nan, (params - target + noise / 10) ** 2), {}

    recipe = Recipe(steps=100, learning_rate=0.1, record_every=50)
    return Learner(-jax.random.uniform(own.initial), loss, jax.random.normal, recipe, lambda found: (found.params, found.steps))


@pytest.fixture(scope="module")
def seeds():
    return jax.random.split(jax.random.key(3), 2)


@pytest.mark.parametrize("together", [False, True])
def test_one_program_of_all_depths_and_seeds_gives_the_numbers_of_one_run_after_another(together, seeds, alone):
    done = trials(network, MODEL, seeds, (np.array([1, 3]),), together=together)
    for mine, twin in zip(done.found, alone, strict=True):
        np.testing.assert_allclose(mine, twin, rtol=1e-4)
        assert len(np.unique(mine)) == mine.size  # no two runs share their numbers
    assert (done.failed == -1).all()


@pytest.fixture(scope="module")
def alone(seeds):
    """Twin: every depth and seed by itself, each depth as a number in a program of its own."""
    rows = []
    for depth in (1, 3):

        def run(key, depth=depth):
            asked = network(MODEL, streams(key), depth)
            return asked.test(fit(key, asked.params, asked.loss, asked.sample, asked.recipe))

        program = jax.jit(run, compiler_options=lean_options(jax.default_backend()))
        rows.append([np.stack(part) for part in zip(*map(program, seeds), strict=True)])
    return [np.stack(part) for part in zip(*rows, strict=True)]


def test_further_rows_and_seeds_compile_nothing(seeds):
    traced = []

    def counted(setup, own, target):
        traced.append(target)
        return line(setup, own, target)

    more = [trials(counted, 2.0, seeds, (np.linspace(0.1, 0.5, rows),), together=False) for rows in (1, 2, 5)]
    assert len(traced) == 1
    np.testing.assert_array_equal(more[2].found[0][0], more[0].found[0][0])


@pytest.mark.parametrize("together", [False, True])
def test_a_run_depends_on_its_own_key_and_row_alone(together, seeds):
    both = np.array([0.5, 1.0])
    many, own = (trials(line, 9.0, keys, (both,), together=together).found[0] for keys in (seeds, jnp.stack([seeds, seeds])))
    one = trials(line, 9.0, seeds[1:], (both[1:],), together=together).found[0]
    none = trials(line, 9.0, seeds, shared=(np.array(1.0),), together=together).found[0]
    assert len(np.unique(many)) == many.size
    np.testing.assert_allclose(own, many, rtol=1e-6)
    np.testing.assert_allclose(one[0, 0], many[1, 1], rtol=1e-6)
    np.testing.assert_allclose(none, many[1], rtol=1e-6)


@pytest.mark.parametrize("together", [False, True])
def test_a_run_that_fails_is_named_and_the_others_go_on(together, seeds):
    done = trials(line, 1.0, seeds, (np.array([0.5, 2.0]),), together=together)
    found, steps = done.found
    assert (done.failed[0] == -1).all() and (done.failed[1] > 0).all()
    assert (steps[1] == done.failed[1]).all() and np.isfinite(found).all()
    known, counted = done.finite(done.found)
    np.testing.assert_array_equal(known[0], found[0])
    np.testing.assert_array_equal(counted[0], [100, 100])
    assert np.isnan(known[1]).all() and np.isnan(counted[1]).all()
    assert known.dtype == found.dtype


@pytest.mark.parametrize(
    ("keys", "rows", "words"),
    [
        ((2,), ([1.0, 2.0], [1.0]), r"rows of lengths \[1, 2\]"),
        ((3, 2), ([1.0, 2.0],), r"rows of lengths \[2\] and keys of shape \(3, 2\)"),
        ((2, 2), (), r"no rows and keys of shape \(2, 2\): expected"),
        ((0,), ([1.0],), r"keys of shape \(0,\)"),
        ((2, 1, 2), ([1.0, 2.0],), r"keys of shape \(2, 1, 2\): expected"),
    ],
)
def test_keys_and_rows_that_do_not_fit_are_refused(keys, rows, words):
    with pytest.raises(ValueError, match=words):
        trials(line, 1.0, jax.random.split(jax.random.key(0), keys), tuple(map(np.array, rows)))


@pytest.mark.parametrize("shape", [(2,), (3, 2)])
def test_a_run_is_not_counted_twice(shape):
    keys = jax.random.split(jax.random.key(0), shape)
    with pytest.raises(ValueError, match="two seeds have one key"):
        trials(line, 1.0, keys.at[..., 1].set(keys[..., 0]), (np.ones(3),))

"""Training on a limited number of different words."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depthjax.instruments.trained_hops import hop_recipe
from depthjax.tasks.fixed import numbered_words
from depthjax.tasks.hops import hop_batch, hop_table
from experiments.width.best_depth_grows_with_data.repeated_words import ENDLESS, train_on_words

DRAWN = partial(hop_batch, alphabet=3, length=6, largest=2)
NUMBERED = jax.jit(lambda key, numbers: numbered_words(key, numbers, DRAWN))
SIZES = {"batch": 4, "tests": 16, "alphabet": 3, "length": 6, "largest": 2, "width": 8, "heads": 2, "mlp": False}


@given(numbers=st.lists(st.integers(0, ENDLESS - 1), min_size=4, max_size=4))
def test_a_word_depends_on_its_number_alone(numbers):
    key = jax.random.key(3)
    words = NUMBERED(key, jnp.asarray(numbers, jnp.int32))
    alone = [NUMBERED(key, jnp.full(4, number, jnp.int32)) for number in numbers]
    np.testing.assert_array_equal(words.tokens, np.stack([np.asarray(one.tokens)[0] for one in alone]))


def test_words_of_different_numbers_differ_and_have_their_own_labels(key):
    words = NUMBERED(key, jnp.arange(64))
    assert len({tuple(word) for word in np.asarray(words.tokens).tolist()}) > 40  # of 96 words in all
    labels = jnp.moveaxis(hop_table(words.tokens, 3, 2), 0, -1).reshape(64, -1)
    np.testing.assert_array_equal(words.labels, labels)


def test_a_run_depends_on_its_seed_and_its_training_set_alone(key):
    recipe = hop_recipe(20, 1e-2)
    both = train_on_words(key, recipe, [2, ENDLESS], depth=1, deepest=1, seeds=2, **SIZES)
    one = train_on_words(key, recipe, [ENDLESS], depth=1, deepest=1, seeds=1, **SIZES)
    np.testing.assert_allclose(one.fresh[0, 0], both.fresh[1, 0], atol=0.05)
    assert both.fresh.shape == (2, 2, 2)


def test_one_program_of_all_depths_gives_the_numbers_of_a_program_for_each(key):
    recipe, train = hop_recipe(10, 1e-2), partial(train_on_words, key, words=[3, ENDLESS], deepest=2, seeds=2, **SIZES)
    for depth in (1, 2):
        shared, alone = (train(recipe=recipe, depth=depth, layout=layout) for layout in ("masked", "buckets"))
        for mine, twin in zip(shared[:-1], alone[:-1], strict=True):
            np.testing.assert_allclose(mine, twin, atol=0.02)  # an answer in a hundred may fall the other way
        (*mine, more, deep), (*twin, fewer, same) = shared.facts, alone.facts
        np.testing.assert_array_equal(mine, twin)
        assert (deep == depth).all() and (same == depth).all() and (more >= fewer).all()  # all layers, or those that are used


def test_one_word_is_learned_by_heart(key):
    runs = train_on_words(key, hop_recipe(200, 2e-2), [1], depth=2, deepest=2, seeds=3, **SIZES)
    assert (runs.seen == 0).all()
    assert runs.fresh.min() > 0.1
    assert runs.other.min() > 0.1

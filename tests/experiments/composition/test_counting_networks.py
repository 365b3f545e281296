"""Counting networks, against words one by one."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.models.polynomial import two_layer
from depthjax.tasks.composition import CompositionTask
from experiments.composition.width_dichotomy.counting import counting_weights
from theory.composition import counting_width
from theory.composition.encodings import generic_task
from theory.groups import group


@pytest.mark.parametrize(("name", "length"), [("C2", 5), ("C3", 3), ("C2xC2", 2)])
def test_counting_composes_every_word(name, length):
    task = CompositionTask(**generic_task(group(name), centred=False))
    weights = counting_weights(task.codes, task.table, length)
    words = np.array(list(itertools.product(range(len(task.table)), repeat=length)))
    products = [int(np.frompyfunc(lambda g, h: task.table[g, h], 2, 1).reduce(word)) for word in words]
    found = np.asarray(two_layer(weights, jnp.asarray(task.codes), jnp.asarray(words)))
    assert np.abs(found - task.codes[products]).max() < 1e-10
    assert weights.width == counting_width(len(task.table), length) == len({tuple(sorted(word)) for word in words})


@pytest.mark.parametrize(
    ("order", "mean", "length", "said"),
    [(3, 0, 2, "linearly dependent"), (60, 1, 4, "595665 counts"), (3, 1, 0, "at least 1")],
)
def test_codes_and_words_that_cannot_be_counted_are_refused(order, mean, length, said):
    elements = np.arange(order)
    codes = np.eye(order) - (1 - mean) / order
    with pytest.raises(ValueError, match=said):
        counting_weights(codes, (elements[:, None] + elements) % order, length)

"""Cells that nobody chose: what is false of ceilings is false there too, or says nothing of them."""

import dataclasses
import random

import jax
import numpy as np
import pytest

from depthjax.tasks.words import all_words
from experiments.automata.counting_ceiling import claim
from experiments.automata.counting_ceiling.common import READERS
from experiments.automata.counting_ceiling.measure import answers, initial
from theory.bounds import ceiling


@pytest.mark.parametrize("seed", range(24))
def test_one_more_letter_helps_wherever_the_control_speaks(seed):
    source = random.Random(seed)
    cell = dataclasses.replace(
        claim.Sizes(), target=claim._targets(5, 3, 24).draw(source), length=source.randint(1, 6), modulus=source.randint(2, 5)
    )
    shares = claim._ceilings(cell)[0]
    if (shares == 1).all():
        return
    moves = claim._moves(cell.target)
    readers = [(cell.modulus if modulo else 0 if counts else 1, last + 1) for counts, modulo, last in READERS.values()]
    more = [ceiling(moves, cell.length, modulus=modulus, last=last).accuracy for modulus, last in readers]
    assert (np.array(more, float) > shares).any() and (np.array(more, float) >= shares).all()


def test_the_commonest_state_is_no_rival_of_a_single_letter():
    one = dataclasses.replace(claim.Sizes(), target="A3", length=3, seeds=0)
    assert claim._commonest(one, {}) is None
    assert claim._commonest(dataclasses.replace(one, target="gridworld4"), {}) is not None


def word_by_word(params, letters, word):
    """What layers say of one word, each from the sum of its inputs so far and the last of them."""
    inputs = list(np.eye(letters)[list(word)])
    for layer in params:
        sums = np.cumsum([x @ layer["sum"] for x in inputs], axis=0) * len(word) ** -0.5
        both = [np.concatenate(pair) for pair in zip(sums, inputs, strict=True)]
        inputs = [np.tanh(x @ layer["mix"] + layer["bias"]) @ layer["out"] for x in both]
    return inputs[-1]


@pytest.mark.parametrize(("layers", "letters", "length"), [(1, 3, 4), (2, 3, 4), (2, 2, 1), (3, 2, 3), (2, 1, 3)])
def test_words_that_begin_alike_share_what_layers_say(layers, letters, length):
    params = initial(jax.random.key(layers), 5, letters, 4, layers)
    found = np.asarray(jax.jit(answers, static_argnums=(1, 2))(params, letters, length))
    plain = jax.tree.map(np.asarray, params)
    for word, said in zip(np.asarray(all_words(letters, length)), found, strict=True):
        np.testing.assert_allclose(said, word_by_word(plain, letters, word), rtol=1e-4, atol=1e-5)

"""Every word up to a length, and the fewest layers without an error."""

import itertools

import numpy as np

from depthjax.instruments.layers_needed import fewest_layers
from depthjax.tasks.short_words import short_words


def test_every_word_is_there_once_behind_no_longer_one():
    words, lengths = short_words(3, 4)
    found = [tuple(word[:length].tolist()) for word, length in zip(words, lengths, strict=True)]
    assert found == [word for length in range(1, 5) for word in itertools.product(range(3), repeat=length)]
    assert not words[np.arange(4)[None, :] >= lengths[:, None]].any()


def test_layers_are_needed_up_to_the_last_error():
    errors = [5, 0, 2, 0, 0]  # right by chance with one layer, wrong with two
    assert fewest_layers(errors.__getitem__, 4) == 3
    assert fewest_layers([0, 0, 0].__getitem__, 2) == 0
    assert fewest_layers([0, 0, 1].__getitem__, 2) == 3

"""Lengths at which two sums confuse words, against all words and all second layers at once."""

import itertools

import pytest

from experiments.lie.two_layers_record_the_word.recorded import confusion_length, first_layers


def states(word, moduli, steps):
    """Every pair of a first sum and a letter, as often as it comes."""
    place, seen = (0,) * len(moduli), []
    for letter in word:
        seen.append((place, letter))
        place = tuple((a + b) % m for a, b, m in zip(place, steps[letter], moduli, strict=True))
    return tuple(sorted(seen))


@pytest.mark.parametrize("moduli, steps", [(m, s) for m, s in first_layers(4)], ids=lambda part: str(part.tolist())[:9])
def test_two_words_of_this_length_leave_the_same_states(moduli, steps):
    for pair in steps.tolist():
        words = itertools.product((0, 1), repeat=confusion_length(moduli.tolist(), *pair))
        found = [states(word, moduli.tolist(), pair) for word in words]
        assert len(set(found)) < len(found)


@pytest.mark.parametrize("values", [1, 2, 3, 4])
def test_the_clock_confuses_no_shorter_words(values):
    found = [states(word, [values], [[1], [1]]) for word in itertools.product((0, 1), repeat=values)]
    assert len(set(found)) == len(found)
    assert confusion_length([values], [1], [1]) == values + 1


@pytest.mark.parametrize("call", [lambda: first_layers(0), lambda: confusion_length([0], [1], [1])])
def test_sizes_are_positive(call):
    with pytest.raises(ValueError):
        call()

"""k-hop: the weights against the definition of the task, the staircase, refusals."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.attention.lookup import default_sharpness, longest_length, lookup_error
from depthjax.constructions import hop_transformer
from depthjax.constructions.directions.hop import hop_family, reach
from depthjax.constructions.directions.transformer import CompiledTransformer
from depthjax.instruments.evolutionary_search import hardest_words, of_one_layer_each
from depthjax.instruments.hops import wrong_by_depth
from depthjax.tasks.hops import (
    alternating_word,
    find_power,
    hop_labels,
    hop_words,
    late_letter_word,
)
from tests import by_hand

MASKS = ("strict", "causal")


def layers_needed(hops, mask):
    return hops.bit_length() + 1 if mask == "strict" else (hops - 1).bit_length() + 2


def answers(model, weights, words):
    return np.asarray(jax.jit(model.apply)(weights, words)).argmax(axis=-1)


@pytest.mark.parametrize("mask", MASKS)
def test_all_short_words_of_small_models(mask):
    """Every position is judged, so that the words of one length try all shorter ones."""
    for alphabet, length in ((3, 6), (2, 1)):
        words = jnp.asarray(np.indices((alphabet,) * length).reshape(length, -1).T.astype(int))
        hops = tuple(range(1, length + 1))
        family, weights = hop_family(hops, length, alphabet, mask)
        assert (np.asarray(wrong_by_depth(family, weights, words, hops))[:, -1] == 0).all()


@pytest.mark.parametrize("mask", MASKS)
def test_weights_compute_the_definition_and_a_family_answers_as_its_members(mask):
    words = hop_words(jax.random.key(10), 5, 40, 14, equal_neighbours=True)
    hops = (11, 1, 3)
    family, weights = hop_family(hops, 14, 5, mask)
    logits = np.asarray(jax.jit(family.apply_by_depth)(weights, words)).reshape(40, family.depth, 14, 3, 6)
    for place, k in enumerate(hops):
        model, own = hop_transformer(k, 14, 5, mask)
        alone = np.asarray(jax.jit(model.apply)(own, words))
        assert alone.argmax(axis=-1).tolist() == [by_hand.hops(word, k, 5) for word in words.tolist()]
        # once it has finished a member rests
        assert (logits[:, model.depth - 1 :, :, place] == alone[:, None]).all()
        assert family.width == model.width + 2 * (len(hops) - 1)
        assert model.depth == layers_needed(k, mask)
        assert reach(model.depth, mask) >= k > reach(model.depth - 1, mask)
    cut, own = hop_transformer(11, 14, 5, mask, layers=2)
    assert (logits[:, 1, :, 0] == np.asarray(jax.jit(cut.apply)(own, words))).all()


def searched(key, count, length, alphabet, hops, mask, rounds, dtype=jnp.float32):
    """Random words, as many that a search made hard for the model of `hops`, the hardest known word, the alternating one."""
    random = hop_words(key, alphabet, count, length)
    model, weights = hop_transformer(hops, length, alphabet, mask, dtype)

    @jax.jit
    def score(words):
        return of_one_layer_each(model.unrounded(weights, words))

    hard = hardest_words(jax.random.fold_in(key, 1), score, random, alphabet, rounds)
    assert (score(hard) >= score(random)).all()
    return jnp.concatenate([random, hard, late_letter_word(length)[None], alternating_word(length)[None]])


def right(words, largest, alphabet, mask, dtype=jnp.float32):
    """By depth and k, of all words and of the last alone: no wrong position."""
    hops = tuple(range(1, largest + 1))
    family, weights = hop_family(hops, words.shape[1], alphabet, mask, dtype)
    wrong = np.asarray(wrong_by_depth(family, weights, words, hops))
    return (wrong.sum(axis=0) == 0).tolist(), (wrong[-1] == 0).tolist()


def within_reach(largest, mask):
    return [[k <= reach(layers, mask) for k in range(1, largest + 1)] for layers in range(1, layers_needed(largest, mask) + 1)]


@pytest.mark.parametrize("mask", MASKS)
def test_right_within_the_reach_and_wrong_on_some_word_beyond(mask):
    """The alternating word alone defeats every k beyond the reach."""
    words = searched(jax.random.key(7), 16, 48, 4, 20, mask, 20)
    assert right(words, 20, 4, mask) == (within_reach(20, mask),) * 2


@pytest.mark.parametrize("mask", MASKS)
def test_shorter_words_need_no_other_model(mask):
    model, weights = hop_transformer(4, 40, 4, mask)
    words = hop_words(jax.random.key(1), 4, 8, 17)
    assert (answers(model, weights, words) == hop_labels(words, 4, 4)).all()


@pytest.mark.parametrize("mask", MASKS)
def test_staircase_of_relus_is_the_same_rounding(mask):
    model, weights = hop_transformer(6, 60, 4, mask, rounding="relu")
    plain = dataclasses.replace(model, rounding="arithmetic")
    words = jnp.concatenate([hop_words(jax.random.key(2), 4, 8, 60), late_letter_word(60)[None]])
    assert (jax.jit(model.apply)(weights, words) == jax.jit(plain.apply)(weights, words)).all()
    assert model.staircase_units == 2 * 61


def test_trace_reads_as_pointers():
    word = hop_words(jax.random.key(4), 4, 1, 30)
    model, weights = hop_transformer(5, 30, 4, "strict")
    trace = model.trace(weights, word[0])
    once = np.asarray(find_power(word, 4, 1))[0]
    assert (trace[1]["pointer"][1:] == once).all()
    assert (trace[2]["target"][1:] == once).all()
    twice = np.where(once > 0, np.append(0, once)[once], 0)
    assert (trace[2]["pointer"][1:] == twice).all()
    assert (trace[-1]["token"][1:] == np.asarray(hop_labels(word, 4, 5))[0]).all()


def test_measured_errors_stay_below_their_bound():
    length = 64
    model, weights = hop_transformer(7, length, 4, "strict", sharpness=6.0, dtype=jnp.float64)
    start = hop_words(jax.random.key(5), 4, 64, length)
    hard = hardest_words(jax.random.key(6), lambda words: of_one_layer_each(model.unrounded(weights, words)), start, 4, 60)
    unrounded = jax.jit(model.unrounded)
    before, after = (of_one_layer_each(unrounded(weights, words)) for words in (start, hard))
    assert (after >= before).all()
    assert all(after[layer :: model.depth].mean() > before[layer :: model.depth].mean() for layer in range(model.depth))
    bound = lookup_error(length, 6.0)
    assert float(unrounded(weights, hard).max()) <= bound
    worst = float(unrounded(weights, late_letter_word(length)[None]).max())
    assert 0.9 * bound < worst <= bound


def test_float_limits():
    assert [longest_length(t) for t in (jnp.float32, jnp.float16, jnp.bfloat16)] == [4096, 45, 16]
    assert default_sharpness(512) == 8 and default_sharpness(4096) == 16


@pytest.mark.parametrize("dtype, most", [(jnp.bfloat16, 3), (jnp.float16, 31), (jnp.float32, 2**18 - 1)])
def test_numbers_that_no_sharpness_reads_exactly_are_refused(dtype, most):
    assert default_sharpness(most, dtype) >= 2
    with pytest.raises(ValueError, match="that one head averages round by"):
        default_sharpness(most + 1, dtype)


def test_weights_in_a_type_that_rounds_too_much_are_refused_with_one_that_suffices():
    with pytest.raises(ValueError, match="float32 suffices"):
        hop_transformer(2, 8, 4, dtype=jnp.bfloat16)


@pytest.mark.slow
def test_the_longest_word_of_float32():
    model, weights = hop_transformer(2, 4096, 4)
    words = late_letter_word(4096)[None]
    assert (answers(model, weights, words) == hop_labels(words, 4, 2)).all()


def test_float64_beyond_the_limit_of_float32():
    length = 4200
    model, weights = hop_transformer(2, length, 4, "causal", jnp.float64)
    word = alternating_word(length)[None]
    assert (answers(model, weights, word) == hop_labels(word, 4, 2)).all()
    narrow = jax.tree.map(lambda array: array.astype(jnp.float32), weights)
    assert (answers(model, narrow, word) != hop_labels(word, 4, 2)).any()


@pytest.mark.slow
@pytest.mark.parametrize("mask", MASKS)
def test_long_words_random_and_searched(mask):
    """Twenty times as many words: `python benchmarks/hop.py --words 1000`."""
    words = searched(jax.random.key(8), 48, 512, 4, 64, mask, 24)
    assert right(words, 64, 4, mask) == (within_reach(64, mask),) * 2


@pytest.mark.slow
def test_every_k_in_float64_beyond_the_limit_of_float32():
    words = searched(jax.random.key(9), 2, 4200, 4, 64, "strict", 2, jnp.float64)
    assert right(words, 64, 4, "strict", jnp.float64) == (within_reach(64, "strict"),) * 2


def test_no_row_is_fully_masked():
    for mask in MASKS:
        model, weights = hop_transformer(1, 6, 2, mask)
        for layer in model.trace(weights, jnp.zeros(6, int))[1:]:
            np.testing.assert_allclose(layer["attention"].sum(axis=1), 1, rtol=1e-6)
            assert layer["target"][0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 8, 4), "hops must be at least 1"),
        ((9, 8, 4), "at most length = 8"),
        ((1, 8, 1), "alphabet must be at least 2"),
        ((1, 8, 4, "full"), "'strict' or 'causal'"),
        ((1, 4097, 4), "limit 4096 of float32.*float64 suffices"),
        ((1, 46, 4, "strict", jnp.float16), "limit 45 of float16.*float32 suffices"),
        ((1, 8, 4, "strict", jnp.int32), "floating point"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ValueError, match=words):
        hop_transformer(*arguments)


def test_refused_words_and_descriptions():
    model, weights = hop_transformer(1, 8, 4)
    with pytest.raises(ValueError, match="1 <= length <= 8"):
        model.apply(weights, jnp.zeros((1, 9), jnp.int32))
    with pytest.raises(ValueError, match="mask must be one of"):
        CompiledTransformer((), ("sideways",), 8, 4)

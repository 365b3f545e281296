"""Tables through explicit weights against loops, and confused pairs against every word of very short tables."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.directions.tables import table_transformer, table_words
from experiments.attention.composition_needs_depth import passes
from experiments.attention.composition_needs_depth.two_layers import (
    TwoLayers,
    confused,
    drawn,
    errs,
    halves,
    knowing,
    known_starts,
    tables,
)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("mask", ["causal", "full"])
def test_the_answer_is_that_of_a_loop(mask, dtype):
    draw = np.random.default_rng(3)
    given, starts = draw.integers(0, 4, (9, 3, 4)), draw.integers(0, 4, 9)
    model, weights = table_transformer(3, 4, most=5, mask=mask, dtype=dtype)
    found = model.apply(weights, jnp.asarray(table_words(starts, given, most=5)))[:, -1].argmax(axis=-1)
    for word, (value, rows) in enumerate(zip(starts, given, strict=True)):
        for row in rows:
            value = row[value]
        assert found[word] == value
    assert model.width == 5 and model.depth == 4


def test_every_word_of_two_tables_over_two_points():
    tables_of = np.array(list(itertools.product(range(2), repeat=4))).reshape(-1, 2, 2)
    starts = np.repeat([0, 1], len(tables_of))
    given = np.concatenate([tables_of, tables_of])
    model, weights = table_transformer(2, 2)
    found = model.apply(weights, jnp.asarray(table_words(starts, given)))[:, -1].argmax(axis=-1)
    assert found.tolist() == [rows[1, rows[0, start]] for start, rows in zip(starts, given, strict=True)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 3), "tables"),
        ((2, 0), "points"),
        ((3, 2, None, 2), "most"),
        ((2, 2, 0), "layers"),
        ((2, 2, None, None, "strict"), "hides the position"),
        ((64, 64), "limit 4096"),
    ],
)
def test_bad_sizes_are_named(arguments, words):
    names = "tables", "points", "layers", "most", "mask"
    with pytest.raises(ValueError, match=words):
        table_transformer(**dict(zip(names, arguments, strict=False)))


def test_a_table_is_read_off_its_number():
    rows = tables(3, 2)
    assert rows.shape == (8, 3) and (rows @ 2 ** np.arange(3)).tolist() == list(range(8))


def test_layers_know_the_starts_that_they_are_built_for():
    firsts = tables(6, 3)
    assert known_starts(drawn(np.random.default_rng(1), firsts, 3, 1), firsts, 1) == 0
    for places in ((0,), (4,), (1, 5), (0, 2, 3)):
        assert known_starts(knowing(firsts, 3, *places), firsts, len(places)) == len(places)


def test_no_pair_is_found_where_all_is_heard():
    firsts = tables(2, 3)
    everything = np.repeat(np.arange(len(firsts), dtype=np.int8)[:, None, None], 3, axis=1).repeat(2, axis=2)
    layers = TwoLayers(np.arange(len(firsts)), everything, np.zeros(8, int), lambda chosen, start, heard: heard[:, 0])
    assert confused(layers, firsts, 4) is None
    assert confused(knowing(tables(1, 4), 4, 0), tables(1, 4), 1) is None


@pytest.mark.parametrize("seed", range(3))
def test_a_pair_is_one_word_to_the_layers(seed):
    firsts = tables(12, 3)
    layers = drawn(np.random.default_rng(seed), firsts, 3, 1)
    pair = confused(layers, firsts, 1)
    assert pair is not None and errs(layers, pair)
    one, two = pair.seconds
    assert one[pair.first[pair.start]] != two[pair.first[pair.start]]
    other = pair.seconds.copy()
    other[1] = one
    assert not errs(layers, type(pair)(pair.start, pair.first, other, pair.number))


def test_two_bits_know_two_starts_and_a_sample_shows_a_third():
    firsts = np.random.default_rng(4).integers(0, 5, (400, 7), np.int8)
    layers = knowing(firsts, 5, 0, 1)
    for first, told in zip(firsts, layers.heard, strict=True):  # the answers of the starts that are known
        for second in tables(5, 2)[[1, 6, 19, 30]]:
            heard = told[np.arange(5), second][None]
            assert [layers.late(second[None], start, heard)[0] for start in (0, 1)] == [second[first[0]], second[first[1]]]
    pair = confused(layers, firsts, 2)
    assert pair is not None and pair.start == 2 and errs(layers, pair)
    assert confused(knowing(firsts % 4, 4, 0, 1), firsts % 4, 2) is None  # two layers hold four entries


def test_halves_are_right_up_to_two_layers_of_bits():
    assert [[b for b in range(1, 8) if halves(b, bits)][-1] for bits in (1, 2, 3)] == [2, 4, 6]


def test_passes_follow_the_order_of_the_tables():
    draw = np.random.default_rng(0)
    given, starts = draw.integers(0, 3, (40, 4, 3)), draw.integers(0, 3, 40)
    assert passes.right_passes(starts, given) == [1, 2, 3, 4]
    assert passes.right_passes(starts, given, last_first=False) == [1] * 4
    assert [passes.classes(points) for points in (1, 2, 3)] == [1, 4, 27]

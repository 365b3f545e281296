"""The claims of training and of precision: their arithmetic by another route, and their exact parts through the judge."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.towers.group import AbelianTable
from depthjax.instruments.word_problem import resets
from depthjax.tasks.words import GroupWords
from depthjax.training.losses import correct, longest_prefix, word_accuracy
from depthjax.verify.seeds import binomial_limits, median_limits
from experiments.lie.precision_horizon.phases import rounding, unitary_failures
from experiments.training.expressible_not_learned.phase_network import exact, logits
from experiments.training.rotation_depth import claim as rotation_depth
from experiments.training.rotation_depth.order_blind import order_blind_errors
from experiments.training.rotation_depth.orderings import hultman, mean_overlap, overlaps
from experiments.training.word_problem_depth import claim as word_problem_depth
from theory import bounds, groups
from theory.floats import ulp
from theory.width.residual import NORMS, agreement, sensitivity, stream_weight


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_rounding_is_the_types_own(name):
    """Twin: the type's own conversion, subnormal numbers and ties included."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal(4000) * 10.0 ** rng.integers(-9, 5, 4000)
    values = np.concatenate([values, np.arange(1, 50) * 2.0**-25, 1 + np.arange(64) * 2.0**-12])
    with np.errstate(over="ignore"):
        own = np.asarray(values.astype(np.float32 if name == "float32" else jnp.dtype(name)), np.float64)
    np.testing.assert_array_equal(np.asarray(rounding(jnp.dtype(name))(jnp.asarray(values))), own)
    with pytest.raises(ValueError, match="at most 24"):
        rounding(jnp.dtype("float64"))


def test_unitary_counts_are_those_of_half_precision_arithmetic():
    """Twin: a loop over numpy's own float16, which rounds every operation once."""
    order, offset = 24, 6 * 2.0**-10
    words = np.random.default_rng(1).integers(0, order, (120, 5))
    angles = 2 * np.pi * np.arange(order) / order + offset
    cos, sin = np.cos(angles).astype(np.float16), np.sin(angles).astype(np.float16)
    x, y, first = np.ones(5, np.float16), np.zeros(5, np.float16), np.full(5, 121)
    for time, letters in enumerate(words):
        c, s = cos[letters], sin[letters]
        x, y = x * c - y * s, x * s + y * c
        count = words[: time + 1].sum(axis=0) % order
        read = np.round(np.arctan2(y.astype(float), x.astype(float)) * order / (2 * np.pi)).astype(int) % order
        first = np.where((read != count) & (first == 121), time + 1, first)
    found = unitary_failures(jnp.asarray(words), order, jnp.dtype("float16"), offset=offset)
    np.testing.assert_array_equal(found, first)
    assert (first <= 120).all()


def test_horizons_refuse_what_they_do_not_cover():
    with pytest.raises(ValueError, match="float64"):
        bounds.phase_horizon(5, "float64")
    with pytest.raises(ValueError, match="gamma < sin"):
        bounds.phase_horizon(400, "bfloat16").at()
    with pytest.raises(ValueError, match="offset outweighs"):
        bounds.phase_loss(5, "float16", ulp("float16")).at()


def test_overlaps_by_surfaces_and_by_multisets():
    """Two routes to the mean over orders: genus counts, and means over the last letter, in an irreducible plane of S3."""
    plane = next(irrep for irrep in groups.group("S3").irreps if irrep.dimension == 2)
    turns = np.asarray(plane.matrices)
    assert abs(turns.imag).max() < 1e-12
    found = overlaps(turns.real, np.array([0.6, 0.8]), 4)
    np.testing.assert_allclose(found, [float(mean_overlap(n, 2)) for n in range(5)], rtol=1e-12)
    for n in range(7):
        assert sum(hultman(n, k) for k in range(n + 2)) == np.prod(np.arange(1, n + 1), dtype=int)


def test_the_floor_of_the_rotation_task():
    floors = rotation_depth.floors(rotation_depth.Sizes(alphabet="all", length=4))
    np.testing.assert_allclose(floors, [0, 0, 0, 4 / 27, 20 / 81], atol=1e-15)  # overlaps 1, 1, 5/9, 7/27
    (cell,) = rotation_depth.GRIDS["quick"].cells()
    assert (rotation_depth.floors(cell) < 1 / 3).all() and len(rotation_depth.objects(cell)["letters"]) == 2


def test_shuffled_words_err_as_much_as_the_overlaps_say(key):
    plane = next(irrep for irrep in groups.group("S3").irreps if irrep.dimension == 2)
    turns, start = np.asarray(plane.matrices).real, np.array([0.6, 0.8])
    found = order_blind_errors(key, turns, start, 4, 4096)
    np.testing.assert_allclose(found.error[:2], 0, atol=1e-15)  # no letter or one letter has one order
    assert (abs(found.error - (1 - overlaps(turns, start, 4)) / 2) <= 5 * found.spread + 1e-15).all()


@pytest.mark.parametrize("name", ["C3", "A4"])
def test_the_phase_network_of_a_tower_makes_no_error(name, key):
    group = groups.group(name)
    stages = [AbelianTable(stage.moduli, stage.increments) for stage in group.tower.stages]
    weights = exact(stages, np.asarray(group.tower.elements), 9.0)
    batch = GroupWords(group.table, bos=False).sample(key, 16, 40)
    found = np.asarray(logits(weights, stages, batch.tokens))
    np.testing.assert_array_equal(found.argmax(axis=-1), batch.labels)
    assert abs(np.sort(found, axis=-1)[..., -1] - 9).max() < 1e-3 and abs(np.sort(found, axis=-1)[..., -2]).max() < 1e-3


def test_accuracies_of_a_word_with_one_mistake():
    labels = jnp.zeros((10, 5), jnp.int32)
    outputs = jax.nn.one_hot(labels.at[0, 3].set(1), 2)
    weights = jnp.ones((10, 5), jnp.float32)
    right = correct(outputs, labels, weights)
    found = word_accuracy(right, weights)
    assert float(found["token"]) == pytest.approx(0.98) and float(found["sequence"]) == pytest.approx(0.9)
    assert int(longest_prefix(right, bos=True)) == 4 and int(longest_prefix(right, bos=True, share=0.95)) == 2
    assert bool(correct(outputs, labels, weights.at[0, 3].set(0)).all())


def test_limits_of_a_median():
    """Free of distributions: of eight fresh runs all lie on one side of the median with probability 2^-7 in all."""
    low, high = median_limits(np.arange(8.0))
    assert (low, high) == (0.0, 7.0)
    assert np.isinf(median_limits(np.arange(4.0))[0])
    low, high = median_limits(np.arange(20.0))
    assert binomial_limits(int(low) + 1, 20)[1] < 0.55 and (low, high) == (5.0, 14.0)


def test_cells_of_the_word_problem_say_why():
    """Positive diagonals solve nothing, signs C2 alone, and an LSTM both groups."""
    said = {}
    for cell in word_problem_depth.GRIDS["quick"].cells():
        for prediction in word_problem_depth.predict(cell, {}):
            assert all(hypothesis.holds for hypothesis in prediction.hypotheses)
            if (group := prediction.of.removeprefix("solved_")) != prediction.of:
                said[cell.model, cell.depth, group] = prediction.value
    expected = {("signed_mamba", 1, "C2"): 1, ("lstm", 1, "C2"): 1, ("lstm", 1, "S3"): 1}
    expected |= {("mamba", 1, "C2"): 0, ("mamba", 2, "C3"): 0}
    assert said == expected | {("signed_mamba", depth, "S3"): 0 for depth in (1, 2)}


def test_resets_are_a_monoid_whose_products_are_last_letters():
    table = resets(4)
    np.testing.assert_array_equal(table[table], table[:, table])  # associative
    assert table[2, 0] == 2 and table[0, 3] == 3 and table[2, 3] == 3


@pytest.mark.parametrize("norm", NORMS)
def test_the_sensitivity_is_the_slope_of_the_agreement(norm):
    """Twin: the closed form of the limit, differenced near correlation one."""
    gap = 1e-6
    slope = (1 - agreement(norm, 12, 1 - gap)[-1].limit) / gap
    assert sensitivity([stream_weight(norm, layer) for layer in range(12)]) == pytest.approx(slope, rel=1e-4)

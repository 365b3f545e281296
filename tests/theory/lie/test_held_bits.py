"""Rates at which errors are forgotten, by eigenvalues of matrices, by recurrences and by search."""

import math

import numpy as np
import pytest

from theory.bounds import correctable_error
from theory.errors import OutsideHypotheses
from theory.lie.held_bits import decay_rates, forgetting_rate, largest_letter, resting_place


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", range(4))
def test_decay_rates_are_eigenvalues(size, seed):
    rng = np.random.default_rng(seed)
    decay, rate, key = rng.uniform(0.5, 1, size), rng.uniform(0.1, 2, size), rng.normal(size=size)
    expected = np.sort(np.linalg.eigvals(np.diag(decay) - np.outer(key, rate * key)).real)
    found = decay_rates(decay.tolist(), rate.tolist(), key.tolist())
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert sum(found) == pytest.approx(decay.sum() - (rate * key**2).sum())  # the trace
    assert all(low < x < high for low, x, high in zip(np.sort(decay), found[1:], np.sort(decay)[1:], strict=False))


@pytest.mark.parametrize("gain", [0.5, 1.0, 1.01, 1.5, 2.0, 8.0])
def test_the_resting_place_is_where_the_recurrence_ends(gain):
    z = 1.0
    for _ in range(20_000):
        z = math.tanh(gain * z)
    assert resting_place(gain) == pytest.approx(z if gain > 1 else 0.0, abs=1e-12)


@pytest.mark.parametrize("gain", [1.2, 2.0, 5.0])
@pytest.mark.parametrize("forget", [0.0, 0.4, 0.9])
def test_the_rate_is_what_a_letter_leaves(gain, forget):
    z, off = resting_place(gain), 1e-7
    moved = forget * (z + off) + (1 - forget) * math.tanh(gain * (z + off))
    assert forgetting_rate(gain, forget) == pytest.approx((moved - z) / off, abs=1e-5) and forgetting_rate(gain, forget) < 1


@pytest.mark.parametrize("gain", [1.2, 2.0, 5.0])
@pytest.mark.parametrize("forget", [0.0, 0.8])
def test_a_bit_is_held_below_the_error_and_lost_above(gain, forget):
    most = correctable_error(gain, forget).at()
    for share, held in ((0.99, True), (1.01, False)):
        z = resting_place(gain)
        for _ in range(20_000):
            z = forget * z + (1 - forget) * math.tanh(gain * z) - share * most
        assert (z > 0) == held


@pytest.mark.parametrize("gain", [1.05, 1.2, 2.0, 7.0])
@pytest.mark.parametrize("forget", [0.0, 0.8])
def test_a_letter_changes_a_bit_beyond_its_threshold_alone(gain, forget):
    most = largest_letter(gain)
    assert most * (1 - forget) / gain == pytest.approx(correctable_error(gain, forget).at())
    for share, held in ((0.98, True), (1.02, False)):
        z = resting_place(gain)
        for _ in range(30_000):
            z = forget * z + (1 - forget) * math.tanh(gain * z - share * most)
        assert (z > 0) == held


def test_what_holds_no_bit():
    assert largest_letter(1) == largest_letter(0.3) == 0
    for arguments, words in (((1,), "gain > 1"), ((0.5,), "gain > 1"), ((2, 1), "forget < 1")):
        with pytest.raises(OutsideHypotheses, match=words):
            correctable_error(*arguments).at()
    with pytest.raises(ValueError, match="gain"):
        correctable_error(-1)

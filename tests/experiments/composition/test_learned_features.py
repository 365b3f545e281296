"""The networks whose features are measured, the sum over the Cayley table, and the encodings that are drawn."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.composition.learned_features import networks
from experiments.composition.learned_features.encodings import drawn_encoding, function, hypotheses
from theory.composition import score, spectrum
from theory.composition.features import first_irreps
from theory.groups import fourier, group, inverse_fourier


def naive_answer(weights, codes, a, b):
    u, v, w = weights
    return sum(w[:, i] * (u[:, i] @ codes[a] + v[:, i] @ codes[b]) ** 2 for i in range(w.shape[1]))


def test_answers_and_loss_are_sums_over_neurons_and_words():
    finite = group("S3")
    source = np.random.default_rng(0)
    table, weights, encoding = np.asarray(finite.table), source.normal(size=(3, 6, 4)), source.normal(size=6)
    codes = encoding[table]
    expected = np.array([[naive_answer(weights, codes, a, b) for b in range(6)] for a in range(6)])
    np.testing.assert_allclose(networks.answers(jnp.asarray(weights), jnp.asarray(codes)), expected, rtol=1e-12)
    loss = sum(np.sum((expected[a, b] - codes[table[a, b]]) ** 2) for a in range(6) for b in range(6)) / 72
    found = networks.loss_of(jnp.asarray(weights), jnp.asarray(codes), jnp.asarray(codes[table]))
    assert float(found) == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize("name", ["C2", "S3", "Q8"])
def test_the_feature_is_a_sum_over_three_elements(name):
    finite = group(name)
    u, v, w = weights = np.random.default_rng(1).normal(size=(3, finite.order, 5))
    expected = np.zeros(finite.order)
    for a, b, c in itertools.product(range(finite.order), repeat=3):
        expected[finite.table[finite.table[c][finite.inverses[b]]][a]] += np.sum(u[c] * w[b] * v[a])
    np.testing.assert_allclose(networks.feature(weights, np.asarray(finite.table)), expected, atol=1e-12)
    # its coefficients are products of those of the blocks
    blocks = zip(*(fourier(finite, block.T) for block in (u, v, w)), strict=True)
    for own, (one, two, out) in zip(fourier(finite, expected), blocks, strict=True):
        product = np.einsum("iab,icb,icd->ad", two, out.conj(), one)
        np.testing.assert_allclose(own, product, atol=1e-9)


def test_the_flow_stops_where_it_starts_to_learn():
    finite = group("S3")
    codes = drawn_encoding(finite, 0, 1.5, 0)[np.asarray(finite.table)]
    target = codes[np.asarray(finite.table)]
    weights, loss, _ = networks.begun(jax.random.key(0), codes, target, 12.0, 20)
    share = np.linalg.norm(networks.answers(weights, jnp.asarray(codes))) / np.linalg.norm(target)
    assert np.exp(-6.0) <= share < 1.5 * np.exp(-6.0)
    assert float(loss) == pytest.approx(0.5 * (target**2).sum() / 36, rel=0.02)
    # a neuron grows at the ascent of its utility: u, v and w share its norm
    norms = np.sort(np.asarray((weights**2).sum(axis=1)), axis=1)[:, -1]
    np.testing.assert_allclose(norms, norms.mean(), rtol=1e-2)


def test_a_flow_that_is_still_small_after_all_steps_has_no_weights(monkeypatch):
    finite = group("C5")
    codes = drawn_encoding(finite, 0, 1.5, 0)[np.asarray(finite.table)]
    monkeypatch.setattr(networks, "LONGEST", 1)
    weights, _, _ = networks.begun(jax.random.key(0), codes, codes[np.asarray(finite.table)], 12.0, 3)
    networks.begun.clear_cache()
    assert np.isnan(weights).all()


def test_training_loses_the_loss():
    finite = group("S3")
    codes = drawn_encoding(finite, 1, 1.5, 0)[np.asarray(finite.table)]
    target = codes[np.asarray(finite.table)]
    before, after = (networks.ended(jax.random.key(0), codes, target, 60, steps) for steps in (0, 2000))
    assert float(before.loss) > 0.1
    assert float(after.loss) < 1e-12
    assert (int(before.steps), int(after.steps)) == (0, 2000)
    np.testing.assert_allclose(networks.answers(after.weights, jnp.asarray(codes)), target, atol=1e-5)


@pytest.mark.parametrize("name", ["C2", "C6", "S3", "Q8", "A4", "C7:C3"])
@pytest.mark.parametrize("leader", range(3))
def test_the_irrep_that_is_asked_for_leads(name, leader):
    finite = group(name)
    encoding = drawn_encoding(finite, leader, 1.7, leader)
    assert abs(encoding.sum()) < 1e-12
    assert np.linalg.norm(encoding) == pytest.approx(1)
    assert all(condition.holds for condition in hypotheses(finite, encoding))
    irreps = [irrep for irrep in finite.irreps[1:] if irrep.conjugate >= irrep.number]
    first = irreps[-1 - leader % len(irreps)]
    assert first_irreps(finite, encoding) == {first.number, first.conjugate}
    scores = [float(score(component, 2)) for component in spectrum(finite, encoding)]
    others = [own for number, own in enumerate(scores) if number not in first_irreps(finite, encoding) and number]
    assert not others or scores[first.number] == pytest.approx(1.7 * max(others))


@pytest.mark.parametrize("name", ["C5", "Q8", "A4"])
def test_functions_are_summed_with_the_matrices_of_the_irreps(name):
    finite = group(name)
    values = np.random.default_rng(2).normal(size=finite.order)
    np.testing.assert_allclose(function(finite, fourier(finite, values)), values, atol=1e-12)
    np.testing.assert_allclose(function(finite, fourier(finite, values)), inverse_fourier(finite, fourier(finite, values)).real)

"""The features of networks, against explicit weights, and against maximisers of the utility that were found over all words."""

import itertools

import numpy as np
import pytest

from depthjax.constructions.composition.paths import two_layer_weights
from theory.composition.features import final_features, first_features, first_irreps
from theory.groups import fourier, group, inverse_fourier

GROUPS = ("C2", "C5", "C2xC4", "S3", "Q8", "D5")


def drawn(name, seed):
    values = np.random.default_rng(seed).normal(size=group(name).order)
    return group(name), values - values.mean()


def naive_feature(finite, u, v, w):
    """The sum of u[c] w[b] v[a] over the neurons and all c b^-1 a = g, one term after the other."""
    found = np.zeros(finite.order)
    for a, b, c in itertools.product(range(finite.order), repeat=3):
        g = finite.table[finite.table[c][finite.inverses[b]]][a]
        found[g] += np.sum(u[c] * w[b] * v[a])
    return found


def naive_maximum(finite, encoding, seed):
    """Three unit vectors of the largest utility, by alternating maximisation over all words, the best of several starts."""
    table = np.asarray(finite.table)
    codes = np.asarray(encoding)[table]
    tensor = np.einsum("ai,bj,abk->ijk", codes, codes, codes[table])
    best = (-np.inf, ())
    source = np.random.default_rng(seed)
    for _ in range(12):
        u, v, w = source.normal(size=(3, finite.order))
        for _ in range(400):
            u = np.einsum("ijk,j,k->i", tensor, v, w)
            v = np.einsum("ijk,i,k->j", tensor, u, w)
            w = np.einsum("ijk,i,j->k", tensor, u, v)
            u, v, w = (block / np.linalg.norm(block) for block in (u, v, w))
        best = max(best, (np.einsum("ijk,i,j,k", tensor, u, v, w), (u, v, w)), key=lambda pair: pair[0])
    return best[1]


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("seed", range(2))
def test_the_feature_of_the_best_neuron(name, seed):
    finite, encoding = drawn(name, seed)
    u, v, w = naive_maximum(finite, encoding, seed)
    expected = inverse_fourier(finite, first_features(finite, encoding))
    np.testing.assert_allclose(naive_feature(finite, u[:, None], v[:, None], w[:, None]), expected, atol=1e-6)


@pytest.mark.parametrize("name", [*GROUPS, "Q12", "A4"])
def test_the_feature_of_explicit_weights(name):
    """The weights of the construction lose nothing, whatever they look like."""
    finite, encoding = drawn(name, 3)
    irreps = [(irrep.kind, np.asarray(irrep.matrices)) for irrep in finite.irreps[1:]]
    network = two_layer_weights(encoding, irreps, 2)
    u, v = np.asarray(network.inputs)
    expected = inverse_fourier(finite, final_features(finite, encoding))
    found = naive_feature(finite, u, v, np.asarray(network.out))
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", GROUPS)
def test_the_feature_does_not_see_scales_at_the_start_and_inverts_them_at_the_end(name):
    finite, encoding = drawn(name, 4)
    pairs = zip(first_features(finite, encoding), first_features(finite, 3 * encoding), strict=True)
    assert all(np.allclose(own, other) for own, other in pairs)
    pairs = zip(final_features(finite, encoding), final_features(finite, 3 * encoding), strict=True)
    assert all(np.allclose(own, 3 * other) for own, other in pairs)


@pytest.mark.parametrize("name", GROUPS)
def test_moved_encodings_turn_both_features(name):
    """Values that are moved, x[gh], have coefficients times rho(g), and so have both features."""
    finite, encoding = drawn(name, 5)
    moved = encoding[np.asarray(finite.table)[1]]
    for features in (first_features, final_features):
        for irrep, own, other in zip(finite.irreps, features(finite, encoding), features(finite, moved), strict=True):
            np.testing.assert_allclose(other, own @ np.asarray(irrep.matrices)[1], atol=1e-9 * max(1, np.abs(own).max()))


def test_real_features_have_conjugate_coefficients():
    finite, encoding = drawn("C7", 6)
    for coefficients in (first_features(finite, encoding), final_features(finite, encoding)):
        assert np.abs(np.imag(inverse_fourier(finite, coefficients))).max() < 1e-9
    assert len(first_irreps(finite, encoding)) == 2


def test_a_constant_changes_neither_feature():
    finite, encoding = drawn("S3", 7)
    for features in (first_features, final_features):
        pairs = zip(features(finite, encoding), features(finite, encoding + 5), strict=True)
        assert all(np.allclose(own, other) for own, other in pairs)
    assert first_irreps(finite, encoding) == first_irreps(finite, encoding + 5)


@pytest.mark.parametrize("features", [first_features, first_irreps])
def test_a_constant_encoding_teaches_nothing(features):
    with pytest.raises(IndexError):
        features(group("S3"), np.ones(6))


def test_a_singular_coefficient_determines_no_feature():
    finite, encoding = drawn("S3", 8)
    coefficients = fourier(finite, encoding)
    coefficients[1] = 0 * coefficients[1]
    with pytest.raises(np.linalg.LinAlgError):
        final_features(finite, np.real(inverse_fourier(finite, [*coefficients[:2], np.diag([1.0, 0.0])])))


def test_an_encoding_of_another_length_is_refused():
    for features in (first_features, final_features):
        with pytest.raises(ValueError, match="one value for each"):
            features(group("S3"), np.arange(5.0))

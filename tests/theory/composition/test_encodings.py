"""Encodings by their spectra: what they are, against the Fourier transform of the array, and what is refused."""

import jax
import numpy as np
import pytest

from depthjax.tasks.composition import CompositionTask, random_isotypic, spectral_encoding
from theory.composition import score, spectrum
from theory.composition.encodings import PAIRS, SPECTRA, SpectralTask, generic_task, scalar_components, spectral_task
from theory.groups import group


@pytest.mark.parametrize("name", SPECTRA)
def test_exact_components_are_those_of_the_encoding(name):
    task = spectral_task(group(name))
    matrices = [irrep.matrices for irrep in task.group.irreps]
    encoding = spectral_encoding(matrices, [float(component.norm) for component in task.components])
    for found, exact in zip(spectrum(task.group, encoding), task.components, strict=True):
        assert (found.dimension, found.kind) == (exact.dimension, exact.kind)
        np.testing.assert_allclose([found.norm, found.smallest], float(exact.norm), atol=1e-12)


@pytest.mark.parametrize("name", SPECTRA)
def test_the_order_by_score_is_not_the_order_by_power(name):
    task = spectral_task(group(name))
    powers = [(2 if part.kind == "complex" else 1) * part.dimension * float(part.square_norm) for part in task.parts]
    scores = [float(score(part, 2)) for part in task.parts]
    assert task.scores_differ(2) and np.argsort(scores).tolist() != np.argsort(powers).tolist()


def test_equal_scores_are_seen():
    alike = scalar_components(group("C6"), {(1, "real"): (1,), (1, "complex"): (1, 1)})
    assert not SpectralTask(group("C6"), tuple(alike)).scores_differ(2)


@pytest.mark.parametrize("centred", [True, False])
def test_a_generic_encoding_has_no_scalar_coefficient(centred):
    task = generic_task(group("S3"), centred=centred)
    components = spectrum(group("S3"), task["encoding"])
    assert (components[0].norm == 0) is centred and components[-1].smallest < 0.99 * components[-1].norm
    assert [kind for kind, _ in task["irreps"]] == ["real", "real"]
    np.testing.assert_array_equal(CompositionTask(**task).codes[0], task["encoding"])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({(1, "real"): (1,)}, "no size is left for irrep 2 of S3"),
        ({(1, "real"): (1, 2), (2, "real"): (1,)}, "S3 has no irreps for the sizes"),
        ({(1, "real"): (1,), (2, "real"): (1,), (3, "real"): (1,)}, "S3 has no irreps for the sizes"),
    ],
)
def test_sizes_that_do_not_fit_the_irreps_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        scalar_components(group("S3"), sizes)


@pytest.mark.parametrize(("name", "length"), PAIRS)
def test_the_sizes_of_a_pair_lie_at_either_side_of_the_tie(name, length):
    """Utilities are multilinear of degree k + 1, so the second size at the tie is a root of the ratio of the scores."""
    pair = PAIRS[name, length]
    for side, size in enumerate(pair.sizes):
        first, second = (float(score(component, length)) for component in pair.components(group(name), side))
        tie = float(size) * (first / second) ** (1 / (length + 1))
        assert 0.04 < abs(float(size) / tie - 1) < 0.07
        assert (second > first) == bool(side)


@pytest.mark.parametrize("name", ["S3", "C6", "Q8", "S4"])
def test_a_random_encoding_has_the_singular_values_of_its_pair(name):
    finite, pair = group(name), PAIRS[name, 2]
    values = [np.array(one, float) for one in pair.singular_values(finite, 1)]
    for number, given, exact in zip(pair.irreps, values, pair.components(finite, 1), strict=True):
        irrep = finite.irreps[number]
        encoding = random_isotypic(jax.random.key(1), irrep.kind, np.asarray(irrep.matrices), given)
        components = spectrum(finite, encoding)
        found = components[number]
        assert (found.dimension, found.kind) == (exact.dimension, exact.kind)
        sizes = [[float(x) for x in (one.norm, one.square_norm, one.smallest)] for one in (found, exact)]
        np.testing.assert_allclose(*sizes, rtol=1e-12)
        assert {i for i, one in enumerate(components) if one.norm} == {number, irrep.conjugate}

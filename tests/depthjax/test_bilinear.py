"""Schemes of few products, beside the products themselves."""

import numpy as np
import pytest

from depthjax.constructions.composition.bilinear import scheme

UNITS = {
    "real": np.ones((1, 1, 1)),
    "complex": np.array([np.eye(2), [[0, -1], [1, 0]]]),
    "quaternionic": np.array([np.eye(2), [[1j, 0], [0, -1j]], [[0, 1], [-1, 0]], [[0, 1j], [1j, 0]]]),
}


@pytest.mark.parametrize("kind", UNITS)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 6])
def test_a_scheme_multiplies_matrices(kind, size):
    rng = np.random.default_rng(size)
    units = UNITS[kind]
    x, y = rng.integers(-3, 4, (2, len(units), size, size)).astype(float)
    left, right, out = scheme(size, kind)
    found = np.einsum("r,r,rcij->cij", np.einsum("rcij,cij->r", left, x), np.einsum("rcij,cij->r", right, y), out)

    def written(coordinates):
        return sum(np.kron(matrix, unit) for matrix, unit in zip(coordinates, units, strict=True))

    np.testing.assert_allclose(written(found), written(x) @ written(y), atol=1e-9)


@pytest.mark.parametrize(("size", "kind"), [(0, "real"), (2, "dual")])
def test_bad_questions_are_refused(size, kind):
    with pytest.raises(ValueError, match="expected a size"):
        scheme(size, kind)

"""The three jumps of an irrep with two singular values, against sums over all words of the parts of the target."""

import itertools
from fractions import Fraction

import jax
import numpy as np
import pytest
import sympy

from depthjax.tasks.composition import random_isotypic
from theory.composition import Component, path_losses, split
from theory.groups import group


def naive_losses(name, number, large, small, many):
    """What the projections on the paths of B x A take off the loss, by a least squares fit over all words of two letters."""
    finite = group(name)
    irrep, table = finite.irreps[number], np.asarray(finite.table)
    matrices, n = np.real(irrep.matrices), irrep.dimension
    values = np.array([large] * many + [small] * (n - many), float)
    codes = random_isotypic(jax.random.key(5), "real", np.asarray(irrep.matrices), values)[table]
    right = np.linalg.svd(np.einsum("g,gji->ij", codes[0], matrices))[2]
    targets = codes[table].reshape(-1, len(table))

    def loss(last, middle):
        # outputs are free, but words are read through v_b^T rho(g) v_a and v_a^T rho(h) e_c alone, b and a in these sets
        first, second = np.einsum("bi,gij,aj->gba", right, matrices, right), np.einsum("ai,gic->gac", right, matrices)
        features = [np.outer(first[:, b, a], second[:, a, c]).ravel() for b in last for a in middle for c in range(n)]
        fitted = np.stack(features, axis=1)
        return 0.5 * ((targets - fitted @ np.linalg.lstsq(fitted, targets)[0]) ** 2).sum(axis=1).mean()

    top, everything = range(many), range(n)
    levels = [0.5 * (targets**2).sum(axis=1).mean(), loss(top, top), loss(top, everything), loss(everything, everything)]
    return -np.diff(levels)


@pytest.mark.parametrize(
    ("name", "number", "many"), [("S3", 2, 1), ("D4", 4, 1), ("A4", 3, 1), ("A4", 3, 2)], ids=lambda value: str(value)
)
def test_jumps_are_the_projections_on_the_paths(name, number, many):
    finite = group(name)
    n = finite.irreps[number].dimension
    component = Component(n, "real", sympy.Integer(1), many + (n - many) * sympy.Rational(9, 25), sympy.Rational(3, 5))
    losses = path_losses(component, finite.order)
    np.testing.assert_allclose([float(loss) for loss in losses], naive_losses(name, number, 1.0, 0.6, many), atol=1e-12)
    assert sum(losses) == sympy.Rational(n, 2 * finite.order) * component.square_norm


@pytest.mark.parametrize("kind", ["real", "complex", "quaternionic"])
def test_a_scalar_has_one_jump(kind):
    assert path_losses(split(Component.scalar(2, kind, 3), 1), 8) == [sympy.Rational(9, 4)]


@pytest.mark.parametrize(
    "component",
    [
        split(Component.scalar(2, "complex", 1), Fraction(1, 2)),
        split(Component.scalar(2, "real", 1), 0),
        Component(3, "real", sympy.Integer(3), sympy.Integer(14), sympy.Integer(1)),  # values 3, 2, 1
    ],
    ids=["complex", "singular", "three values"],
)
def test_other_coefficients_are_refused(component):
    with pytest.raises(ValueError, match="expected a multiple of a unitary matrix, or real type and two singular values"):
        path_losses(component, 6)


def test_a_split_component_keeps_its_norm():
    for n, ratio in itertools.product((2, 3), (Fraction(1, 2), Fraction(1))):
        part = split(Component.scalar(n, "real", 2), ratio)
        assert (part.norm, part.smallest, part.square_norm) == (2, 2 * ratio, 4 + 4 * (n - 1) * ratio**2)

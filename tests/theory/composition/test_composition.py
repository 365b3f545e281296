"""Scores, levels and widths, against numbers worked out another way."""

import itertools

import sympy
from hypothesis import given
from hypothesis import strategies as st

from theory.composition import (
    Component,
    activation_time,
    hypotheses,
    learning_order,
    linear_loss,
    plateau_levels,
    recurrent_width,
    score,
    spectrum,
    tree_widths,
    two_layer_width,
    utility_maximum,
)
from theory.groups import group

import numpy as np  # isort: skip
import pytest  # isort: skip

COMPONENTS = st.builds(
    Component.scalar,
    st.integers(1, 5),
    st.sampled_from(["real", "quaternionic"]),
    st.fractions(0, 3, max_denominator=9).map(lambda f: sympy.Rational(f.numerator, f.denominator)),
)


@given(st.lists(COMPONENTS, min_size=1, max_size=5), st.integers(2, 4))
def test_levels_fall_from_the_linear_loss_to_zero(components, length):
    levels = plateau_levels(components, length, 12)
    assert levels[0] == linear_loss(components, 12) and levels[-1] == 0
    assert all(a > b for a, b in itertools.pairwise(levels))


@given(st.lists(COMPONENTS, min_size=1, max_size=5), st.integers(2, 4))
def test_what_is_learned_first_is_learned_soonest(components, length):
    times = [float(activation_time(components[i], length, 12)) for i in learning_order(components, length)]
    assert times == sorted(times)


@pytest.mark.parametrize("length", [2, 3, 4])
def test_a_pair_of_characters_against_a_grid_of_phases(length):
    """For C3 the neuron's vectors are phases of one cosine: u_j[h] = sqrt(2/3) cos(2 pi h / 3 + a_j)."""
    table, h = group("C3").table, np.arange(3)
    x = np.cos(2 * np.pi * h / 3)
    codes = x[table]
    wave = np.sqrt(2 / 3) * np.cos(2 * np.pi * h / 3)
    best = 0.0
    for phase in np.linspace(0, 2 * np.pi, 721):
        w = np.sqrt(2 / 3) * np.cos(2 * np.pi * h / 3 + phase)
        product = codes @ wave
        for _ in range(length - 1):
            product = np.array([sum(product[a] * (codes @ wave)[(c - a) % 3] for a in range(3)) for c in range(3)]) / 3
        best = max(best, float(product @ (codes @ w)) / 3)
    exact = utility_maximum(Component.scalar(1, "complex", sympy.Rational(3, 2)), length, 3)
    assert abs(best - float(exact)) < 1e-4 * float(exact)


def test_spectrum_of_a_one_hot_encoding():
    g = group("Q8")
    x = (np.arange(8) == 0) - 1 / 8
    components = spectrum(g, x)
    assert [c.norm > 0 for c in components] == [False, True, True, True, True]
    assert abs(float(linear_loss(components, 8)) - x @ x / 2) < 1e-12
    assert score(components[4], 2) == pytest.approx(1 / 2)


def test_widths_of_named_groups():
    types = {name: group(name).irreps[1:] for name in ("C10", "S3", "Q8", "A5")}
    assert two_layer_width(types["C10"], 3) == 4 * (4 * 4 + 1)
    assert two_layer_width(types["S3"], 2) == 2 * (1 + 8)
    assert recurrent_width(types["A5"]) == 2 * (27 + 27 + 64 + 125)
    assert tree_widths(types["Q8"], 8) == tuple((6 + 24) * n for n in (4, 2, 1))
    with pytest.raises(ValueError, match="without its conjugate"):
        two_layer_width(types["C10"][:1], 2)
    with pytest.raises(ValueError, match="2, 4, 8"):
        tree_widths(types["S3"], 6)


def test_hypotheses_are_listed_with_the_irreps_to_blame():
    s3 = group("S3")
    plane = s3.irreps[2].matrices.real
    singular = 2 / 6 * np.einsum("gij,ji->g", plane, np.diag([1.0, 0.0]))  # the plane's coefficient has rank one
    checks = hypotheses(s3, singular, 2)
    assert [holds for _, holds in checks] == [True, False, True] and "irreps 2 are neither" in checks[1][0]
    c4 = group("C4")
    waves = [irrep.matrices[:, 0, 0].real for irrep in c4.irreps]
    checks = hypotheses(c4, 1 + waves[1] + 2 ** (1 / 6) * (waves[2] + waves[3]), 2)
    assert [holds for _, holds in checks] == [False, True, False]
    assert "centred" in checks[0][0] and "equal: 1 and 2" in checks[2][0]
    x = np.random.default_rng(0).normal(size=6)
    assert all(holds for _, holds in hypotheses(s3, x - x.mean(), 3))

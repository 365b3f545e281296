import numpy as np
import pytest
import scipy.linalg

from theory import bounds
from theory.errors import OutsideHypotheses
from theory.lie import magnus


@pytest.mark.parametrize("seed", range(3))
def test_flow_holds_on_matrices(seed):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((4, 4))
    b = a + 0.1 * rng.standard_normal((4, 4))
    gap, size = np.linalg.norm(a - b, 2), max(np.linalg.norm(a, 2), np.linalg.norm(b, 2))
    assert np.linalg.norm(scipy.linalg.expm(a) - scipy.linalg.expm(b), 2) <= bounds.flow(gap, size).at()


@pytest.mark.parametrize("step", [0.3, 0.1, 0.01])
def test_order_blind_floor_is_below_half_the_gap(step):
    a, b = np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, -1.0]])
    h = np.array([1.0, 0.0])
    exp = scipy.linalg.expm
    gap = np.linalg.norm((exp(step * a) @ exp(step * b) - exp(step * b) @ exp(step * a)) @ h)
    floor = bounds.order_blind(bracket=np.linalg.norm((a @ b - b @ a) @ h), step=step, mass=2, gain=1).at()
    assert 0 <= floor <= gap / 2
    if step == 0.01:
        assert floor > 0.95 * gap / 2


def test_invisible_bracket_is_outside_the_hypotheses():
    with pytest.raises(OutsideHypotheses, match="visible"):
        bounds.order_blind(bracket=0, step=0.1, mass=1, gain=1).at()


def test_a_posteriori_is_sharper_and_holds():
    rng = np.random.default_rng(1)
    x, y = (0.2 * m / np.linalg.norm(m, 2) for m in rng.standard_normal((2, 3, 3)))
    word = (0, 1, 0)
    series = magnus(word, 5)
    norms = [np.linalg.norm(series.homogeneous(n).evaluate(x, y), 2) for n in (3, 4, 5)]
    product = np.linalg.multi_dot([scipy.linalg.expm((x, y)[letter]) for letter in word])
    gap = np.linalg.norm(scipy.linalg.logm(product) - magnus(word, 2).evaluate(x, y), 2)
    sharp = bounds.a_posteriori(2, norms, mass=0.6).at()
    assert gap <= sharp < bounds.magnus(2, mass=0.6).at()
    with pytest.raises(OutsideHypotheses):
        bounds.a_posteriori(2, norms, mass=3).at()


def test_radii_are_ordered_and_named():
    radii = [bounds.magnus_radius(norm).at() for norm in ("submultiplicative", "banach", "hilbert")]
    assert radii[0] == radii[1] == 2 < bounds.bch_radius().at() < radii[2]
    with pytest.raises(ValueError, match="expected one of"):
        bounds.magnus_radius("max")

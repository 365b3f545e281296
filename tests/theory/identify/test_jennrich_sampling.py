"""The sampling variance of Jennrich's algorithm against the algorithm itself on many samples, in floating point."""

from itertools import product

import numpy as np
import pytest

from theory.errors import OutsideHypotheses
from theory.identify import HiddenMarkov, best_directions, eigenvalue_ratios, sampling_variance

TRIPLES = 10**8  # of a sample: the next term of the error, of relative order 1 / TRIPLES, is far below the width
SAMPLES = 20_000
CASES = [(2, 0, None), (2, 3, ((0, 1), (1, 1))), (3, 0, None), (3, 2, None), (3, 5, ((0, 1, 2), (1, 1, 1)))]


def joint_law(model):
    """P(x1, x2, x3) of the stationary chain, a path of states at a time."""
    o, t = model.emission.astype(float), model.transition.astype(float)
    symbols, states = o.shape
    law = np.zeros((symbols,) * 3)
    for a, b, c in product(range(states), repeat=3):
        law += t[b, a] * t[c, b] / states * o[:, a, None, None] * o[None, :, b, None] * o[None, None, :, c]
    return law


def recovered(counts, directions):
    """The emissions that the algorithm reads off counts [samples, x1, x2, x3], states by descending eigenvalue."""
    u, v = (np.array(direction, dtype=float) for direction in directions)
    given = counts / counts.sum(axis=(2, 3), keepdims=True)  # the law of x2 and x3 given x1
    first, second = (np.einsum("nxab,x->nab", given, direction) for direction in (u, v))
    values, vectors = np.linalg.eig(first @ np.linalg.inv(second))
    assert not np.imag(values).any()
    order = np.argsort(-np.real(values), axis=1)
    columns = np.take_along_axis(np.real(vectors), order[:, None, :], axis=2)
    return columns / columns.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("states", "seed", "directions"), CASES)
def test_the_mean_square_error_of_samples_is_the_variance(states, seed, directions):
    model = HiddenMarkov.random(states, states, seed)
    directions = directions or best_directions(model)
    variance = float(sampling_variance(model, directions))
    law = joint_law(model)
    truth = recovered(law[None], directions)
    for column in truth[0].T:  # the algorithm finds the model in the law itself
        assert np.abs(model.emission.astype(float).T - column).sum(axis=1).min() < 1e-9
    counts = np.random.default_rng([20260305, states, seed]).multinomial(TRIPLES, law.ravel() / law.sum(), SAMPLES)
    squares = TRIPLES * ((recovered(counts.reshape(-1, *law.shape), directions) - truth) ** 2).sum(axis=(1, 2))
    # five standard errors: by the normal law one correct case in two million lies outside
    width = 5 * squares.std(ddof=1) / SAMPLES**0.5
    assert width < 0.05 * variance  # so that a formula five per cent off is refuted
    assert abs(squares.mean() - variance) < width


def test_a_direction_whose_matrix_has_no_inverse_is_refused():
    """M_v = A diag(C v) B^t, so v orthogonal to a row of C leaves an eigenvalue ratio without a value."""
    model = HiddenMarkov.random(2, 2, 0)
    row = model.factors["23|1"][2][0]
    scale = row[0].denominator * row[1].denominator
    v = int(row[1] * scale), int(-row[0] * scale)
    for call in (eigenvalue_ratios, sampling_variance):
        with pytest.raises(OutsideHypotheses, match="M_v is invertible"):
            call(model, ((1, 1), v))
    assert len(eigenvalue_ratios(model, (v, (1, 1)))) == 2

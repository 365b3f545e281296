"""The probe on layers as they are published, at their own initialisations, with answers that are derived beside each of them.

Diagonal layers: with l letters, g = span of the letters + W, where W is what the commutators drive (see
`depthjax.probe.diagonal_algebra`). So its dimension is the rank of the diagonals of log A and dim W, and its derived length 2.
"""

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax import probe
from theory import lie

DTYPES = ("float64", "float32", "bfloat16")


def mamba(draw, letters, channels, states):
    """A = -(1 .. N), dt = softplus of a bias for steps in [1e-3, 1e-1] and a small input, b = dt B x.

    log A is dt (1 .. N) channel by channel, so the diagonals have the rank min(letters, channels). All weights differ.
    """
    step = np.exp(draw.uniform(np.log(1e-3), np.log(1e-1), channels))
    bias = step + np.log(-np.expm1(-step))
    dt = np.log1p(np.exp(bias + 0.3 * draw.normal(size=(letters, channels))))
    decay = np.exp(-dt[:, :, None] * np.arange(1, states + 1))
    drive = dt[:, :, None] * draw.normal(size=(letters, 1, states)) * draw.normal(size=(letters, channels, 1)) / 4
    return diagonal(decay.reshape(letters, -1), drive.reshape(letters, -1)), min(letters, channels), channels * states


def s4d(draw, letters, channels, states):
    """A_n = -1/2 + i pi n, held steps in [1e-3, 1e-1], B = 1: the same A for all letters, and real drives.

    The diagonals have rank 1. Weights are complex but for n = 0, so W has 2 N - 1 real dimensions in each channel.
    """
    dt = np.exp(draw.uniform(np.log(1e-3), np.log(1e-1), channels))[:, None]
    a = -0.5 + 1j * np.pi * np.arange(states)
    decay, into = np.exp(dt * a), np.expm1(dt * a) / a
    drive = into * draw.normal(size=(letters, channels, 1))
    decay = np.broadcast_to(decay.ravel(), (letters, channels * states))
    return diagonal(decay, drive.reshape(letters, -1)), 1, channels * (2 * states - 1)


def s5(draw, letters, channels, states):
    """HiPPO-N diagonalised: the eigenvalues of the skew part, one of each conjugate pair, with real part -1/2."""
    p = np.sqrt(1 + 2 * np.arange(2 * states))
    low = np.tril(p[:, None] * p, -1) / 1
    normal = -0.5 * (low - low.T)
    a = -0.5 + 1j * np.sort(np.linalg.eigvals(normal).imag)[states:]
    dt = np.exp(draw.uniform(np.log(1e-3), np.log(1e-1), states))
    b = draw.normal(size=(states, channels)) + 1j * draw.normal(size=(states, channels))
    drive = np.expm1(dt * a) / a * (draw.normal(size=(letters, channels)) @ b.T) / np.sqrt(2 * channels)
    return diagonal(np.broadcast_to(np.exp(dt * a), (letters, states)), drive), 1, 2 * states


def lru(draw, letters, channels, states):
    """|lambda| in [0.9, 0.999], uniform phases, inputs normalised by gamma = sqrt(1 - |lambda|^2)."""
    size = np.sqrt(draw.uniform(0.9**2, 0.999**2, states))
    decay = size * np.exp(2j * np.pi * draw.random(states))
    b = (draw.normal(size=(states, channels)) + 1j * draw.normal(size=(states, channels))) / np.sqrt(2 * channels)
    drive = np.sqrt(1 - size**2) * (draw.normal(size=(letters, channels)) @ b.T)
    return diagonal(np.broadcast_to(decay, (letters, states)), drive), 1, 2 * states


def gla(draw, letters, channels, states):
    """Gates sigmoid^(1/16), keys times values: `channels` states share a gate, where letters give l - 1 vectors."""
    gate = (1 / (1 + np.exp(-draw.normal(size=(letters, states))))) ** (1 / 16)
    decay = np.repeat(gate, channels, axis=1)
    drive = draw.normal(size=(letters, states, 1)) * draw.normal(size=(letters, 1, channels)) / states
    return diagonal(decay, drive.reshape(letters, -1)), min(letters, states), states * min(letters - 1, channels)


def mamba2(draw, letters, channels, states):
    """One decay exp(dt A), A in -[1, 16], for all states of a head."""
    dt = np.exp(draw.uniform(np.log(1e-3), np.log(1e-1), (letters, 1)))
    decay = np.exp(-dt * draw.uniform(1, 16)) * np.ones(channels * states)
    drive = dt[:, :, None] * draw.normal(size=(letters, 1, states)) * draw.normal(size=(letters, channels, 1))
    return diagonal(decay, drive.reshape(letters, -1)), 1, min(letters - 1, channels * states)


def diagonal(decay, drive):
    return np.stack([np.diag(row) for row in decay]), drive


def cast(pair, dtype):
    """The transitions in a type; JAX has no complex numbers of 16 bits, so their real form is rounded."""
    kind = jnp.dtype(dtype)
    if np.iscomplexobj(pair[0]) and dtype == "bfloat16":
        a, b = pair
        pair = np.block([[a.real, -a.imag], [a.imag, a.real]]), np.concatenate([b.real, b.imag], axis=1)
    elif np.iscomplexobj(pair[0]):
        kind = jnp.dtype("complex64" if dtype == "float32" else "complex128")
    return tuple(np.asarray(part).astype(kind) for part in pair)


DIAGONAL = [
    (mamba, 2, 2, 4),
    (mamba, 3, 2, 16),
    (mamba, 2, 4, 16),
    (s4d, 2, 1, 4),
    (s4d, 3, 2, 32),
    (s5, 2, 4, 16),
    (lru, 2, 4, 16),
]
DIAGONAL += [(lru, 4, 2, 8), (gla, 2, 4, 4), (gla, 4, 2, 8), (mamba2, 3, 2, 4), (s5, 3, 1, 4)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("layer", "letters", "channels", "states"), DIAGONAL)
def test_diagonal_layers_have_two_abelian_layers_and_a_known_dimension(layer, letters, channels, states, dtype):
    for seed in range(3):
        pair, rank, drives = layer(np.random.default_rng(seed), letters, channels, states)
        report = probe.recurrence(cast(pair, dtype))
        assert report.is_solvable is True and report.decisions["solvable"].standing == "certain"
        assert report.error_order(2) == np.inf and report.levi_dimension == 0
        wanted = (rank + drives, drives, 0)
        if dtype == "float64":
            assert report.derived_dimensions == wanted and report.lower_central_dimensions == (*wanted[:2], drives)
            assert report.derived_length == 2 and report.is_order_blind is False and report.error_order(1) == 2
        else:
            assert report.is_order_blind in (False, None) and report.derived_length in (2, None)
            assert all(found in (right, None) for found, right in zip(report.derived_dimensions, wanted, strict=False))
        if dtype == "float32":
            assert report.is_order_blind is False and report.derived_length == 2


def test_the_dimension_is_that_of_exact_copies():
    for letters, channels, states in ((2, 2, 4), (2, 1, 3), (3, 2, 2)):
        (a, b), _, _ = mamba(np.random.default_rng(1), letters, channels, states)
        flows = np.concatenate(
            [np.concatenate([a - np.eye(a.shape[-1]), b[:, :, None]], axis=2), np.zeros((letters, 1, a.shape[-1] + 1))], axis=1
        )
        exact = lie.LieAlgebra.generated_by([[[round(v * 2**60) for v in row] for row in m] for m in flows.tolist()])
        report = probe.recurrence(flows, time="continuous")
        assert report.derived_dimensions == exact.derived_dimensions
        assert report.lower_central_dimensions == exact.lower_central_dimensions


def delta(draw, letters, size):
    """Transitions 1 - beta k k^T with normalised keys and beta in (0, 1), and the drive beta v k."""
    keys = draw.normal(size=(letters, size))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    beta, value = 1 / (1 + np.exp(-draw.normal(size=letters))), draw.normal(size=letters)
    return np.eye(size) - beta[:, None, None] * keys[:, :, None] * keys[:, None], (beta * value)[:, None] * keys


@pytest.mark.parametrize("dtype", DTYPES)
def test_delta_net_has_the_algebra_of_its_keys(dtype):
    for seed in range(3):
        a, b = cast(delta(np.random.default_rng(seed), 2, 4), dtype)
        # two keys k k^T generate all matrices of their plane; with a common fixed point the drives add nothing
        for report in (probe.recurrence(a), probe.recurrence((a, b))):
            assert report.is_solvable is False or (dtype == "bfloat16" and report.is_solvable is None)
            assert all(found in (right, None) for found, right in zip(report.derived_dimensions, (4, 3, 3), strict=False))
            if dtype == "float64":
                assert report.derived_dimensions == (4, 3, 3) and report.levi_dimension == 3
        # three keys in the plane have no common fixed point: all affine maps of the plane
        a, b = cast(delta(np.random.default_rng(seed), 3, 2), dtype)
        report = probe.recurrence((a, b))
        assert all(found in (right, None) for found, right in zip(report.derived_dimensions, (6, 5, 5), strict=False))
        assert dtype == "bfloat16" or report.derived_dimensions == (6, 5, 5)
        assert dtype != "float64" or report.levi_dimension == 3


@pytest.mark.parametrize("dtype", DTYPES)
def test_rwkv7_generates_all_matrices(dtype):
    """diag(w) - kappa (a kappa)^T with w = exp(-e^-1/2 sigmoid) near one, a in (0, 1) and normalised kappa."""
    for seed in range(3):
        draw, letters, size = np.random.default_rng(seed), 2, 4
        w = np.exp(-np.exp(-0.5) / (1 + np.exp(-draw.normal(size=(letters, size)) + 2)))
        kappa = draw.normal(size=(letters, size))
        kappa /= np.linalg.norm(kappa, axis=1, keepdims=True)
        a = 1 / (1 + np.exp(-draw.normal(size=(letters, size))))
        matrices = np.stack([np.diag(row) for row in w]) - kappa[:, :, None] * (a * kappa)[:, None]
        report = probe.recurrence(matrices.astype(jnp.dtype(dtype)))
        assert report.is_solvable is False or (dtype == "bfloat16" and report.is_solvable is None)
        assert all(found in (right, None) for found, right in zip(report.derived_dimensions, (16, 15, 15), strict=False))
        assert dtype != "float64" or report.levi_dimension == 15

"""The probe on recurrences whose answers are derived beside them: layers as published, monomial letters, reflections.

Diagonal layers: with l letters, g = span of the letters + W, where W is what the commutators drive (see
`depthjax.probe.diagonal_algebra`). So its dimension is the rank of the diagonals of log A and dim W, and its derived length 2.
"""

from functools import partial

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax import probe
from theory import lie

DTYPES = ("float64", "float32", "bfloat16", "float16")
SURE, WIDE = ("float64",), ("float64", "float32")


def diagonal(decay, drive, rank, drives):
    """Two abelian layers, certainly, whose derived ideal is W."""
    series = rank + drives, drives
    return (np.stack([np.diag(row) for row in decay]), drive), {
        "solvable": True,
        "decided": DTYPES,
        "standing": "certain",
        "dimensions": (*series, 0),
        "central": (*series, drives),
        "levi": 0,
    }


def mamba(draw, letters, channels, states):
    """A = -(1 .. N), dt = softplus of a bias for steps in [1e-3, 1e-1] and a small input, b = dt B x.

    log A is dt (1 .. N) channel by channel, so the diagonals have the rank min(letters, channels). All weights differ.
    """
    step = np.exp(draw.uniform(np.log(1e-3), np.log(1e-1), channels))
    bias = step + np.log(-np.expm1(-step))
    dt = np.log1p(np.exp(bias + 0.3 * draw.normal(size=(letters, channels))))
    decay = np.exp(-dt[:, :, None] * np.arange(1, states + 1))
    drive = dt[:, :, None] * draw.normal(size=(letters, 1, states)) * draw.normal(size=(letters, channels, 1)) / 4
    return diagonal(decay.reshape(letters, -1), drive.reshape(letters, -1), min(letters, channels), channels * states)


def s4d(draw, letters, channels, states):
    """A_n = -1/2 + i pi n, held steps in [1e-3, 1e-1], B = 1: the same A for all letters, and real drives.

    The diagonals have rank 1. Weights are complex but for n = 0, so W has 2 N - 1 real dimensions in each channel.
    """
    dt = np.exp(draw.uniform(np.log(1e-3), np.log(1e-1), channels))[:, None]
    a = -0.5 + 1j * np.pi * np.arange(states)
    decay, into = np.exp(dt * a), np.expm1(dt * a) / a
    drive = into * draw.normal(size=(letters, channels, 1))
    decay = np.broadcast_to(decay.ravel(), (letters, channels * states))
    return diagonal(decay, drive.reshape(letters, -1), 1, channels * (2 * states - 1))


def s5(draw, letters, channels, states):
    """HiPPO-N diagonalised: the eigenvalues of the skew part, one of each conjugate pair, with real part -1/2."""
    p = np.sqrt(1 + 2 * np.arange(2 * states))
    low = np.tril(p[:, None] * p, -1) / 1
    normal = -0.5 * (low - low.T)
    a = -0.5 + 1j * np.sort(np.linalg.eigvals(normal).imag)[states:]
    dt = np.exp(draw.uniform(np.log(1e-3), np.log(1e-1), states))
    b = draw.normal(size=(states, channels)) + 1j * draw.normal(size=(states, channels))
    drive = np.expm1(dt * a) / a * (draw.normal(size=(letters, channels)) @ b.T) / np.sqrt(2 * channels)
    return diagonal(np.broadcast_to(np.exp(dt * a), (letters, states)), drive, 1, 2 * states)


def lru(draw, letters, channels, states):
    """|lambda| in [0.9, 0.999], uniform phases, inputs normalised by gamma = sqrt(1 - |lambda|^2)."""
    size = np.sqrt(draw.uniform(0.9**2, 0.999**2, states))
    decay = size * np.exp(2j * np.pi * draw.random(states))
    b = (draw.normal(size=(states, channels)) + 1j * draw.normal(size=(states, channels))) / np.sqrt(2 * channels)
    drive = np.sqrt(1 - size**2) * (draw.normal(size=(letters, channels)) @ b.T)
    return diagonal(np.broadcast_to(decay, (letters, states)), drive, 1, 2 * states)


def gla(draw, letters, channels, states):
    """Gates sigmoid^(1/16), keys times values: `channels` states share a gate, where letters give l - 1 vectors."""
    gate = (1 / (1 + np.exp(-draw.normal(size=(letters, states))))) ** (1 / 16)
    decay = np.repeat(gate, channels, axis=1)
    drive = draw.normal(size=(letters, states, 1)) * draw.normal(size=(letters, 1, channels)) / states
    return diagonal(decay, drive.reshape(letters, -1), min(letters, states), states * min(letters - 1, channels))


def mamba2(draw, letters, channels, states):
    """One decay exp(dt A), A in -[1, 16], for all states of a head."""
    dt = np.exp(draw.uniform(np.log(1e-3), np.log(1e-1), (letters, 1)))
    decay = np.exp(-dt * draw.uniform(1, 16)) * np.ones(channels * states)
    drive = dt[:, :, None] * draw.normal(size=(letters, 1, states)) * draw.normal(size=(letters, channels, 1))
    return diagonal(decay, drive.reshape(letters, -1), 1, min(letters - 1, channels * states))


def keyed(letters, size, pairs, dimensions, levi):
    """Delta rule: transitions 1 - beta k k^T with normalised keys and beta in (0, 1), and the drive beta v k."""

    def make(draw):
        keys = draw.normal(size=(letters, size))
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
        beta, value = 1 / (1 + np.exp(-draw.normal(size=letters))), draw.normal(size=letters)
        a = np.eye(size) - beta[:, None, None] * keys[:, :, None] * keys[:, None]
        truth = {"solvable": False, "decided": WIDE, "dimensions": dimensions, "levi": levi}
        return ((a, (beta * value)[:, None] * keys) if pairs else a), truth

    return make


def rwkv7(draw, letters=2, size=4):
    """diag(w) - kappa (a kappa)^T with w = exp(-e^-1/2 sigmoid) near one, a in (0, 1) and normalised kappa."""
    w = np.exp(-np.exp(-0.5) / (1 + np.exp(-draw.normal(size=(letters, size)) + 2)))
    kappa = draw.normal(size=(letters, size))
    kappa /= np.linalg.norm(kappa, axis=1, keepdims=True)
    a = 1 / (1 + np.exp(-draw.normal(size=(letters, size))))
    matrices = np.stack([np.diag(row) for row in w]) - kappa[:, :, None] * (a * kappa)[:, None]
    return matrices, {"solvable": False, "decided": WIDE, "dimensions": (16, 15, 15), "levi": 15}


def monomial(images, solvable, kind=float, driven=False, hidden=False):
    """The letters of PD-SSM (Terzic et al.), h <- P (d * h): as solvable as the permutations, which a basis may hide."""

    def make(draw):
        size = len(images[0])
        weights = np.exp(0.1 * draw.normal(size=(len(images), size)))
        if kind is complex:
            weights = weights * np.exp(2j * np.pi * draw.random(weights.shape))
        letters = np.stack([np.eye(size)[:, image] * weight for image, weight in zip(images, weights, strict=True)])
        if hidden:
            return turned(draw, *letters), {"solvable": solvable, "decided": ("float64",), "standing": "numerical"}
        decided = WIDE if kind is complex else DTYPES
        truth = {"solvable": solvable, "decided": decided, "standing": "certain", "group": None, "length": None}
        return ((letters, draw.normal(size=letters.shape[:2])) if driven else letters), truth

    return make


def turned(draw, *matrices):
    """In a hidden orthogonal basis."""
    basis = np.linalg.qr(draw.normal(size=matrices[0].shape))[0]
    return np.stack([basis @ matrix @ basis.T for matrix in matrices])


def reflection(vector):
    unit = vector / np.linalg.norm(vector)
    return np.eye(len(unit)) - 2 * np.outer(unit, unit)


def plane(draw):
    """Two reflections of a plane that space hides: their words are solvable, and their algebra is not."""
    letters = turned(draw, *(np.pad(reflection(draw.normal(size=2)), (0, 1)) + np.diag([0, 0, 1.0]) for _ in range(2)))
    return letters, {"solvable": True, "decided": ("float64",), "standing": "numerical"}


def mirrors(draw, size, kind):
    """Two reflections: what both leave alone has no basis of its own, and complex ones have no weights that real forms tell."""
    vectors = draw.normal(size=(2, size)) + (1j * draw.normal(size=(2, size)) if kind is complex else 0)
    letters = [np.eye(size) - 2 * np.outer(v, v.conj()) / (v.conj() @ v).real for v in vectors]
    return np.stack(letters), {"solvable": True, "decided": ("float64",), "standing": "numerical"}


def generic(kind):
    def make(draw):
        if kind == "reflections":
            letters = [reflection(draw.normal(size=3)) for _ in range(3)]
        elif kind == "rotations":
            letters = [reflection(draw.normal(size=3)) @ reflection(draw.normal(size=3)) for _ in range(2)]
        elif kind == "unitary":
            letters = [np.linalg.qr(draw.normal(size=(3, 3)) + 1j * draw.normal(size=(3, 3)))[0] for _ in range(2)]
        else:
            letters = [(np.eye(4) + reflection(draw.normal(size=4))) / 2 + 0.2 * np.eye(4) for _ in range(2)]
        return np.stack(letters), {"solvable": False, "decided": SURE, "standing": "numerical", "layers": "never"}

    return make


PERMUTATIONS = {
    "S3": (((1, 0, 2), (1, 2, 0)), True),
    "S4": (((1, 2, 3, 0), (1, 0, 2, 3)), True),
    "D5": (((1, 2, 3, 4, 0), (0, 4, 3, 2, 1)), True),
    "S5": (((1, 2, 3, 4, 0), (1, 0, 2, 3, 4)), False),
    "A5": (((1, 2, 3, 4, 0), (1, 2, 0, 3, 4)), False),
}
SIZES = {
    mamba: [(2, 2, 4), (3, 2, 16), (2, 4, 16)],
    s4d: [(2, 1, 4), (3, 2, 32)],
    s5: [(2, 4, 16), (3, 1, 4)],
    lru: [(2, 4, 16), (4, 2, 8)],
    gla: [(2, 4, 4), (4, 2, 8)],
    mamba2: [(3, 2, 4)],
}
RECURRENCES = {
    **{
        f"{layer.__name__} {size}": partial(lambda draw, layer, size: layer(draw, *size), layer=layer, size=size)
        for layer, sizes in SIZES.items()
        for size in sizes
    },
    # two keys k k^T generate all matrices of their plane; with a common fixed point the drives add nothing
    "two keys": keyed(2, 4, False, (4, 3, 3), 3),
    "two driven keys": keyed(2, 4, True, (4, 3, 3), 3),
    # three keys in the plane have no common fixed point: all affine maps of the plane
    "three keys in a plane": keyed(3, 2, True, (6, 5, 5), 3),
    "rwkv7": rwkv7,
    **{
        f"{name}, {kind.__name__}{', driven' * driven}{', hidden' * hidden}": monomial(*row, kind, driven, hidden)
        for name, row in PERMUTATIONS.items()
        for kind, driven, hidden in ((float, False, False), (complex, False, False), (float, True, False), (float, False, True))
    },
    "reflections of a hidden plane": plane,
    **{
        f"two reflections of {size} coordinates, {kind.__name__}": partial(mirrors, size=size, kind=kind)
        for size in (2, 3, 5, 8)
        for kind in (float, complex)
    },
    **{f"generic {kind}": generic(kind) for kind in ("reflections", "rotations", "unitary", "deltas")},
}


def cast(given, dtype):
    """Letters, or letters and drives, in a type; JAX has no complex numbers of 16 bits, so their real form is rounded."""
    parts = given if isinstance(given, tuple) else (given,)
    if np.iscomplexobj(parts[0]) and dtype in WIDE:
        dtype = "complex64" if dtype == "float32" else "complex128"
    elif np.iscomplexobj(parts[0]):
        parts = [
            np.block([[x.real, -x.imag], [x.imag, x.real]]) if x.ndim == 3 else np.concatenate([x.real, x.imag], axis=1)
            for x in parts
        ]
    parts = tuple(np.asarray(part).astype(jnp.dtype(dtype)) for part in parts)
    return parts if isinstance(given, tuple) else parts[0]


def check(report, truth, dtype):
    """What is said is true, and what must be decided in this type is said."""
    solvable = report.decisions["solvable"]
    must = dtype in truth["decided"]
    assert report.is_solvable is truth["solvable"] or (report.is_solvable is None and not must), solvable.why
    assert report.is_order_blind is False or (
        (report.is_order_blind is None and "dimensions" not in truth) or dtype not in WIDE
    )
    if must and "standing" in truth:
        assert solvable.standing == truth["standing"]
    if "layers" in truth and must:
        assert report.decisions["abelian layers"].value == truth["layers"]
    if "group" in truth and must:
        assert report.group is None and report.derived_length is None
    if (dimensions := truth.get("dimensions")) and dtype == "float64":
        assert report.derived_dimensions == dimensions and report.levi_dimension == truth["levi"]
        assert report.lower_central_dimensions == truth.get("central", report.lower_central_dimensions)
    elif dimensions:
        assert all(found in (right, None) for found, right in zip(report.derived_dimensions, dimensions, strict=False))
        assert dtype != "float32" or dimensions[-1] != 5 or report.derived_dimensions == dimensions
    if dimensions and truth["solvable"]:
        assert report.error_order(2) == np.inf and report.levi_dimension == 0
        assert report.derived_length == 2 or (dtype not in WIDE and report.derived_length is None)
        assert dtype != "float64" or report.error_order(1) == 2


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", RECURRENCES)
def test_what_is_said_of_a_recurrence_is_true_and_enough_is_said(name, dtype):
    letters, truth = RECURRENCES[name](np.random.default_rng(DTYPES.index(dtype)))  # every type sees another draw
    check(probe.recurrence(cast(letters, dtype)), truth, dtype)


@pytest.mark.parametrize("name", RECURRENCES)
def test_order_repetition_and_form_of_letters_change_no_answer(name):
    given, truth = RECURRENCES[name](np.random.default_rng(4))
    parts = [np.concatenate([part[::-1], part[:1]]) for part in (given if isinstance(given, tuple) else (given,))]
    whole = lambda parts: tuple(parts) if isinstance(given, tuple) else parts[0]  # noqa: E731
    check(
        probe.recurrence(lambda letter: whole([jnp.asarray(p[letter]) for p in parts]), letters=len(parts[0])), truth, "float64"
    )


def test_the_dimension_is_that_of_exact_copies():
    for letters, channels, states in ((2, 2, 4), (2, 1, 3), (3, 2, 2)):
        (a, b), _ = mamba(np.random.default_rng(1), letters, channels, states)
        flows = np.concatenate(
            [np.concatenate([a - np.eye(a.shape[-1]), b[:, :, None]], axis=2), np.zeros((letters, 1, a.shape[-1] + 1))], axis=1
        )
        exact = lie.LieAlgebra.generated_by([[[round(v * 2**60) for v in row] for row in m] for m in flows.tolist()])
        report = probe.recurrence(flows, time="continuous")
        assert report.derived_dimensions == exact.derived_dimensions
        assert report.lower_central_dimensions == exact.lower_central_dimensions


def test_letters_that_forget_generate_no_group_that_is_called_unsolvable():
    projections = np.array([[[1.0, 0], [0, 0]], [[0.5, 0.5], [0.5, 0.5]]])
    report = probe.recurrence(projections)
    assert report.is_solvable is None and "no inverse" in report.decisions["solvable"].why
    cycle, swap = np.eye(3)[[1, 2, 0]], np.eye(3)[[1, 0, 2]]
    assert probe.recurrence(np.stack([cycle, swap, np.eye(3)[[0, 0, 0]]])).is_solvable is None
    assert probe.recurrence(cycle[None] * 0.9).is_solvable is True


@pytest.mark.parametrize("size", [2, 3])
def test_badly_known_letters_are_not_called_solvable_because_they_come_near(size):
    for seed in range(20):
        letters = np.random.default_rng(seed).normal(size=(2, size, size)) * 0.3 + np.eye(size)
        for dtype in ("float16", "bfloat16"):
            assert probe.recurrence(cast(letters, dtype)).is_solvable is not True


@pytest.mark.parametrize("dtype", DTYPES)
def test_equal_letters_commute_in_every_type(dtype):
    report = probe.recurrence(cast(np.stack([np.random.default_rng(0).normal(size=(3, 3))] * 3), dtype))
    assert report.is_order_blind is True and report.is_solvable is True and report.derived_length in (1, None)

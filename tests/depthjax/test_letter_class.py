"""The class of given letters: members of every class are told, in every type, and so are letters just outside."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from depthjax import probe

TYPES = ["float64", "float32", "bfloat16"]
SIZE, LETTERS = 4, 3


def typed(array, dtype):
    if np.iscomplexobj(array):
        return array.astype(np.complex128 if dtype == "float64" else np.complex64)
    return array.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def diagonal(entries):
    return np.stack([np.diag(row) for row in entries])


def unit(draw):
    key = draw.normal(size=SIZE)
    return key / np.linalg.norm(key)


def factor(draw, most):
    key = unit(draw)
    return np.eye(SIZE) - draw.uniform(0.1, most) * np.outer(key, key)


def column(draw):
    """One entry in each column, at a random row, so that rows may meet; never diagonal."""
    rows = np.append(draw.integers(SIZE, size=SIZE - 1), 0)
    rows[0] = 1
    return np.eye(SIZE)[:, rows] @ np.diag(draw.uniform(-1, 1, SIZE))


def contraction(draw):
    matrix = draw.normal(size=(SIZE, SIZE))
    return 0.9 * matrix / np.linalg.norm(matrix, 2)


def many(make):
    return lambda draw: np.stack([make(draw) for _ in range(LETTERS)])


MEMBERS = {
    "time_invariant": lambda draw: diagonal(np.tile(draw.uniform(0, 1, SIZE), (LETTERS, 1))),
    "time_invariant, complex": lambda draw: diagonal(np.tile(0.9 * np.exp(1j * draw.uniform(1, 5, SIZE)), (LETTERS, 1))),
    "positive": lambda draw: diagonal(draw.uniform(0, 1, (LETTERS, SIZE))),
    "signed": lambda draw: diagonal(draw.uniform(-1, -0.1, (LETTERS, SIZE))),
    "complex": lambda draw: diagonal(np.exp(1j * draw.uniform(0, 6, (LETTERS, SIZE)))),
    "pd": many(column),
    "pd, complex": lambda draw: np.stack([column(draw) * np.exp(1j) for _ in range(LETTERS)]),
    "delta_net": many(lambda draw: factor(draw, 1)),
    "delta_net, gated": many(lambda draw: draw.uniform(0.5, 1) * factor(draw, 1)),
    "delta_product": many(lambda draw: factor(draw, 2) @ factor(draw, 2)),
    "delta_product, any": many(contraction),
    "dense": many(lambda draw: 2 * contraction(draw)),
    "dense, diagonal": lambda draw: diagonal(draw.uniform(1.2, 2, (LETTERS, SIZE))),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", MEMBERS)
def test_members_of_every_class_are_told(name, dtype):
    for seed in range(4):
        draw = np.random.default_rng(seed)
        letters = typed(MEMBERS[name](draw), dtype)
        drives = typed(draw.normal(size=(LETTERS, SIZE)), dtype)
        for given in (letters, (letters, drives)):
            report = probe.recurrence(given)
            assert report.cls is not None and report.cls.name == name.partition(",")[0], (seed, report.decisions["class"].why)
            assert report.as_dict()["class"]["name"] == report.cls.name
            assert ("cannot, at any width", report.cls.cannot) in [row[:2] for row in report.rows()]


def test_contractions_are_products_of_factors():
    """The factors that the class promises, written down and multiplied."""
    draw = np.random.default_rng(0)
    for _ in range(20):
        matrix, product = contraction(draw), np.eye(SIZE)
        left, sizes, right = np.linalg.svd(matrix)
        turn, count = left @ right, 0
        for step in range(SIZE):  # Householder: column by column, e_step goes where it should
            wanted = turn[:, step] - product[:, step]
            if np.linalg.norm(wanted) > 1e-12:
                key = wanted / np.linalg.norm(wanted)
                product, count = product - 2 * np.outer(key, key) @ product, count + 1
        assert count <= SIZE
        for size, key in zip(sizes, right, strict=True):
            product = product @ (np.eye(SIZE) - (1 - size) * np.outer(key, key))
        np.testing.assert_allclose(product, matrix, atol=1e-12)


def test_a_class_is_never_smaller_than_the_letters_allow():
    """One entry of one letter decides, and rounded letters are not symmetric by chance."""
    draw = np.random.default_rng(1)
    letters = diagonal(draw.uniform(0, 1, (LETTERS, SIZE)))
    letters[1, 2, 2] = -1e-3
    assert probe.recurrence(letters).cls.name == "signed"
    letters[2, 0, 1] = 1e-6
    assert probe.recurrence(letters).cls.name in ("delta_product", "dense")
    nearly = factor(draw, 1)
    nearly[0, 1] += 1e-3
    assert probe.recurrence(typed(nearly[None], "bfloat16")).cls.name != "delta_net"


def test_steps_and_flows():
    step = probe.recurrence(lambda state, letter: jnp.array([0.5, 0.9]) ** (1 + letter) * state + letter, 2, states=2)
    assert step.cls.name == "positive"
    assert (
        probe.recurrence(lambda state, letter: jax.nn.tanh(state + letter), 2, states=np.zeros((1, 2))).cls.name == "nonlinear"
    )
    flow = probe.recurrence(-np.stack([np.eye(2), np.diag([1.0, 2])]), time="continuous")
    assert flow.cls is None and flow.as_dict()["class"] is None


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def test_layers_that_are_not_among_the_published_kinds():
    """RG-LRU, minGRU and Longhorn at their own initialisations, written by hand, as pairs of decays and drives."""
    draw = np.random.default_rng(2)
    x = draw.normal(size=(2, SIZE))
    power = np.log(np.expm1(-0.5 * np.log(draw.uniform(0.81, 0.998, SIZE))))  # a = exp(-8 softplus(power) gate)
    griffin = np.exp(-8 * sigmoid(x @ draw.normal(size=(SIZE, SIZE))) * np.log1p(np.exp(power)))
    update = sigmoid(x @ draw.normal(size=(SIZE, SIZE)))
    key = draw.normal(size=(2, SIZE))
    strength = sigmoid(draw.normal(size=(2, SIZE)))
    longhorn = 1 - strength * key**2 / (1 + strength * (key**2).sum(axis=1, keepdims=True))
    for decays, drives in ((griffin, np.sqrt(1 - griffin**2) * x), (1 - update, update * x), (longhorn, strength * key)):
        for dtype in TYPES:
            report = probe.recurrence((typed(diagonal(decays), dtype), typed(drives, dtype)))
            assert (report.cls.name, report.is_solvable) == ("positive", True)
            assert report.cls.cannot == "parity, any group"

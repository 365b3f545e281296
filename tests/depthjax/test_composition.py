"""Explicit weights, exact on every word, for every type of irrep; and the task itself."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.composition.bases import standard_form
from depthjax.constructions.composition.paths import recurrent_weights, tree_weights, two_layer_weights
from depthjax.instruments.composition import (
    letters_said,
    recurrent_errors,
    tree_errors,
    two_layer_error,
    units_in_use,
    units_needed,
)
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer, recurrent, tree, two_layer
from depthjax.tasks.composition import codes, one_hot_encoding, products, spectral_encoding
from depthjax.tasks.words import all_words, uniform_words
from tests import groups_by_hand

CASES = {name: make() for name, make in groups_by_hand.CASES.items()}


def _encoding(order: int) -> np.ndarray:
    entries = np.random.default_rng(order).normal(size=order)
    return entries - entries.mean()


@functools.partial(jax.jit, static_argnums=0)
def _error(apply, weights, encoding: np.ndarray, table: np.ndarray, words) -> jax.Array:
    vectors = codes(encoding, table)
    target = vectors[products(table, words)]
    return jnp.abs(apply(weights, vectors, words) - target).max() / jnp.abs(target).max()


def _turned(matrices: np.ndarray) -> np.ndarray:
    """The same representation in a generic unitary basis."""
    n = matrices.shape[1]
    rng = np.random.default_rng(n)
    q = np.linalg.qr(rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n)))[0]
    return q @ matrices @ q.conj().T


def test_products_are_in_reading_order():
    table, _ = CASES["D3"]
    word = jnp.array([[1, 2, 3]])
    assert int(products(jnp.asarray(table), word)[0]) == table[table[1, 2], 3]
    assert table[table[1, 2], 3] != table[table[3, 2], 1]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_two_layers_compose_every_word(name, length):
    table, irreps = CASES[name]
    encoding = _encoding(len(table))
    weights = two_layer_weights(encoding, irreps, length)
    words = all_words(len(table), length)
    assert _error(two_layer, weights, encoding, table, words) < 1e-10
    pairs = {"real": 1, "complex": (length + 1) / 2, "quaternionic": (length + 1) / 2}
    width = sum(2 ** (length - 1) * pairs[kind] * m.shape[1] ** (length + 1) for kind, m in irreps[1:])
    assert weights.width == width


@pytest.mark.parametrize("name", CASES)
def test_recurrence_and_tree_compose_long_words(name):
    table, irreps = CASES[name]
    encoding = _encoding(len(table))
    words = uniform_words(jax.random.key(0), len(table), 20, 64)
    assert _error(recurrent, recurrent_weights(encoding, irreps), encoding, table, words) < 1e-10
    assert _error(tree, tree_weights(encoding, irreps), encoding, table, words) < 1e-10
    assert _error(recurrent, recurrent_weights(encoding, irreps), encoding, table, words[:, :5]) < 1e-10


def test_errors_of_a_tree_layer_are_those_of_the_shorter_tree():
    table, irreps = CASES["D3"]
    encoding, words = _encoding(6), uniform_words(jax.random.key(0), 6, 10, 8)
    weights, task = tree_weights(encoding, irreps), jnp.asarray(table)
    broken = dataclasses.replace(weights, out=1.1 * weights.out)
    errors, halves, roots, floors = tree_errors(broken, codes(jnp.asarray(encoding), task), task, words)
    assert float(errors[-1]) == pytest.approx(_error(tree, broken, encoding, table, words), rel=0.5)  # of codes, not of targets
    assert (errors > 0.01).all() and (halves > 0.1).all() and (floors < 1e-9).all()
    right = tree_errors(weights, codes(jnp.asarray(encoding), task), task, words).roots
    assert roots[-1] == errors[-1] and (right[:-1] > 0.1).all() and right[-1] < 1e-9


def test_units_needed_are_those_whose_loss_is_seen_in_some_code():
    table, irreps = CASES["D3"]
    weights, vectors = two_layer_weights(_encoding(6), irreps, 2), np.asarray(_encoding(6)[table])
    words = np.indices((6, 6)).reshape(2, -1).T
    whole = np.asarray(two_layer(weights, jnp.asarray(vectors), jnp.asarray(words)))
    seen = 0
    for unit in range(weights.width):
        less = dataclasses.replace(weights, out=weights.out.at[:, unit].set(0.0))
        seen += np.abs(np.asarray(two_layer(less, jnp.asarray(vectors), jnp.asarray(words))) - whole).max() > 1e-9
    assert units_needed(weights, vectors, table, words, 1e-12) == seen == weights.width
    ones = [jnp.ones((*block.shape[:-1], 1)) for block in (weights.inputs, weights.out)]
    idle = TwoLayer(*(jnp.concatenate(pair, axis=-1) for pair in zip((weights.inputs, weights.out), ones, strict=True)))
    assert units_needed(idle, vectors, table, words, 1e-12) == seen  # the code is centred: a unit of ones reads nothing


def test_a_network_says_the_letter_of_the_nearest_code():
    table, irreps = CASES["D3"]
    vectors, words = np.asarray(_encoding(6)[table]), np.indices((6, 6, 6)).reshape(3, -1).T
    weights = two_layer_weights(_encoding(6), irreps, 3)
    assert (letters_said(weights, vectors, words) == table[table[words[:, 0], words[:, 1]], words[:, 2]]).all()
    random = TwoLayer(*(jax.random.normal(jax.random.key(i), b.shape) for i, b in enumerate((weights.inputs, weights.out))))
    outputs = np.asarray(two_layer(random, jnp.asarray(vectors), jnp.asarray(words)))
    nearest = [int(np.argmin([np.linalg.norm(output - code) for code in vectors])) for output in outputs]
    assert letters_said(random, vectors, words).tolist() == nearest


def test_units_in_use_are_those_without_which_an_output_changes():
    """A padded unit, a unit that nothing reads, and one that reads nothing."""
    table, irreps = CASES["D3"]
    weights = tree_weights(_encoding(6), irreps)
    wide, *_ = padded(weights, _encoding(6)[table], table, order=6, width=weights.width + 3)
    assert units_in_use(weights) == weights.width == units_in_use(wide)
    deaf = dataclasses.replace(wide, out=wide.out.at[:, -1].set(1.0))
    mute = dataclasses.replace(wide, first=wide.first.at[:, -1].set(1.0))
    assert units_in_use(deaf) == units_in_use(mute) == weights.width
    layer = two_layer_weights(_encoding(6), irreps, 2)
    assert units_in_use(dataclasses.replace(layer, out=layer.out.at[:, 0].set(0.0))) == layer.width - 1


def test_padding_by_zeros_changes_no_error_and_no_floor():
    table, irreps = CASES["D3"]
    encoding, words = _encoding(6), uniform_words(jax.random.key(1), 6, 5, 4)
    vectors, cayley = jnp.asarray(encoding[table]), jnp.asarray(table)

    def wide(block, rows, columns):
        return jnp.pad(block, [(0, 0)] * (block.ndim - 2) + [(0, rows - block.shape[-2]), (0, columns - block.shape[-1])])

    state = recurrent_weights(encoding, irreps)
    state = dataclasses.replace(state, out=1.1 * state.out)
    more = dataclasses.replace(
        state, **{name: wide(getattr(state, name), 25 if name == "mix" else 9, 25) for name in ("first", "drive", "mix", "out")}
    )
    layer = two_layer_weights(encoding, irreps, 4)
    thick = dataclasses.replace(layer, inputs=wide(layer.inputs, 9, 300), out=wide(layer.out, 9, 300))
    for measured, narrow, wider in ((recurrent_errors, state, more), (two_layer_error, layer, thick)):
        plain = measured(narrow, vectors, cayley, words)
        filled = measured(wider, wide(vectors, 9, 9), wide(cayley, 9, 9), words)
        assert np.allclose(filled[0], plain[0], atol=1e-13) and np.allclose(filled[1], plain[1], rtol=1e-12)
    errors, floors = recurrent_errors(state, vectors, cayley, words)
    assert (
        errors.shape == (3,) and (errors > 0.01).all() and np.allclose(np.asarray(floors), float(floors[0]) * np.arange(1, 4))
    )


@pytest.mark.parametrize("name", ["D3", "Q8"])
def test_the_basis_of_an_irrep_does_not_matter(name):
    table, irreps = CASES[name]
    turned = [(kind, _turned(matrices)) for kind, matrices in irreps]
    encoding = _encoding(len(table))
    words = all_words(len(table), 2)
    assert _error(two_layer, two_layer_weights(encoding, turned, 2), encoding, table, words) < 1e-10
    assert _error(tree, tree_weights(encoding, turned), encoding, table, words) < 1e-10
    kind, matrices = turned[-1]
    form = standard_form(matrices, kind)
    assert np.abs(np.einsum("gij,hjk->ghik", form, form) - form[table]).max() < 1e-12


def test_one_hot_has_identity_coefficients():
    _, irreps = CASES["Q8"]
    x = np.asarray(one_hot_encoding(8, jnp.float64))
    rebuilt = spectral_encoding([m for _, m in irreps], [0, *(1 for _ in irreps[1:])])
    assert np.abs(x - rebuilt).max() < 1e-15


def test_what_is_refused():
    _, irreps = CASES["D3"]
    singular = spectral_encoding([m for _, m in irreps], [0.0, 1.0, np.diag([1.0 + 0j, 0.0])])
    with pytest.raises(ValueError, match="neither zero nor invertible"):
        two_layer_weights(singular, irreps, 2)
    with pytest.raises(ValueError, match="squared norm"):
        tree_weights(_encoding(6), irreps[:2])
    with pytest.raises(ValueError, match="not of quaternionic type"):
        standard_form(irreps[-1][1], "quaternionic")
    with pytest.raises(ValueError, match="conjugate"):
        spectral_encoding([CASES["C7"][1][1][1]], [1.0])
    weights = tree_weights(_encoding(6), irreps)
    with pytest.raises(ValueError, match="2, 4, 8"):
        tree(weights, jnp.eye(6), jnp.zeros((1, 3), int))

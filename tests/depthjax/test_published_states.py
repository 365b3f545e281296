"""Transitions of published blocks against their public loops, token by token: the states of random words have the same sizes.

The probe writes matrix states in orthonormal bases of keys and values, so that norms and products of states stay what they are.
"""

import numpy as np
import pytest

from depthjax import probe
from depthjax.probe.published.kind import Diagonal
from tests.depthjax.test_published_layers import drawn

WORD = (0, 1, 1, 2, 0, 2, 2, 1)
HEADS = 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def run_of(block, name, x):
    """A convolution on a run of one letter, then silu."""
    taps = block.get(f"{name}_conv1d.weight")
    y = block[f"{name}_proj.weight"] @ x
    return silu(y * taps[:, 0].sum(axis=1)) if taps is not None else silu(y)


def gla(block, x, states):
    gates = sigmoid(block["gk_proj.1.weight"] @ (block["gk_proj.0.weight"] @ x) + block["gk_proj.1.bias"]) ** (1 / 16)
    keys, values = (np.split(block[f"{name}_proj.weight"] @ x, HEADS) for name in "kv")
    return [a[:, None] * s + np.outer(k, v) for s, a, k, v in zip(states, np.split(gates, HEADS), keys, values, strict=True)]


def delta_net(block, x, states):
    keys, values = (np.split(run_of(block, name, x), HEADS) for name in "kv")
    strengths, after = sigmoid(block["b_proj.weight"] @ x), []
    for state, key, value, b in zip(states, keys, values, strengths, strict=True):
        key = key / np.sqrt(key @ key + 1e-6)
        after.append(state + b * np.outer(key, value - state.T @ key))
    return after


def delta_product(block, x, states):
    count = len(block["k_proj.weight"]) // len(block["q_proj.weight"])
    keys, values = (run_of(block, name, x).reshape(count, HEADS, -1) for name in "kv")
    strengths = 2 * sigmoid(block["b_proj.weight"] @ x).reshape(count, HEADS)
    gates = np.exp(-np.exp(block["A_log"]) * np.log1p(np.exp(block["a_proj.weight"] @ x + block["dt_bias"])))
    after = []
    for head, state in enumerate(states):
        state = gates[head] * state
        for key, value, b in zip(keys[:, head], values[:, head], strengths[:, head], strict=True):
            key = key / np.sqrt(key @ key + 1e-6)
            state = state + b * np.outer(key, value - state.T @ key)
        after.append(state)
    return after


def rwkv7(block, x, states):
    """As in rwkv_v7_numpy.py, where a letter follows itself: S (values, keys) <- S w - S kk (kk a)^T + v k^T."""
    w = np.exp(-sigmoid(np.tanh(x @ block["w1"]) @ block["w2"] + block["w0"].ravel()) / np.e**0.5)
    a = sigmoid(x @ block["a1"] @ block["a2"] + block["a0"].ravel())
    k, v = block["key.weight"] @ x, block["value.weight"] @ x
    kk, k = k * block["k_k"].ravel(), k + k * (a - 1) * block["k_a"].ravel()
    after = []
    for state, *parts in zip(states, *(np.split(part, HEADS) for part in (w, a, k, v, kk)), strict=True):
        w_, a_, k_, v_, kk_ = parts
        kk_ = kk_ / max(np.linalg.norm(kk_), 1e-12)
        s = state.T
        after.append((s * w_ - np.outer(s @ kk_, kk_ * a_) + np.outer(v_, k_)).T)
    return after


LOOPS = {
    "gla": (gla, (2, 4)),
    "delta_net": (delta_net, (4, 4)),
    "delta_product": (delta_product, (4, 4)),
    "rwkv7": (rwkv7, (4, 4)),
}


@pytest.mark.parametrize("letters", [2, 3])
@pytest.mark.parametrize("kind", LOOPS)
def test_states_after_words_have_the_norms_of_the_public_loop(kind, letters):
    block, how = drawn(kind, letters=letters)
    loop, shape = LOOPS[kind]
    parts = probe.layer(block, **how).transitions
    states = [np.zeros(shape) for _ in range(HEADS)]
    if isinstance(parts[0], Diagonal):
        own = [np.zeros(parts[0].logs.shape[1])]
    else:
        own = [np.zeros(part.drives.shape[1:]) for part in parts]
    for letter in (letter for letter in WORD if letter < letters):
        states = loop(block, how["letters"][letter], states)
        own = [
            part.weights[letter] * state + part.drives[letter]
            if isinstance(part, Diagonal)
            else part.matrices[letter] @ state + part.drives[letter]
            for part, state in zip(parts, own, strict=True)
        ]
        if isinstance(parts[0], Diagonal):
            assert np.linalg.norm(own[0]) == pytest.approx(np.linalg.norm(states), rel=1e-10)
        else:
            found = [np.linalg.svd(state, compute_uv=False) for state in own]
            for mine, theirs in zip(found, states, strict=True):
                right = np.linalg.svd(theirs, compute_uv=False)
                np.testing.assert_allclose(mine[: len(right)], right[: len(mine)], atol=1e-9 * max(right[0], 1e-3))


def test_pd_ssm_of_both_implementations_is_their_loop():
    from tests.depthjax import published_layers as blocks

    draw = np.random.default_rng(7)
    columns, x = blocks.pd_ssm_columns(draw), draw.normal(size=(2, 4))
    (part,) = probe.layer(columns, letters=x).transitions
    state = draw.normal(size=4) + 1j * draw.normal(size=4)
    for letter in (0, 1):
        chosen = np.exp(columns["P_selector"] @ x[letter])
        mixed = np.einsum("kmn,k->mn", columns["P_dict"], chosen / chosen.sum())
        diagonal = sigmoid(columns["W1_mag"] @ x[letter] + columns["b1_mag"]) * np.exp(
            2j * np.pi * sigmoid(columns["W1_pha"] @ x[letter] + columns["b1_pha"])
        )
        after = np.zeros(4, complex)
        for column in range(4):  # the scan of the JAX code adds what each column sends to its row
            after[mixed[:, column].argmax()] += diagonal[column] * state[column]
        after += (columns["B_re"] + 1j * columns["B_im"]) @ x[letter]
        np.testing.assert_allclose(part.matrices[letter] @ state + part.drives[letter, :, 0], after, rtol=1e-12)
    rows = blocks.pd_ssm(draw)
    (part,) = probe.layer(rows, letters=x).transitions
    for letter in (0, 1):
        chosen = np.exp(rows["S.weight"] @ x[letter])
        mixed = np.einsum("mnk,k->mn", rows["A_dict"], chosen / chosen.sum())
        after = part.matrices[letter] @ state
        picked = np.array(
            [state[mixed[row].argmax()] for row in range(4)]
        )  # P is one-hot along the last axis, and D scales rows
        sizes = np.abs(after) / np.abs(picked)
        assert ((0 < sizes) & (sizes < 1)).all() and ((part.matrices[letter] != 0).sum(axis=1) == 1).all()


def test_m2rnn_is_linearised_rightly():
    from depthjax.probe.layers import layer

    block, how = drawn("m2rnn")
    (part,) = layer(block, **how).transitions
    state, step = np.random.default_rng(0).normal(size=4), 1e-6
    values, slopes = part.linearised(state)
    q, k, v, f = np.split(how["letters"] @ block["input_projection.weight"].T, [2, 4, 6], axis=1)
    for letter in (0, 1):
        matrix = state.reshape(2, 2)
        new = np.tanh(matrix @ block["state_weight"][0] + np.outer(k[letter], v[letter]))
        np.testing.assert_allclose(values[letter], (f[letter] * matrix + (1 - f[letter]) * new).ravel(), rtol=1e-12)
        for axis in range(4):
            moved = part.linearised(state + step * np.eye(4)[axis])[0][letter]
            np.testing.assert_allclose((moved - values[letter]) / step, slopes[letter][:, axis], atol=1e-5)
    assert q.shape == k.shape


@pytest.mark.parametrize("letters", [2, 3])
def test_delta_net_generates_all_matrices_on_its_keys(letters):
    """Some state is read back by every key, since keys are independent; seen from there letters are linear."""
    block, how = drawn("delta_net", letters=letters)
    report = probe.layer(block, **how)
    full = letters**2
    assert [head.derived_dimensions for head in report.heads] == [(full, full - 1, full - 1)] * HEADS

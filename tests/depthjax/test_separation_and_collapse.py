"""Collapse and separation rank, numerical sides, against high precision, plain attention and the exact package."""

import itertools
import math

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from depthjax.attention import visible
from depthjax.instruments import collapse, separation
from experiments.collapse.collapse_doubly_exponential.iterated import log_residuals
from experiments.collapse.collapse_paths_exact.paths import path_count, path_ranks
from theory import bounds
from theory.attention.linear_attention import LinearAttention, grid_tensor
from theory.exact.modular import PRIMES, rank_modulo


def network(seed=0, layers=4, heads=2, tokens=5, width=3, shared=1.0):
    draw = np.random.default_rng(seed).standard_normal
    a, w, x = draw((layers, heads, width, width)), draw((layers, heads, width, width)), 0.3 * draw((tokens, width))
    x = x - x.mean(axis=0) + shared * draw(width)
    return collapse.Weights(jnp.asarray(a), jnp.asarray(w)), x


def residuals_in_high_precision(weights, tokens, scale, digits=400):
    logs = []
    with mpmath.workdps(digits):
        x = mpmath.matrix(tokens.tolist())
        for a, w in zip(np.asarray(weights.query_key), np.asarray(weights.value), strict=True):
            out = mpmath.zeros(x.rows, x.cols)
            for head_a, head_w in zip(a, w, strict=True):
                score = x * mpmath.matrix(head_a.tolist()) * x.T * scale
                rows = [[mpmath.exp(score[i, j]) for j in range(x.rows)] for i in range(x.rows)]
                p = mpmath.matrix([[entry / mpmath.fsum(row) for entry in row] for row in rows])
                out += p * x * mpmath.matrix(head_w.tolist())
            x = out
            mean = [mpmath.fsum(x[:, k]) / x.rows for k in range(x.cols)]
            square = mpmath.fsum((x[i, k] - mean[k]) ** 2 for i in range(x.rows) for k in range(x.cols))
            logs.append(float(mpmath.log(square) / 2))
    return np.array(logs)


@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_rescaled_iteration_is_the_network_in_high_precision(shared):
    weights, tokens = network(shared=shared)
    start = collapse.separated(jnp.asarray(tokens), jnp.asarray(tokens.mean(axis=0)))
    found = np.asarray(collapse.collapse(weights, start, 0.5)[1].log_frobenius)
    expected = residuals_in_high_precision(weights, tokens, 0.5)
    assert expected[-1] < -80
    assert np.abs(found / expected - 1).max() < 1e-13


def test_rescaled_layer_is_plain_attention_while_that_resolves_it():
    weights, tokens = network(layers=1)
    common = jnp.asarray(tokens[0])
    end, report = collapse.collapse(weights, collapse.separated(jnp.asarray(tokens), common), 0.5, recentre=False)
    plain = collapse.attend(jnp.asarray(tokens), jax.tree.map(lambda w: w[0], weights), 0.5)
    again = end.common[None] + jnp.exp(end.log_size) * end.direction
    assert float(jnp.abs(again - plain).max()) < 1e-14
    assert float(report.log_composite[0]) == pytest.approx(math.log(float(collapse.composite(again - end.common[None]))))


def test_underflow_leaves_the_cubic_law():
    weights, tokens = network(layers=9, shared=0.0)
    unit = jnp.asarray(tokens / np.linalg.norm(tokens))
    start = collapse.Tokens(jnp.zeros(3), unit, jnp.log(1e-30))
    found = np.asarray(collapse.collapse(weights, start, 0.5)[1].log_frobenius)
    law = log_residuals(tokens, np.asarray(weights.query_key), np.asarray(weights.value), 0.5, math.log(1e-30))
    assert found[-1] < -1e6 and np.abs(found / law[1:] - 1).max() < 1e-13


def test_bounds_of_one_layer_hold_for_adversarial_directions():
    """Both constants at logits of 2, for heavy-tailed directions and offsets."""
    scale, limit = 0.5, 2.0
    plain, entry = (
        bounds.collapse(1, width=4, beta=1e-9, residual=1, query_key=limit / scale, **more).at() / (1e-9 * scale)
        for more in ({}, {"gamma": 1})
    )

    @jax.jit
    def run(weights, start):
        return collapse.collapse(weights, start, scale, recentre=False)[1]

    for seed in range(40):
        draw = np.random.default_rng(seed)
        direction = draw.standard_normal((8, 4)) * draw.exponential(size=(8, 1)) ** 3
        a = draw.standard_normal((1, 1, 4, 4)) * draw.exponential(size=(4, 1)) ** 2
        w = draw.standard_normal((1, 1, 4, 4))
        unit = direction / np.linalg.norm(direction)
        largest = np.abs(a).sum(axis=2).max() * scale * float(collapse.composite(jnp.asarray(unit))) ** 2
        size = math.sqrt(limit / largest)
        # offsets that make p anything between even and one-hot
        start = collapse.Tokens(
            jnp.asarray(draw.standard_normal(4) * 10 ** draw.uniform(-2, 3)), jnp.asarray(unit), jnp.log(size)
        )
        report = run(collapse.Weights(jnp.asarray(a), jnp.asarray(w)), start)
        beta = np.abs(a).sum(axis=2).max() * float(collapse.composite(jnp.asarray(w[0, 0])))
        gamma = math.sqrt(float(report.largest_share[0] * report.spread[0]))
        assert float(report.log_largest_logit[0]) <= math.log(limit) + 1e-12
        assert float(report.coefficient[0]) <= beta * scale * min(plain, entry * gamma)


def test_concentrated_attention_is_attention():
    """The closed form against softmax on all rows, at a size where that is quick."""
    tokens, share, logit = 64, 0.6, 3.0
    row = np.full(tokens, math.log((1 - share) / (tokens - 1)))
    row[0] = math.log(share)
    score = row + np.diag([logit * (i % 2) for i in range(tokens)])
    attention = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    column = attention[:, :1]
    moved = np.abs(column - np.linspace(0, 1, 2001)[None])
    sizes = np.sqrt(moved.sum(axis=0) * moved.max(axis=0))
    assert float(collapse.concentrated_attention(tokens, share, logit)) <= sizes.min() / logit
    assert float(collapse.concentrated_attention(tokens, share, logit)) > 0.95 * sizes.min() / logit


@pytest.mark.parametrize("mask", ["causal", "window", "full"])
def test_masked_attention_is_dense_attention_with_zeros(mask):
    weights, tokens = network(layers=1)
    start = collapse.separated(jnp.asarray(tokens), jnp.asarray(tokens[0]))
    end, growth = collapse.masked_collapse(weights, start, 0.5, mask)
    score = 0.5 * np.einsum("id,hde,je->hij", tokens, np.asarray(weights.query_key[0]), tokens)
    seen = {"causal": np.tri(5), "window": np.tri(5) - np.tri(5, k=-2), "full": np.ones((5, 5))}[mask]
    raised = np.exp(score) * seen
    plain = np.einsum("hij,jd,hde->ie", raised / raised.sum(axis=2, keepdims=True), tokens, np.asarray(weights.value[0]))
    again = np.asarray(end.common[None] + jnp.exp(end.log_size) * end.direction)
    assert np.abs(again - plain).max() < 1e-14
    ratio = np.linalg.norm(plain - plain[:1]) / np.linalg.norm(tokens - tokens[:1])
    assert float(growth[0]) == pytest.approx(ratio, rel=1e-12)


def test_unknown_masks_are_refused():
    weights, tokens = network(layers=1)
    start = collapse.separated(jnp.asarray(tokens), jnp.asarray(tokens[0]))
    with pytest.raises(ValueError, match="'strict'"):
        collapse.masked_collapse(weights, start, 0.5, "strict")
    with pytest.raises(ValueError, match="'sideways'"):
        visible(jnp.arange(3), jnp.arange(3), "sideways")


def test_paths_are_counted_and_summed():
    weights, tokens = network(layers=2)
    bias = jnp.asarray(np.random.default_rng(1).standard_normal((2, 3)))
    for skip in (False, True):
        walks = collapse.paths(2, 2, skip)
        counts = np.bincount((walks > 0).sum(axis=1), minlength=3)
        assert tuple(counts.tolist()) == path_count(2, 2, skip)
        output, terms = collapse.path_sum(jnp.asarray(tokens), weights, bias, 0.5, jnp.asarray(walks), skip)
        rest = np.asarray(output) - np.asarray(terms).sum(axis=0)
        assert np.abs(rest - rest[:1]).max() < 1e-13 < np.abs(rest).max()
        ends, independent = collapse.term_ranks(walks, np.asarray(terms), 1e-14, 3)
        assert (ends == ([3 * skip, 3 * skip, 3, 0],) * 2).all() and independent == len(walks)


def test_ranks_of_paths_are_those_of_float_matrices():
    """The naive twin: normal attention matrices with rows of sum one, and numpy's rank."""
    draw = np.random.default_rng(3).standard_normal
    for layers, heads, skip, (tokens, width, narrow) in (
        (2, 2, True, (3, 4, 1)),
        (2, 2, False, (2, 4, 1)),
        (1, 3, True, (4, 2, 2)),
    ):
        terms = [(0, draw((tokens, width)))]
        for _ in range(layers):
            found = list(terms) if skip else []
            for _ in range(heads):
                attention, value = draw((tokens, tokens)), draw((width, narrow)) @ draw((narrow, width))
                attention[:, -1] = 1 - attention[:, :-1].sum(axis=1)
                found += [(length + 1, attention @ term @ value) for length, term in terms]
            terms = found
        ranks = path_ranks(layers, heads, skip, tokens=tokens, width=width, head_width=narrow)
        assert ranks.independent == np.linalg.matrix_rank(np.stack([term.ravel() for _, term in terms]), rtol=1e-9)
        assert all(np.linalg.matrix_rank(term, rtol=1e-9) == ranks.by_length[length] for length, term in terms)
    with pytest.raises(ValueError, match="head_width = 5"):
        path_ranks(1, 1, False, tokens=2, width=4, head_width=5)


@pytest.mark.parametrize(("width", "layers", "heads"), [(1, 2, 1), (2, 2, 2), (3, 2, 1)])
def test_grid_and_rank_are_those_of_theory(width, layers, heads):
    drawn = LinearAttention.random(width, layers, heads)
    sides = np.random.default_rng(1).integers(0, PRIMES[0], (2, 30, width + 1, width))
    left, right, *arrays = (
        jnp.asarray(x.astype(np.uint64)) for x in (*sides, drawn.query, drawn.key, drawn.value, drawn.output, drawn.readout)
    )
    found = separation.grid(separation.LinearWeights(*arrays), left, right, PRIMES[0])
    expected = grid_tensor(drawn, *sides)
    assert (np.asarray(found).astype(np.int64) == expected).all()
    assert separation.modular_rank(found, PRIMES[0]) == rank_modulo(expected)


def test_ranks_of_known_matrices():
    values = np.array(list(itertools.product(range(5), repeat=3)))[:60]
    known = (values @ values.T % 7).astype(np.uint64)
    assert separation.modular_rank(jnp.asarray(known), 7) == rank_modulo(known.astype(int), 7) == 3
    assert separation.modular_rank(jnp.zeros((4, 6), jnp.uint64), 7) == 0
    draw = np.random.default_rng(0).standard_normal
    rank, gap = separation.float_rank(jnp.asarray(draw((30, 4)) @ draw((4, 30))))
    assert rank == 4 and gap > 10
    assert separation.float_rank(jnp.asarray(draw((30, 30))))[1] < 3
    with pytest.raises(ValueError, match="prime must be at least 2"):
        separation.modular_rank(jnp.zeros((2, 2), jnp.uint64), 1)

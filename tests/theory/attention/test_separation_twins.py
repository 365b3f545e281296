"""Separation ranks of 22 shapes: attention token by token modulo two primes, and plain elimination, one row at a time."""

import numpy as np
import pytest

from theory.attention.separation import separation_rank

PRIMES = (536870909, 536870879)  # the two largest below 2^29: eight products of residues fit 62 bits

ONE_LAYER = [(1, 1, 1), (2, 1, 1), (2, 1, 2), (3, 1, 1), (3, 1, 3), (4, 1, 2), (5, 1, 5), (6, 1, 3)]
TWO_LAYERS = [(1, 2, 1), (2, 2, 1), (2, 2, 2), (3, 2, 1), (3, 2, 3), (4, 2, 1), (4, 2, 2), (4, 2, 4), (5, 2, 1), (5, 2, 5)]
MORE_LAYERS = [(1, 3, 1), (2, 3, 1), (2, 3, 2), (1, 4, 1)]
SHAPES = [*ONE_LAYER, *TWO_LAYERS, *MORE_LAYERS]


def outputs(weights, readout, left, right, prime):
    """One coordinate at the first token of every left template beside every right one: y_i = sum_j <Q x_i, K x_j> O V x_j."""
    sides = np.broadcast_arrays(left[:, None], right[None])
    tokens = np.concatenate(sides, axis=2) % prime  # (left, right, tokens, width)
    for heads in weights:
        moved = np.zeros_like(tokens)
        for query, key, value, output in heads:
            q, k, v = (tokens @ (matrix.T % prime) % prime for matrix in (query, key, value))
            summary = np.zeros((*tokens.shape[:2], k.shape[-1], v.shape[-1]), np.int64)
            for j in range(tokens.shape[2]):  # the sum over tokens, associated the other way than sums of x x^t
                summary = (summary + k[:, :, j, :, None] * v[:, :, j, None, :]) % prime
            moved = (moved + (q @ summary % prime) @ (output.T % prime)) % prime
        tokens = moved
    return (tokens[:, :, 0] * (readout % prime) % prime).sum(axis=-1) % prime


def plain_rank(matrix, prime):
    """Gauss, a pivot at a time."""
    rows, rank = matrix.copy(), 0
    for column in range(rows.shape[1]):
        candidates = np.flatnonzero(rows[rank:, column])
        if len(candidates):
            rows[[rank, rank + candidates[0]]] = rows[[rank + candidates[0], rank]]
            rows[rank] = rows[rank] * pow(int(rows[rank, column]), -1, prime) % prime
            rows[rank + 1 :] = (rows[rank + 1 :] - rows[rank + 1 :, column, None] * rows[rank]) % prime
            rank += 1
    return rank


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rank_of_a_random_network(shape):
    width, layers, heads = shape
    draw = np.random.default_rng([17, *shape]).integers
    size, count = width // heads, separation_rank(*shape) + 3
    forms = [(size, width)] * 3 + [(width, size)]
    weights = [[[draw(0, 10**6, form) for form in forms] for _ in range(heads)] for _ in range(layers)]
    readout = draw(0, 10**6, width)
    left, right = draw(0, 10**6, (2, count, width + 1, width))
    for prime in PRIMES:
        assert plain_rank(outputs(weights, readout, left, right, prime), prime) == separation_rank(*shape)


def test_the_twin_counts_templates_where_there_are_too_few_and_22_shapes():
    draw = np.random.default_rng(1).integers
    weights = [[[draw(0, 10**6, (2, 2)) for _ in range(4)]] for _ in range(2)]
    left, right = draw(0, 10**6, (2, 10, 3, 2))
    assert plain_rank(outputs(weights, draw(0, 10**6, 2), left, right, PRIMES[0]), PRIMES[0]) == 10
    assert len(set(SHAPES)) == 22

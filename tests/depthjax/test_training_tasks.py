"""Samplers of the word problem and of the rotation task against products one letter at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.tasks.rotation import Rotations, rotation_matrices
from depthjax.tasks.words import GroupWords
from theory.groups import group, rotation


def products(table, word):
    """x_1, x_1 x_2, ... one at a time."""
    found = [0]
    for letter in word:
        found.append(int(table[found[-1], letter]))
    return found[1:]


@pytest.fixture(scope="module")
def s3():
    return np.asarray(group("S3").table)


def test_labels_are_prefix_products_with_later_letters_on_the_right(s3, key):
    task = GroupWords(s3)
    tokens, labels, weights = jax.jit(task.sample, static_argnums=(1, 2))(key, 5, 7)
    assert tokens.shape == labels.shape == weights.shape == (5, 8) and (weights == 1).all()
    assert (tokens[:, 0] == 6).all() and (labels[:, 0] == 0).all() and (task.letters, task.classes) == (7, 6)
    assert labels[:, 1:].tolist() == [products(s3, word) for word in tokens[:, 1:]]
    bare = GroupWords(s3, bos=False).sample(key, 5, 7)
    assert bare.labels.tolist() == labels[:, 1:].tolist()


def test_mixed_lengths_are_uniform_and_masked(s3, key):
    weights = GroupWords(s3, shortest=3).sample(key, 4000, 6).weights
    lengths = weights.sum(axis=1).astype(int) - 1
    assert (jnp.sort(weights, axis=1)[:, ::-1] == weights).all()
    counts = np.bincount(lengths)
    assert counts[:3].sum() == 0 and len(counts) == 7
    # 1000 expected in each of four cells; five standard deviations
    assert np.abs(counts[3:] - 1000).max() < 5 * np.sqrt(4000 * 0.25 * 0.75)
    with pytest.raises(ValueError, match="length must be at least 3, got 2"):
        GroupWords(s3, shortest=3).sample(key, 1, 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t[:5], "must be square"),
        (lambda t: t + 1, "entries from 1 to 6"),
        (lambda t: t[[1, 0, 2, 3, 4, 5]], "row 0 or column 0"),
        (lambda t: np.where(np.arange(36).reshape(6, 6) == 14, t[2, 3], t), "repeats an element"),
    ],
)
def test_a_table_that_is_not_a_group(s3, change, words):
    with pytest.raises(ValueError, match=words):
        GroupWords(change(s3))


def test_a_loop_that_is_not_associative():
    loop = np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]])
    with pytest.raises(ValueError, match=r"differs from"):
        GroupWords(loop)


def test_rotations_multiply_on_the_left_and_the_two_modes(key):
    a5, turns = group("A5"), np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
    pair = next(pair for pair in rotation.assignments() if pair.extends)
    letters = a5.index(pair.three), a5.index(pair.five)
    matrices = rotation_matrices(a5.table, letters, turns, mode="faithful")
    task = Rotations(matrices)
    tokens, path, weights = task.sample(key, 4, 6)
    assert path.shape == (4, 7, 3) and weights.shape == tokens.shape == (4, 7) and task.letters == 61
    for word, vectors in zip(np.asarray(tokens), np.asarray(path), strict=True):
        vector = np.full(3, 3**-0.5)
        np.testing.assert_allclose(vectors[0], vector)
        for letter, seen in zip(word[1:], vectors[1:], strict=True):
            vector = matrices[letter] @ vector
            np.testing.assert_allclose(seen, vector, atol=1e-14)
    np.testing.assert_allclose((path**2).mean(), 1 / 3, rtol=1e-12)
    np.testing.assert_allclose(matrices.mean(axis=0), 0, atol=1e-14)
    published = tuple(a5.index(p) for p in rotation.PUBLISHED)
    with pytest.raises(ValueError, match="2831 of 3600 products"):
        rotation_matrices(a5.table, published, turns, mode="faithful")
    assert rotation_matrices(a5.table, published, turns, mode="as published").shape == (60, 3, 3)
    with pytest.raises(ValueError, match="'faithful' or 'as published'"):
        rotation_matrices(a5.table, letters, turns, mode="released")

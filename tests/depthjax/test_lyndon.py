import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import eye_array as sparse_identity

import theory.lie
from depthjax.lie.lyndon import (
    brackets_from_words,
    lyndon_basis,
    lyndon_words,
    structure_constants,
    word_indices,
    words_from_brackets,
)
from tests import twins

SIZES = [(2, 6), (3, 4), (4, 3)]


def bracket(table, a, b):
    result = np.zeros(len(a), int)
    np.add.at(result, table.target, table.value * (a[table.left] * b[table.right] - a[table.right] * b[table.left]))
    return result


@pytest.mark.parametrize(("letters", "degree"), [(1, 1), (1, 4), (2, 1), (2, 7), (3, 5), (4, 4)])
def test_words_agree_with_the_exact_engine(letters, degree):
    words = lyndon_words(letters, degree)
    assert list(words) == theory.lie.lyndon_words(letters, degree)
    assert len(words) == theory.lie.witt_dimension(letters, degree)
    assert list(word_indices(letters, degree)) == [int(np.ravel_multi_index(w, (letters,) * degree)) for w in words]


@pytest.mark.parametrize(("letters", "klass"), SIZES)
def test_factors_are_the_standard_factorisations(letters, klass):
    basis = lyndon_basis(letters, klass)
    for word, (u, v) in zip(basis.words, basis.factors, strict=True):
        if len(word) == 1:
            assert (u, v) == (-1, -1)
        else:
            assert (basis.words[u], basis.words[v]) == theory.lie.standard_factorization(word)
    assert [basis.words[i] for i in range(*basis.block(klass).indices(basis.dimension))] == list(lyndon_words(letters, klass))


@pytest.mark.parametrize(("letters", "degree"), [(2, 6), (3, 4)])
def test_matrix_holds_the_words_of_the_brackets(letters, degree):
    matrix = words_from_brackets(letters, degree).toarray()
    for column, word in enumerate(lyndon_words(letters, degree)):
        expanded = twins.standard_bracket(word)
        assert [expanded.get(v, 0) for v in lyndon_words(letters, degree)] == list(matrix[:, column])


@pytest.mark.parametrize(("letters", "degree"), [(2, 10), (3, 6), (5, 3)])
def test_matrix_is_unitriangular_and_its_inverse_exact(letters, degree):
    matrix, inverse = (table(letters, degree).toarray() for table in (words_from_brackets, brackets_from_words))
    assert np.array_equal(matrix, np.tril(matrix)) and np.all(np.diag(matrix) == 1)
    assert np.array_equal(matrix @ inverse, np.eye(len(matrix), dtype=int))


@pytest.mark.parametrize(("letters", "klass"), [(2, 5), (3, 3)])
def test_structure_constants_expand_to_the_commutators(letters, klass):
    basis, table = lyndon_basis(letters, klass), structure_constants(letters, klass)
    known = {}
    for left, right, target, value in zip(table.left, table.right, table.target, table.value, strict=True):
        known.setdefault((left, right), {})[basis.words[target]] = int(value)
    for left in range(basis.dimension):
        for right in range(left + 1, basis.dimension):
            if basis.degrees[left] + basis.degrees[right] <= klass:
                a, b = (twins.standard_bracket(basis.words[i]) for i in (left, right))
                assert twins.expand(known.get((left, right), {})) == twins.commutator(a, b)


@settings(max_examples=30)
@given(st.sampled_from(SIZES), st.integers(0, 2**32 - 1))
def test_bracket_satisfies_jacobi(size, seed):
    letters, klass = size
    table = structure_constants(letters, klass)
    a, b, c = np.random.default_rng(seed).integers(-5, 6, (3, lyndon_basis(letters, klass).dimension))
    cyclic = [bracket(table, x, bracket(table, y, z)) for x, y, z in ((a, b, c), (b, c, a), (c, a, b))]
    assert not np.any(sum(cyclic))
    assert not np.any(bracket(table, a, a))


def test_large_tables_keep_to_the_class():
    table, basis = structure_constants(3, 8), lyndon_basis(3, 8)
    assert basis.dimension == 1318
    assert np.array_equal(basis.degrees[table.left] + basis.degrees[table.right], basis.degrees[table.target])
    assert np.all(np.diff(table.target) >= 0) and np.all(table.left < table.right)
    assert lyndon_basis(2, 10).dimension == 226


def test_many_letters_stay_sparse():
    inverse = brackets_from_words(40, 3)
    assert inverse.shape == (21320, 21320) and inverse.nnz < 40000
    identity = inverse @ words_from_brackets(40, 3)
    assert (identity != sparse_identity(21320)).nnz == 0
    assert len(structure_constants(40, 3).value) < 10**5


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: lyndon_words(0, 3), ValueError, "letters must be at least 1"),
        (lambda: lyndon_words(2, 0), ValueError, "degree must be at least 1"),
        (lambda: lyndon_basis(2, 0), ValueError, "nilpotency must be at least 1"),
        (lambda: lyndon_words("2", 3), TypeError, "letters"),
        (lambda: lyndon_basis(2, True), TypeError, "nilpotency"),
    ],
)
def test_bad_sizes_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_tables_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        structure_constants(2, 3).value[0] = 7

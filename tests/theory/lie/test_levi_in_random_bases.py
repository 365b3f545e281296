"""Levi decompositions of 17 algebras in 43 random bases of determinant one, by ranks of brackets in Fractions."""

from fractions import Fraction

import numpy as np
import pytest

from tests import twins
from theory.lie import LieAlgebra, named


def parabolic(*blocks):
    """Block upper triangular matrices: gl of each block on the diagonal."""
    block = np.repeat(range(len(blocks)), blocks)
    size = len(block)
    units = [(i, j) for i in range(size) for j in range(size) if block[i] <= block[j]]
    return LieAlgebra.from_matrices([[[int((i, j) == unit) for j in range(size)] for i in range(size)] for unit in units])


def jacobi():
    """sl(2) acting on the Heisenberg algebra: matrices (0, v^t J, z; 0, A, v; 0, 0, 0)."""
    matrices = []
    for a, b, c, p, q, z in np.eye(6, dtype=int).tolist():
        matrices.append([[0, -q, p, z], [0, a, b, p], [0, c, -a, q], [0, 0, 0, 0]])
    return LieAlgebra.from_matrices(matrices)


# algebra, dimension, dimension of a Levi subalgebra, random bases
ALGEBRAS = {
    "so4": (lambda: named("so4"), 6, 6, 2),
    "sl2": (lambda: named("sl2"), 3, 3, 2),
    "sl3": (lambda: named("sl3"), 8, 8, 2),
    "gl2": (lambda: named("gl2"), 4, 3, 3),
    "gl3": (lambda: named("gl3"), 9, 8, 2),
    "aff2": (lambda: named("aff2"), 6, 3, 3),
    "aff3": (lambda: named("aff3"), 12, 8, 2),
    "se3": (lambda: named("se3"), 6, 3, 3),
    "se4": (lambda: named("se4"), 10, 6, 3),
    "upper3": (lambda: named("upper3"), 6, 0, 2),
    "heisenberg5": (lambda: named("heisenberg5"), 5, 0, 2),
    "free2_4": (lambda: named("free2_4"), 8, 0, 2),
    "parabolic 2+1": (lambda: parabolic(2, 1), 7, 3, 3),
    "parabolic 2+2": (lambda: parabolic(2, 2), 12, 6, 3),
    "parabolic 2+1+1": (lambda: parabolic(2, 1, 1), 11, 3, 3),
    "parabolic 1+2+1": (lambda: parabolic(1, 2, 1), 11, 3, 3),
    "jacobi": (jacobi, 6, 3, 3),
}
CASES = [(name, seed) for name, (_, _, _, bases) in ALGEBRAS.items() for seed in range(bases)]


def in_random_basis(constants, seed):
    """The structure constants on the rows of a product of elementary integer matrices, and of its inverse."""
    rng, n = np.random.default_rng(seed), len(constants)
    change, inverse = np.eye(n, dtype=object), np.eye(n, dtype=object)
    for _ in range(3 * n):
        i, j = rng.choice(n, 2, replace=False)
        sign = int(rng.choice([-1, 1]))
        change[i] += sign * change[j]
        inverse[:, j] -= sign * inverse[:, i]
    assert (change @ inverse == np.eye(n, dtype=object)).all()
    moved = np.tensordot(change, constants.astype(object), 1)
    moved = np.tensordot(change, moved.transpose(1, 0, 2), 1).transpose(1, 0, 2)
    return moved @ inverse


def brackets(constants, left, right):
    """All brackets of two lists of elements, as rows."""
    left, right = (np.array(rows, dtype=object).reshape(-1, len(constants)) for rows in (left, right))
    partial = np.tensordot(left, constants, 1)
    return np.tensordot(right, partial.transpose(1, 0, 2), 1).reshape(-1, len(constants)).tolist()


def independent(rows):
    """A basis of the span, by elimination on Fractions."""
    basis = []
    for row in rows:
        if any(row) and twins.rank([*basis, row]) > len(basis):
            basis.append(row)
    return basis


def killing_form(constants, basis, rest):
    """The Killing form of a subalgebra with this basis; `rest` completes it to a basis of the whole."""
    count = len(basis)
    whole = np.array([*basis, *rest], dtype=object)
    solved = coordinates_in(whole, brackets(constants, basis, basis))
    assert not (solved[:, count:] != 0).any(), "the subalgebra is closed"
    adjoint = solved[:, :count].reshape(count, count, count)
    return np.einsum("iab,jba->ij", adjoint, adjoint)


def coordinates_in(basis, rows):
    """Coordinates of rows in a basis, by Gauss and Jordan on Fractions."""
    n = len(basis)
    table = np.concatenate([basis.T, np.array(rows, dtype=object).reshape(-1, n).T], axis=1) * Fraction(1)
    for column in range(n):
        pivot = next(i for i in range(column, n) if table[i, column])
        table[[column, pivot]] = table[[pivot, column]]
        table[column] /= table[column, column]
        for i in range(n):
            if i != column and table[i, column]:
                table[i] -= table[i, column] * table[column]
    return table[:, n:].T


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_levi_decomposition(name, seed):
    make, dimension, size, _ = ALGEBRAS[name]
    constants = in_random_basis(make().constants, seed)
    algebra = LieAlgebra.from_structure_constants(constants)
    levi, radical = algebra.levi_decomposition
    assert (len(levi), len(radical)) == (size, dimension - size)
    assert twins.rank([*levi, *radical]) == dimension == algebra.dimension
    if size:
        assert twins.rank(killing_form(constants, levi, radical).tolist()) == size
    # the radical is an ideal, and its derived series ends
    moved = brackets(constants, np.eye(dimension, dtype=object), radical)
    assert not radical or not (coordinates_in(np.array([*radical, *levi], dtype=object), moved)[:, len(radical) :] != 0).any()
    steps, term = 0, radical
    while term:
        following = independent(brackets(constants, term, term))
        assert len(following) < len(term)
        steps, term = steps + 1, following
    assert algebra.is_solvable == (size == 0) and algebra.is_semisimple == (size == dimension)
    if size == 0:
        assert algebra.derived_length == steps


def test_there_are_43_bases_of_17_algebras():
    assert (len(CASES), len(ALGEBRAS)) == (43, 17)

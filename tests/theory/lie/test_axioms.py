"""Axioms of Lie algebras, one check each, over algebras of every family, in their own bases and in random ones.

The definitions are taken literally, by ranks of brackets in Fractions.
"""

import functools
from fractions import Fraction

import numpy as np
import pytest

from tests import twins
from theory import bounds
from theory.errors import OutsideHypotheses
from theory.lie import LieAlgebra, named, witt_dimension


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


# dimension, dimension of a Levi subalgebra, random bases in which the algebra is tried as well
NAMED = {
    "abelian1": (1, 0, 0), "abelian3": (3, 0, 1), "so2": (1, 0, 0), "so3": (3, 3, 1), "so4": (6, 6, 2), "so5": (10, 10, 0),
    "sl2": (3, 3, 2), "sl3": (8, 8, 2), "gl1": (1, 0, 0), "gl2": (4, 3, 3), "gl3": (9, 8, 2), "sp2": (3, 3, 1),
    "sp4": (10, 10, 0), "heisenberg": (3, 0, 1), "heisenberg5": (5, 0, 2), "heisenberg7": (7, 0, 0), "aff1": (2, 0, 1),
    "aff2": (6, 3, 3), "aff3": (12, 8, 2), "se2": (3, 0, 1), "se3": (6, 3, 3), "se4": (10, 6, 3), "upper1": (1, 0, 0),
    "upper2": (3, 0, 1), "upper3": (6, 0, 2), "upper4": (10, 0, 0), "strict2": (1, 0, 0), "strict3": (3, 0, 0),
    "strict4": (6, 0, 1), "free1_3": (1, 0, 0), "free2_1": (2, 0, 0), "free2_4": (8, 0, 2), "free3_2": (6, 0, 1),
    "free3_3": (14, 0, 0),
}  # fmt: skip
MADE = {
    "parabolic 2+1": (lambda: parabolic(2, 1), 7, 3, 3),
    "parabolic 2+2": (lambda: parabolic(2, 2), 12, 6, 3),
    "parabolic 2+1+1": (lambda: parabolic(2, 1, 1), 11, 3, 3),
    "parabolic 1+2+1": (lambda: parabolic(1, 2, 1), 11, 3, 3),
    "jacobi": (jacobi, 6, 3, 3),
}
ALGEBRAS = {name: (functools.partial(named, name), *sizes) for name, sizes in NAMED.items()} | MADE
CASES = [(name, seed) for name, (*_, bases) in ALGEBRAS.items() for seed in (None, *range(bases))]


@functools.cache
def algebra(name, seed):
    """An algebra in its own basis, or in a random one of determinant one."""
    made = ALGEBRAS[name][0]()
    return made if seed is None else LieAlgebra.from_structure_constants(in_random_basis(made.constants, seed))


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


def series(g, following):
    """Dimensions of the derived or the lower central series, by spans of brackets."""
    whole = np.eye(g.dimension, dtype=object)
    space, dimensions = whole.tolist(), [g.dimension]
    while dimensions[-1] and (len(dimensions) < 2 or dimensions[-1] < dimensions[-2]):
        space = independent(brackets(g.constants, space if following == "derived" else whole, space))
        dimensions.append(len(space))
    return tuple(dimensions)


def check_bracket(g, name):
    """Brackets are bilinear, opposite when swapped, obey Jacobi, and are the commutators of the matrices."""
    c, n = g.constants.astype(object), g.dimension
    assert n == ALGEBRAS[name][1] and (c == -c.transpose(1, 0, 2)).all()
    twice = np.tensordot(c, c, 1)  # [[e_i, e_j], e_k]
    assert not (twice + twice.transpose(1, 2, 0, 3) + twice.transpose(2, 0, 1, 3) != 0).any()
    draw = np.random.default_rng(0).integers
    x, y = draw(-9, 10, (2, n)).astype(object)
    assert (g.bracket(x, y) == sum(a * b * c[i, j] for i, a in enumerate(x) for j, b in enumerate(y))).all()
    for i, a in enumerate(g.matrices or ()):
        for j, b in enumerate(g.matrices or ()):
            assert np.array_equal(a @ b - b @ a, np.tensordot(g.constants[i, j], np.array(g.matrices), 1))


def check_series(g, name):
    """The series and every fact that follows from them; the layers of a tower are the derived length, or are refused."""
    derived, central = series(g, "derived"), series(g, "central")
    assert g.derived_dimensions == derived and g.lower_central_dimensions == central
    assert g.is_solvable == (derived[-1] == 0) and g.is_nilpotent == (central[-1] == 0)
    assert g.derived_length == (len(derived) - 1 if g.is_solvable else None)
    assert g.nilpotency_class == (len(central) - 1 if g.is_nilpotent else None)
    assert g.is_abelian == (not (g.constants != 0).any()) == (derived[1] == 0) and g.is_perfect == (derived[1] == g.dimension)
    report = bounds.algebra(g)
    if g.is_solvable:
        assert report.at() == g.derived_length == len(g.derived_complements)
        assert sum(map(len, g.derived_complements)) == g.dimension
    else:
        for ask in (report.at, lambda: g.derived_complements):
            with pytest.raises((OutsideHypotheses, ValueError), match="solvable"):
                ask()


def check_levi(g, name):
    """A semisimple subalgebra beside a solvable ideal, of the known dimension (Levi); their Killing forms say so (Cartan)."""
    constants, dimension, size = g.constants.astype(object), g.dimension, ALGEBRAS[name][2]
    levi, radical = g.levi_decomposition
    assert (len(levi), len(radical)) == (size, dimension - size) and len(g.radical) == len(radical)
    assert twins.rank([*levi, *radical]) == dimension
    if size:
        assert twins.rank(killing_form(constants, levi, radical).tolist()) == size
        assert g.subalgebra(np.array(levi, dtype=object)).is_semisimple
    # the radical is an ideal, and its derived series ends
    moved = brackets(constants, np.eye(dimension, dtype=object), radical)
    assert not radical or not (coordinates_in(np.array([*radical, *levi], dtype=object), moved)[:, len(radical) :] != 0).any()
    steps, term = 0, radical
    while term:
        following = independent(brackets(constants, term, term))
        assert len(following) < len(term)
        steps, term = steps + 1, following
    assert not radical or g.subalgebra(np.array(radical, dtype=object)).is_solvable
    assert g.is_solvable == (size == 0) and g.is_semisimple == (size == dimension)
    if size == 0:
        assert g.derived_length == steps


def check_forms(g, name):
    """The Killing form is the trace of two adjoint maps, of full rank where the algebra is semisimple; and the centre."""
    c, n = g.constants.astype(object), g.dimension
    form = [[sum(int((c[i] @ c[j])[k, k]) for k in range(n)) for j in range(n)] for i in range(n)]
    assert np.asarray(g.killing_form).tolist() == form
    assert g.is_semisimple == (twins.rank(form) == n)
    assert len(g.centre) == n - twins.rank(c.reshape(n, -1).T.tolist())
    assert not any(any(row) for row in brackets(c, g.centre, np.eye(n, dtype=object)))
    assert not len(g.centre) or twins.rank(np.asarray(g.centre, dtype=object).tolist()) == len(g.centre)


def check_basis(g, name):
    """Another basis, and one of long vectors, change no dimension."""
    for moved in (in_random_basis(g.constants, 7) if g.dimension > 1 else g.constants, g.constants.astype(object) * 10**30):
        other = LieAlgebra.from_structure_constants(moved)
        assert other.derived_dimensions == g.derived_dimensions
        assert other.lower_central_dimensions == g.lower_central_dimensions
        assert (len(other.centre), len(other.radical)) == (len(g.centre), len(g.radical))


CHECKS = [check_bracket, check_series, check_levi, check_forms, check_basis]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize(("name", "seed"), CASES)
def test_axioms(name, seed, check):
    check(algebra(name, seed), name)


def test_known_dimensions():
    assert named("upper6").derived_dimensions == (21, 15, 10, 3, 0)
    assert named("upper6").lower_central_dimensions == (21, 15, 15)
    assert named("gl4").derived_dimensions == (16, 15, 15) and len(named("gl4").radical) == 1
    for n in range(2, 7):
        assert named(f"upper{n}").derived_length == 1 + (n - 1).bit_length()
    assert named("free2_5").dimension == sum(witt_dimension(2, n) for n in range(1, 6))

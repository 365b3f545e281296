"""The steps of the proof that squared distances are narrowest for one irrep of dimension 2 and signs, each computed exactly."""

from itertools import combinations, permutations

import numpy as np
import pytest
import scipy.optimize
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import LeviCivita, Matrix

from theory import bounds
from theory.composition import distance_units, least_units
from theory.composition.dihedral import plane_and_signs
from theory.groups import group

# Strassen's algorithm in a frame of three vectors that add up to zero, and the same turned by a quarter. The term of i, j, k
# reads w*_i X w_j and w*_k Y w_i, and writes w_k w*_j; terms of odd orders are taken away.
PLANE = [Matrix([1, 0]), Matrix([0, 1]), Matrix([-1, -1])]
TURNED = [Matrix([-v[1], v[0]]) for v in PLANE]
ORDERS = list(permutations(range(3)))
TERMS = [(sympy.eye(2),) * 3] + [
    (TURNED[i] * PLANE[j].T, TURNED[k] * PLANE[i].T, -LeviCivita(i, j, k) * PLANE[k] * TURNED[j].T) for i, j, k in ORDERS
]

regular = st.tuples(*[st.integers(-4, 4)] * 4).filter(lambda m: m[0] * m[3] != m[1] * m[2]).map(lambda m: Matrix(2, 2, m))


def wedge(left, right):
    return [left[i] * right[j] - left[j] * right[i] for i, j in combinations(range(4), 2)]


def matrices(name):
    """The real irreps of dimension 2 of a dihedral group, as arrays of matrices."""
    return [np.asarray(irrep.matrices).real for irrep in group(name).irreps if irrep.dimension == 2]


def test_the_frame_is_strassens_algorithm():
    x, y = (Matrix(2, 2, sympy.symbols(f"{name}:4")) for name in "xy")
    found = sum(((a.T * x).trace() * (b.T * y).trace() * w for a, b, w in TERMS), sympy.zeros(2, 2))
    assert (found - x * y).expand() == sympy.zeros(2, 2)


@pytest.mark.parametrize("slots", [(0, 1), (1, 2), (2, 0)])
def test_no_other_tensors_of_rank_one_are_spanned(slots):
    first, second = ([list(term[slot]) for term in TERMS] for slot in slots)
    rows = [
        [a * b for a in wedge(first[k], first[m]) for b in wedge(second[k], second[m])] for k, m in combinations(range(7), 2)
    ]
    assert Matrix(rows).rank() == 21


def test_functionals_of_rank_one_see_two_terms_that_read_one_row_and_one_column():
    seen = []
    for number in range(3):
        functional = TURNED[number] * PLANE[number].T
        values = [(functional.T * w).trace() for _, _, w in TERMS]
        assert values[0] == 0 and [bool(value) for value in values[1:]] == [order[0] == number for order in ORDERS]
        for read, other, _ in (TERMS[k] for k in range(1, 7) if values[k]):
            assert Matrix.hstack(read, TURNED[number]).rank() == 1  # p' X, whatever X
            assert Matrix.vstack(other, PLANE[number].T).rank() == 1  # Y r
        seen.append(list(functional))
    assert Matrix(seen).rank() == 3


def coefficient(name, p, r):
    """The least squared error with which a product of two sums of a function of g and one of h is p' rho(g h) r."""
    rho = matrices(name)[0]
    m, n = np.einsum("gji,j->gi", rho, p), np.einsum("hij,j->hi", rho, r)

    def errors(flat):
        q, k, other_q, other_k = flat[:8].reshape(4, 2)
        first = (m @ q)[:, None] + n @ k + flat[8]
        return (first * ((m @ other_q)[:, None] + n @ other_k + flat[9]) - m @ n.T).ravel()

    starts = (np.random.default_rng(start).normal(size=10) for start in range(4))
    return min(2 * scipy.optimize.least_squares(errors, start, xtol=1e-15, ftol=1e-15).cost for start in starts)


def test_two_units_write_a_coefficient_of_d4_and_none_of_s3():
    along, between = np.array([1.0, 0.0]), np.array([np.cos(np.pi / 4), np.sin(np.pi / 4)])
    assert coefficient("D4", along, between) < 1e-20 or coefficient("D4", along, along) < 1e-20
    for p in (along, np.array([0.0, 1.0]), np.array([0.6, 0.8])):
        for r in (along, np.array([0.0, 1.0]), np.array([0.6, 0.8])):
            assert coefficient("S3", p, r) > 0.1
            assert coefficient("D5", p, r) > 0.1


@pytest.mark.parametrize(("p", "r"), [(0, 0), (0, 2), (1, 1), (3, 1)])
def test_two_units_write_a_coefficient_of_d4_for_two_mirrors_of_one_kind(p, r):
    assert coefficient("D4", _direction(p), _direction(r)) < 1e-20


@pytest.mark.parametrize("p", [0, 1, 2, 3, 0.5, 1.3])
@pytest.mark.parametrize("r", [0, 1, 2, 3, 0.5, 2.2])
def test_the_squares_of_two_orbits_of_d4_are_on_one_line_for_two_mirrors_of_one_kind(p, r):
    """Only then is there a number q q' to which all of them are orthogonal. A search comes as near as it likes otherwise."""
    orbits = np.concatenate([matrices("D4")[0] @ _direction(eighths) for eighths in (p, r)])
    squares = (orbits @ np.array([1, 1j])) ** 2
    one_kind = p % 1 == r % 1 == 0 and p % 2 == r % 2
    assert (np.linalg.matrix_rank(np.stack([squares.real, squares.imag]), tol=1e-9) == 1) == one_kind


def _direction(eighths):
    return np.array([np.cos(eighths * np.pi / 4), np.sin(eighths * np.pi / 4)])


numbers = st.integers(-5, 5).filter(bool)


@given(st.tuples(numbers, numbers, numbers, numbers).filter(lambda x: x[0] * x[1] * x[2] * x[3] > 0), st.integers(0, 9))
def test_the_squares_of_strassens_terms_in_the_sign_of_the_odd_mirror(entries, seed):
    """All terms in the frames of the proof, as functions on D4; the scales of the terms of i = 0 and 1 do not matter."""
    a, b, c, d = entries
    determinant = a * d - b * c
    if not determinant:
        return
    rho = matrices("D4")[0]
    middle, left = np.array([[a, c], [b, d]], float), np.array([[0.0, 1.0], [-1.0, 0.0]])
    frame, turned = (np.array([list(v) for v in vectors], float) for vectors in (PLANE, TURNED))
    p, y, z, r = turned @ left.T, frame @ middle.T, turned @ np.linalg.inv(middle), frame
    np.testing.assert_allclose(p, frame)  # the three directions 1, i and -1 - i
    squared = np.einsum("gij,i->gj", rho, p[2]) @ np.array([1, 1j])
    sign = np.real(squared**2 / (p[2] @ np.array([1, 1j])) ** 2)
    assert set(np.round(sign)) == {1, -1} and not np.allclose(sign, np.linalg.det(rho))

    whole = np.sign(a * b)
    scales = np.random.default_rng(seed).uniform(0.5, 2, size=(3, 3))  # the squares t_ij^2
    scales[2, :2] = whole / (2 * a * b), whole / (2 * c * d)
    of_g, of_h, products = np.zeros(8), np.zeros(8), np.zeros((8, 8))
    for i, j, k in ORDERS:
        first, second = np.einsum("gij,i,j->g", rho, p[i], y[j]), np.einsum("hij,i,j->h", rho, z[k], r[i])
        of_g -= scales[i, j] * first**2 / 2
        of_h -= second**2 / scales[i, j] / 2
        products -= np.outer(first, second) / 2
    first = np.einsum("gij,ij->g", rho, left @ middle.T)
    second = np.einsum("hij,ij->h", rho, np.linalg.inv(middle).T)
    answers = np.einsum("gij,hjk,ik->gh", rho, rho, left) / 2
    np.testing.assert_allclose(np.outer(first, second) + products, answers, atol=1e-9)

    part = a * d + b * c
    found = [(f * sign).mean() for f in (of_g, of_h, first**2, second**2)]
    expected = [-whole, 4 * a * b * c * d / whole / determinant**2, -part, part / determinant**2]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    # so K part = -whole and L part = -4 a b c d / whole
    assert part**2 - 4 * a * b * c * d == determinant**2


def three_units(first, second, *, other_sign):
    """The least squared error of three units that compute two terms, with sum o A^2 = first v and sum o B^2 = second v."""

    def errors(flat):
        o, a, b = flat[:18].reshape(3, 3, 2)  # unit and output, unit and what is read: N or s
        terms = [(a, b, 0, 0, 1, 0), (a, b, 1, 1, 0, 1), (a, b, 0, 1, 0, 0), (a, b, 1, 0, 0, 0)]
        terms += [(a, a, 0, 0, first, 0), (b, b, 0, 0, second, 0)]
        if not other_sign:
            terms += [(a, a, 0, 1, 0, 0), (b, b, 0, 1, 0, 0)]
        parts = [o.T @ (x[:, i] * y[:, j]) - (v, s) for x, y, i, j, v, s in terms]
        means = o[:, 1] @ ((a**2 + b**2).sum(axis=1) + flat[18:] ** 2)  # so that not one unit alone writes to s
        return np.array([*np.concatenate(parts), means])

    starts = (np.random.default_rng(start).normal(size=21) for start in range(5))
    exact = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15, "max_nfev": 200}
    return min(2 * scipy.optimize.least_squares(errors, start, **exact).cost for start in starts)


def test_three_units_balance_the_two_terms_for_one_product_of_their_scales_alone():
    assert three_units(2, 1 / 2, other_sign=False) < 1e-20 and three_units(-1, -1, other_sign=False) < 1e-20
    for first, second in ((2, 1 / 4), (1, -1), (1 / 2, 1), (0, 0)):  # the error falls as weights grow, but is not zero
        assert three_units(first, second, other_sign=False) > 1e-12
    assert three_units(0, 0, other_sign=True) > 1e-12


def test_the_three_equations_of_the_plane_have_no_real_constant():
    """With c' = ratio c the first two equations give q', and the third says c^2 = -|p q|^2 (1 - x^2)^2 / 2 (1 + x^2)."""
    real, imaginary, ratio, x, size, c = sympy.symbols("real imaginary ratio x size c", real=True)
    q = real + sympy.I * imaginary
    other = ratio * q * (sympy.I - x) / (sympy.I + x)
    product = sympy.re((sympy.conjugate(q) * other).expand(complex=True))
    third = 2 * ratio * c**2 - product * size**2 * (x**2 - 1)
    said = c**2 + size**2 * (real**2 + imaginary**2) * (1 - x**2) ** 2 / (2 * (1 + x**2))
    assert sympy.simplify(third - 2 * ratio * said) == 0


@pytest.mark.parametrize("name", ["S3", "D4", "D5", "D6"])
@given(regular)
def test_the_determinant_of_what_is_read_is_the_part_of_its_square_in_the_sign(name, read):
    for rho in matrices(name):
        squares = np.einsum("gij,ij->g", rho, np.array(read, float)) ** 2
        np.testing.assert_allclose((squares * np.linalg.det(rho)).mean(), float(read.det()), atol=1e-12)


@pytest.mark.parametrize("name", ["S3", "D4", "D5", "D7"])
@given(st.tuples(*[st.integers(-4, 4)] * 4))
def test_squares_of_matrices_of_rank_one_are_the_doubled_angle(name, numbers):
    p, q = complex(*numbers[:2]), complex(*numbers[2:])
    rho = np.asarray(next(irrep for irrep in group(name).irreps if irrep.dimension == 2).matrices).real
    read = np.einsum("gij,i,j->g", rho, (p.real, p.imag), (q.real, q.imag)) ** 2
    doubled = np.array([np.where(np.linalg.det(m) > 0, _turn(m), _reflect(m)) for m in rho])
    hats = [np.array([z.real, z.imag]) for z in ((p * p).conjugate(), (q * q).conjugate())]
    expected = (abs(p) ** 2 * abs(q) ** 2 + np.einsum("gij,i,j->g", doubled, *hats)) / 2
    np.testing.assert_allclose(read, expected, atol=1e-9)


def _turn(matrix):
    z = complex(matrix[0, 0], matrix[1, 0]) ** 2
    return np.array([[z.real, z.imag], [-z.imag, z.real]])


def _reflect(matrix):
    z = complex(matrix[0, 0], matrix[1, 0]) ** 2
    return np.array([[z.real, -z.imag], [-z.imag, -z.real]])


def test_the_doubled_angle_is_the_plane_itself_for_s3_alone():
    """The matrices of the doubled angle have the character of the irrep for D3, and of another one for D5 and D7."""
    for name, same in (("S3", True), ("D5", False), ("D7", False)):
        rho = np.asarray(next(irrep for irrep in group(name).irreps if irrep.dimension == 2).matrices).real
        traces = [np.trace(_turn(m)) if np.linalg.det(m) > 0 else np.trace(_reflect(m)) for m in rho]
        assert np.allclose(traces, np.trace(rho, axis1=1, axis2=2)) is same


def test_both_sides_meet_for_s3_and_d4():
    for name, units in (("S3", 10), ("D4", 12)):
        irreps = group(name).irreps[1:]
        assert least_units(irreps, 2) == distance_units(irreps) == units == bounds.width_dichotomy(name, 2).at()
        assert "theory.composition.dihedral" in bounds.width_dichotomy(name, 2).bound.source
    assert "dihedral" not in bounds.width_dichotomy("D5", 2).bound.source + bounds.width_dichotomy("S3", 3).bound.source


def test_codes_with_fewer_irreps():
    signs = [irrep for irrep in group("D4").irreps[1:] if irrep.dimension == 1]
    plane = group("D4").irreps[-1]
    assert [least_units([*signs[:count], plane], 2) for count in (1, 2, 3)] == [10, 11, 12]
    assert [distance_units([*signs[:count], plane]) for count in (1, 2, 3)] == [10, 11, 12]
    of_d6 = [irrep for irrep in group("D6").irreps if irrep.dimension == 2]
    sign = next(irrep for irrep in group("D6").irreps[1:] if irrep.dimension == 1)
    assert [least_units([sign, irrep], 2) for irrep in of_d6] == [10, 10] and least_units([sign, *of_d6], 2) == 16
    assert not plane_and_signs([plane]) and not plane_and_signs(signs) and not plane_and_signs([])
    assert not plane_and_signs([group("S3").irreps[-1]]) and least_units([group("S3").irreps[-1]], 2) == 7


def test_shapes_alone_decide():
    class Shape:
        def __init__(self, dimension, kind="real"):
            self.dimension, self.kind = dimension, kind

    assert plane_and_signs([Shape(1), Shape(2)]) and plane_and_signs([Shape(2), Shape(1), Shape(1)])
    for other in (Shape(2), Shape(3), Shape(1, "complex"), Shape(2, "quaternionic")):
        assert not plane_and_signs([Shape(1), Shape(1), Shape(2), other])
    assert not plane_and_signs([Shape(1), Shape(2, "quaternionic")]) and not plane_and_signs([Shape(1), Shape(2, "complex")])
    assert plane_and_signs(iter([Shape(1), Shape(2)]))


def solved(name, numbers, units, starts=4, steps=200):
    """The least sum of squared errors of networks of so many units that a search from random weights finds."""
    g = group(name)
    coded = [irrep for irrep in g.irreps[1:] if irrep.number in numbers]
    code = np.concatenate([np.asarray(irrep.matrices).real.reshape(g.order, -1) for irrep in coded], axis=1)
    target = code[g.table]
    inputs = np.concatenate([code, np.ones((g.order, 1))], axis=1)
    sizes = [(units, inputs.shape[1]), (units, code.shape[1]), (units, code.shape[1])]
    ends = np.cumsum([rows * columns for rows, columns in sizes])

    def errors(flat):
        a, b, w = (part.reshape(size) for part, size in zip(np.split(flat, ends[:-1]), sizes, strict=True))
        hidden = (inputs @ a.T)[:, None] + (code @ b.T)[None]
        return (hidden**2 @ w - target).ravel(), hidden, w

    def slopes(flat):
        _, hidden, w = errors(flat)
        by_hidden = 2 * hidden[..., None] * w
        shape = (target.size, -1)
        return np.concatenate(
            [
                np.einsum("xyhd,xp->xydhp", by_hidden, inputs).reshape(shape),
                np.einsum("xyhd,yp->xydhp", by_hidden, code).reshape(shape),
                np.einsum("xyh,de->xydhe", hidden**2, np.identity(code.shape[1])).reshape(shape),
            ],
            axis=1,
        )

    best = np.inf
    for start in range(starts):
        flat = np.random.default_rng(start).normal(size=ends[-1]) / 2
        left, damping = errors(flat)[0], 1.0
        for _ in range(steps):
            if left @ left < 1e-22:
                return left @ left
            slope = slopes(flat)
            step = np.linalg.solve(slope.T @ slope + damping * np.identity(len(flat)), -slope.T @ left)
            after = errors(flat + step)[0]
            if after @ after < left @ left:
                flat, left, damping = flat + step, after, max(damping / 5, 1e-14)
            else:
                damping *= 4
        best = min(best, left @ left)
    return best


@pytest.mark.parametrize(
    ("name", "numbers", "units"),
    [
        ("S3", (1, 2), 10),
        ("D4", (1, 4), 10),
        ("D4", (3, 4), 10),
        pytest.param("D5", (1, 2), 10, marks=pytest.mark.slow),
        pytest.param("D4", (1, 2, 4), 11, marks=pytest.mark.slow),
    ],
)
def test_a_search_finds_networks_of_the_least_width_and_none_narrower(name, numbers, units):
    coded = [irrep for irrep in group(name).irreps[1:] if irrep.number in numbers]
    assert solved(name, numbers, units) < 1e-20 < 1e-9 < solved(name, numbers, units - 1)
    assert least_units(coded, 2) == units

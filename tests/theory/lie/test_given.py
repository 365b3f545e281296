"""Lie algebras by other names, as direct sums, from matrices, constants and files; each against another construction."""

import itertools
import json

import numpy as np
import pytest
import sympy

from theory import bounds
from theory.lie import LieAlgebra, direct_sum, lie_algebra, named
from theory.lie.named import named as family
from theory.lie.simple import simple

FORMS = {  # name -> dimension, rank, and (positive, negative) directions of the Killing form
    "su2": (3, 1, (0, 3)),
    "su3": (8, 2, (0, 8)),
    "su(2,1)": (8, 2, (4, 4)),
    "so(2,1)": (3, 1, (2, 1)),
    "so(3,1)": (6, 2, (3, 3)),
    "so(2,2)": (6, 2, (4, 2)),
    "lorentz": (6, 2, (3, 3)),
    "usp4": (10, 2, (0, 10)),
    "usp6": (21, 3, (0, 21)),
    "g2": (14, 2, (8, 6)),
    "f4": (52, 4, (28, 24)),
    "e6": (78, 6, (42, 36)),
}


def adjoint(algebra, weights):
    return np.einsum("i,ijk->kj", weights, algebra.constants.astype(float))


@pytest.mark.parametrize("name", FORMS)
def test_a_simple_algebra_has_its_dimension_rank_and_signature(name):
    """The rank is the nullity of a generic element; a real form is told by the signature of its Killing form."""
    dimension, rank, signature = FORMS[name]
    algebra = lie_algebra(name)
    assert algebra.dimension == dimension and algebra.is_perfect
    generic = adjoint(algebra, np.random.default_rng(0).normal(size=dimension))
    assert np.sum(np.linalg.svd(generic)[1] < 1e-8) == rank
    values = np.linalg.eigvalsh(algebra.killing_form.astype(float))
    assert (int((values > 1e-8).sum()), int((values < -1e-8).sum())) == signature


@pytest.mark.parametrize("name", ["g2", "su3", "so(3,1)", "usp4", "poincare"])
def test_the_axioms_hold(name):
    LieAlgebra.from_structure_constants(lie_algebra(name).constants)


@pytest.mark.parametrize("name", ["f4", "e6", "e7"])
def test_the_jacobi_identity_holds_on_random_elements(name):
    constants = simple(name).constants
    rng = np.random.default_rng(1)
    x, y, z = (rng.integers(-3, 4, len(constants)) for _ in range(3))

    def bracket(a, b):
        return np.einsum("i,j,ijk->k", a, b, constants)

    assert not (bracket(bracket(x, y), z) + bracket(bracket(y, z), x) + bracket(bracket(z, x), y)).any()
    assert (constants == -constants.transpose(1, 0, 2)).all()


def test_g2_is_what_leaves_the_split_octonions_in_place():
    """Derivations of the split octonions, by Cayley and Dickson over the 2x2 matrices: another road to G2."""
    table = np.zeros((8, 8, 8))
    unit = np.eye(4).reshape(4, 2, 2)

    def adjugate(m):
        return np.trace(m) * np.eye(2) - m

    for i, j in itertools.product(range(8), repeat=2):
        (a, b), (c, d) = ((unit[k % 4] * (k < 4), unit[k % 4] * (k >= 4)) for k in (i, j))
        table[i, j] = np.concatenate([(a @ c + adjugate(d) @ b).ravel(), (d @ a + b @ adjugate(c)).ravel()])
    equations = np.zeros((8, 8, 8, 8, 8))  # D(xy) - D(x) y - x D(y) in the entries of D
    for i, j in itertools.product(range(8), repeat=2):
        for m in range(8):
            equations[i, j, m, m, :] += table[i, j]
            equations[i, j, m, :, i] -= table[:, j, m]
            equations[i, j, m, :, j] -= table[i, :, m]
    values, vectors = np.linalg.svd(equations.reshape(512, 64))[1:]
    basis = vectors[np.sum(values > 1e-9) :].reshape(-1, 8, 8)
    assert len(basis) == 14
    flat = basis.reshape(14, 64)
    constants = np.einsum("iab,jbc->ijac", basis, basis)
    constants = (constants - constants.transpose(1, 0, 2, 3)).reshape(14, 14, 64) @ flat.T
    killing = np.linalg.eigvalsh(np.einsum("iab,jba->ij", constants, constants))
    assert (int((killing > 1e-8).sum()), int((killing < -1e-8).sum())) == FORMS["g2"][2]


@pytest.mark.parametrize(
    ("name", "twin"), [("su2", "so3"), ("usp2", "so3"), ("so(3,0)", "so3"), ("so(2,1)", "sl2"), ("iso(2,0)", "se2")]
)
def test_small_isomorphisms(name, twin):
    """In dimension 3 the derived series and the signature of the Killing form tell these apart."""
    found, other = lie_algebra(name), named(twin)
    assert found.derived_dimensions == other.derived_dimensions

    def signs(algebra):
        values = np.linalg.eigvalsh(algebra.killing_form.astype(float))
        return (values > 1e-9).sum(), (values < -1e-9).sum()

    assert signs(found) == signs(other)


@pytest.mark.parametrize("text", ["so3 x heisenberg", "so3xheisenberg", "so3 + heisenberg3", "so3 ⊕ heisenberg"])
def test_a_direct_sum_is_read_however_it_is_joined(text):
    found = lie_algebra(text)
    assert found.dimension == 6 and found.derived_dimensions == (6, 4, 3, 3)
    again = LieAlgebra.from_matrices(found.matrices)
    assert (again.constants == found.constants).all()


def test_a_sum_without_matrices_has_none():
    found = direct_sum(named("free2_2"), named("so3"))
    assert found.matrices is None and found.dimension == 6
    assert lie_algebra("abelian1^3").is_abelian and direct_sum(named("so3")).name == "so3"


def test_matrices_of_sympy_and_of_numbers_generate():
    x, y = sympy.Matrix([[0, 1], [0, 0]]), sympy.Matrix([[0, 0], [1, 0]])
    assert lie_algebra([x, y]).dimension == lie_algebra([x.tolist(), y.tolist()]).dimension == 3
    assert lie_algebra(np.array([[[0, 1], [0, 0]], [[1, 0], [0, -1]]])).derived_dimensions == (2, 1, 0)


def test_every_form_of_json_says_the_same(tmp_path):
    heisenberg = named("heisenberg")
    forms = [
        {"matrices": [m.tolist() for m in heisenberg.matrices]},
        {"generators": [m.tolist() for m in heisenberg.matrices[:2]]},
        {"constants": heisenberg.constants.tolist()},
        {"brackets": {"x,y": {"z": 1}}, "basis": ["x", "y", "z"]},
        {"brackets": {"x,y": {"z": "1/3"}}},
        [m.tolist() for m in heisenberg.matrices[:2]],
    ]
    for number, form in enumerate(forms):
        path = tmp_path / f"mine{number}.json"
        path.write_text(json.dumps(form))
        for given in (path, str(path), json.dumps(form), form):
            found = lie_algebra(given)
            assert (found.dimension, found.derived_dimensions, found.nilpotency_class) == (3, (3, 1, 0), 2)
    path.write_text(json.dumps(forms[0]), encoding="utf-8-sig")  # with a mark of the order of bytes, as Windows writes it
    assert lie_algebra(path).dimension == 3
    assert lie_algebra("[[[0.5, 0], [0, 0.1]]]").matrices[0].tolist()[0][0] == sympy.Rational(1, 2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("so", "no such size"),
        ("su1", "no such size"),
        ("usp3", "no such size"),
        ("u(2,1)", "no such size"),
        ("g3", "direct sum such as"),
        ("so3 x", "a direct sum has names"),
        ("", "a direct sum has names"),
        ("nowhere.json", "cannot be read .there is no such file"),
        ("[1, 2", "cannot be read as JSON"),
        ('{"matrix": []}', "'matrix' is not read"),
        ("{}", "expected a list of matrices"),
        ('{"constants": [], "matrices": []}', "expected a list of matrices"),
        ('{"brackets": {"x,y": {"z": 1}, "y,x": {"z": 1}}}', "each pair once"),
        ('{"brackets": {"x,y": {"z": 1}, "x,y": {"z": 2}}}', "'x,y' stands twice"),
        ("[[[" + "9" * 5000 + "]]]", "cannot be read as JSON"),
        ('{"brackets": {"x,x": {"z": 1}}}', "two different elements"),
        ('{"brackets": {"x,y": {"z": 1}}, "basis": ["x", "y"]}', "not in the basis"),
        ('{"brackets": {"x,y": {"z": "one"}}}', "is no number"),
        ('{"brackets": {"x,y": {"x": 1}, "y,z": {"y": 1}}}', "Jacobi"),
        ("[[[0, 1, 2], [0, 0, 1]]]", "square"),
        ([[[0.5, 0.1], [0, 0]]], "expected integers, Fractions"),
    ],
)
def test_what_is_no_algebra_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        lie_algebra(given)


def test_what_is_of_no_kind_is_refused():
    with pytest.raises(TypeError, match="expected a name, matrices"):
        lie_algebra(3.5)


@pytest.mark.parametrize(
    "name", ["so3", "SU3", "su(2,1)", "so(3, 1)", "sp4", "usp4", "g2", "so3 x heisenberg", "su2^2 + aff1", "free2_3"]
)
def test_one_name_means_one_algebra(name):
    """The public reader of names, the reader of everything and the bound agree; ``family`` knows its own names alone."""
    found = named(name)
    assert (lie_algebra(name).constants == found.constants).all() and bounds.algebra(name).dimension == found.dimension
    try:
        assert (family(name).constants == found.constants).all()
    except ValueError as error:
        assert "no Lie algebra is called" in str(error)


@pytest.mark.parametrize("given", [3, None, [[[0, 1], [0, 0]]], {}])
def test_a_name_is_a_text(given):
    with pytest.raises(TypeError, match="expected a text"):
        named(given)


def test_an_error_needs_matrices():
    with pytest.raises(ValueError, match="have no matrices"):
        bounds.average_error(letters=2, layers=1, length=3, algebra="g2")
    assert bounds.average_error(letters=2, layers=1, length=3, algebra="su3").at(mass=0.1) > 0

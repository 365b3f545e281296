"""Characters and transforms of single groups: residues by trying all vectors, symbols, and what is refused."""

import numpy as np
import pytest
import sympy

from theory.groups import fourier, group, inverse_fourier
from theory.groups.dixon import Field, field, residues
from theory.groups.unitary import CERTIFIED, homomorphism_defect


def test_a_badly_conditioned_representation_is_averaged_to_a_small_defect():
    g = group("C31:C30")
    assert homomorphism_defect(g, g.irreps[-1].matrices) <= CERTIFIED / 10


def test_characters_of_mathieu_group_and_of_a_large_cyclic_one():
    assert sorted(group("M11").characters.degrees) == [1, 10, 10, 10, 11, 16, 16, 44, 45, 55]
    values = group("C300").characters.values
    assert np.abs(values @ values.conj().T / 300 - np.eye(300)).max() < 1e-12


@pytest.mark.parametrize("name", ["C5", "D3", "Q8", "A4"])
def test_symbolic_transform_inverts_and_agrees_with_the_numerical_one_up_to_basis(name):
    g = group(name)
    numbers = np.random.default_rng(3).integers(-5, 6, g.order)
    symbols = sympy.symbols(f"x:{g.order}")
    coefficients = fourier(g, symbols)
    assert all(sympy.simplify(a - b) == 0 for a, b in zip(inverse_fourier(g, coefficients), symbols, strict=True))
    values = dict(zip(symbols, map(int, numbers), strict=True))
    for exact, rounded in zip(coefficients, fourier(g, numbers), strict=True):
        here = np.array(exact.subs(values).evalf(20).tolist(), dtype=complex)
        assert np.allclose(np.linalg.svd(here)[1], np.linalg.svd(rounded)[1], atol=1e-9)
        assert np.allclose(np.linalg.eigvals(here).sum(), np.linalg.eigvals(rounded).sum(), atol=1e-9)


def test_no_closed_form_is_said_so():
    with pytest.raises(ValueError, match=r"no closed form(.|\n)*numerical"):
        fourier(group("SL2_5"), sympy.symbols("x:120"))


@pytest.mark.parametrize(("values", "word"), [(np.zeros(5), "one value"), (np.zeros((6, 2)), "one value")])
def test_fourier_refuses_other_shapes(values, word):
    with pytest.raises(ValueError, match=word):
        fourier(group("D3"), values)


def test_inverse_refuses_other_shapes():
    with pytest.raises(ValueError, match="sizes"):
        inverse_fourier(group("D3"), [np.zeros((1, 1))] * 3)


def class_products(g):
    """Entry [s, t, u]: how often one element of class u is a product of elements of the classes s and t, by counting."""
    count = np.zeros((len(g.conjugacy_classes),) * 3, int)
    for x in range(g.order):
        for y in range(g.order):
            product = g.table[x, y]
            count[g.class_of[x], g.class_of[y], g.class_of[product]] += product in [c[0] for c in g.conjugacy_classes]
    return count


@pytest.mark.parametrize(("name", "over"), [("S3", (13, 4, 6)), ("D4", (13, 8, 4)), ("Q8", (13, 5, 4)), ("S4", (13, 2, 12))])
def test_residues_are_all_homomorphisms_of_the_class_algebra(name, over):
    """Every vector over a small field is tried."""
    g, prime = group(name), over[0]
    sizes, products = np.array([len(c) for c in g.conjugacy_classes]), class_products(g)
    others = np.stack(np.meshgrid(*[np.arange(prime)] * (len(sizes) - 1), indexing="ij")).reshape(len(sizes) - 1, -1)
    vectors = np.concatenate([np.ones((1, others.shape[1]), int), others])
    good = np.ones(vectors.shape[1], bool)
    for s, t in np.ndindex(len(sizes), len(sizes)):
        good &= (vectors[s] * vectors[t] - products[s, t] @ vectors) % prime == 0
    found = residues(g, Field(*over))
    degrees = found[:, :1]
    assert (degrees**2).sum() == g.order
    central = found * sizes * np.array([[pow(int(d), -1, prime)] for d in degrees.ravel()]) % prime
    assert {tuple(row) for row in central.tolist()} == {tuple(row) for row in vectors[:, good].T.tolist()}


def test_equal_tables_of_other_eigenvalues_are_told_apart():
    d4, q8 = group("D4").characters, group("Q8").characters
    assert np.array_equal(d4.values, q8.values) and d4.indicators[-1] == 1 and q8.indicators[-1] == -1


def test_characters_that_never_separate_are_an_error(monkeypatch):
    monkeypatch.setattr("theory.groups.dixon.TRIES", 0)
    with pytest.raises(ArithmeticError, match="do not separate"):
        residues(group("S3"), field(group("S3")))


def test_a_symbolic_table_that_would_fill_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr("theory.groups.characters.LARGEST", 8)
    with pytest.raises(ValueError, match="9 symbolic entries"):
        _ = group("S3").character_table

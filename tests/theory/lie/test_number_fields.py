"""Algebras over every number field that sympy can name, from matrices and from structure constants; the rest is refused."""

import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from sympy import QQ, QQ_I, I, Pow, Rational, cbrt, cos, exp, pi, root, sin, sqrt, tan

from theory.lie import LieAlgebra, affine_matrix, direct_sum

x = sympy.Symbol("x")
CUBIC = sympy.CRootOf(x**3 - x - 1, 0)
ACCEPTED = {
    "an integer": 2,
    "a fraction": Fraction(1, 3),
    "a float that is an integer": sympy.Float(2),
    "a complex float that is a Gaussian integer": 2 + 1j,
    "a quadratic root": sqrt(5),
    "the imaginary unit": I,
    "a Gaussian number": Rational(1, 2) + 3 * I,
    "an element of QQ_I": QQ_I(1, 2),
    "an imaginary root": sqrt(-3),
    "a cubic root": cbrt(2),
    "a fifth root": root(2, 5),
    "a nested radical": sqrt(2 + sqrt(2)),
    "a mixed radical": sqrt(1 + cbrt(2)),
    "a radical that denests": sqrt(3 + 2 * sqrt(2)),
    "the golden ratio": sympy.GoldenRatio,
    "the tribonacci constant": sympy.TribonacciConstant,
    "several roots": sqrt(2) + sqrt(3) + sqrt(5),
    "a cosine": cos(pi / 7),
    "a sine": sin(pi / 9),
    "a tangent": tan(pi / 5),
    "a root of unity": exp(2 * pi * I / 7),
    "a power of minus one": Pow(-1, Rational(2, 5)),
    "a root of a polynomial": CUBIC,
    "a complex root of a polynomial": sympy.CRootOf(x**3 - x - 1, 1),
    "a root that no radical names": sympy.CRootOf(x**5 - x - 1, 0),
    "a root and a radical": CUBIC + sqrt(2),
    "an algebraic number": sympy.AlgebraicNumber(sqrt(2), [1, 1]),
    "an element of a field": QQ.algebraic_field(sqrt(2)).from_sympy(1 + sqrt(2)),
    "an unevaluated sum": sympy.Sum(x, (x, 1, 3)),
    "a hidden rational number": (1 + sqrt(2)) * (1 - sqrt(2)),
    "a product of gammas": sympy.gamma(Rational(1, 2)) ** 2 / pi,
}
REFUSED = {
    "a rounded float": (0.5, "exact"),
    "a rounded sympy number": (sympy.Float("0.5"), "rounded"),
    "a rounded complex number": (0.5j, "exact"),
    "a rounded coefficient": (sympy.Float("0.5") * sqrt(2), "rounded"),
    "an mpmath number": (mpmath.mpf(1) / 3, "exact"),
    "pi": (pi, "algebraic"),
    "a logarithm": (sympy.log(2), "algebraic"),
    "a symbol": (x, "contains x"),
    "a rational function": (1 / (x + 1), "contains x"),
    "a number modulo 7": (sympy.GF(7)(3), "characteristic 0"),
    "infinity": (sympy.oo, "oo"),
    "no number": (sympy.nan, "nan"),
    "text": ("sqrt(2)", "Text"),
    "nothing": (None, "exact"),
}
HIDDEN_ZEROS = (sqrt(2) * sqrt(3) - sqrt(6), sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3), sympy.log(1))


def sl2_constants(v):
    """[e_0, e_1] = 2 v e_1, [e_0, e_2] = -2 v e_2, [e_1, e_2] = v e_0: sl2 over any field that holds v, not zero."""
    c = np.zeros((3, 3, 3), object)
    for i, j, k, number in ((0, 1, 1, 2), (0, 2, 2, -2), (1, 2, 0, 1)):
        c[i, j, k], c[j, i, k] = v * number, v * -number
    return c


@pytest.mark.parametrize("name", ACCEPTED)
def test_algebras_over_number_fields(name):
    v = ACCEPTED[name]
    simple = LieAlgebra.generated_by([[[0, v], [0, 0]], [[0, 0], [1, 0]]])
    assert simple.derived_dimensions == (3, 3) and simple.is_semisimple and not simple.is_abelian
    assert [len(part) for part in simple.levi_decomposition] == [3, 0]
    solvable = LieAlgebra.generated_by([[[v, 0], [0, 0]], [[0, 1], [0, 0]]])
    assert solvable.derived_dimensions == (2, 1, 0) and len(solvable.derived_complements) == 2
    moved = LieAlgebra.generated_by(
        [[[0, v, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 0]], [[0, 0, 1], [0, 0, 0], [0, 0, 0]]]
    )
    assert moved.dimension == 5 and [len(part) for part in moved.levi_decomposition] == [3, 2]
    assert moved.is_perfect and len(moved.centre) == 0


@pytest.mark.parametrize("name", ACCEPTED)
def test_structure_constants_over_number_fields(name):
    g = LieAlgebra.from_structure_constants(sl2_constants(ACCEPTED[name]))
    assert g.derived_dimensions == (3, 3) and g.is_semisimple and not g.is_solvable and not g.is_nilpotent
    assert g.radical == [] and len(g.levi_decomposition[0]) == 3
    plane = np.zeros((2, 2, 2), object)
    plane[0, 1, 1], plane[1, 0, 1] = ACCEPTED[name], ACCEPTED[name] * -1
    g = LieAlgebra.from_structure_constants(plane)
    assert (g.derived_dimensions, g.lower_central_dimensions) == ((2, 1, 0), (2, 1, 1))
    assert len(g.radical) == 2 and not g.is_abelian and g.derived_length == 2
    broken = sl2_constants(ACCEPTED[name])
    broken[1, 2, 1], broken[2, 1, 1] = ACCEPTED[name], ACCEPTED[name] * -1
    broken[0, 1, 2], broken[1, 0, 2] = ACCEPTED[name], ACCEPTED[name] * -1
    with pytest.raises(ValueError, match="Jacobi"):
        LieAlgebra.from_structure_constants(broken)


@pytest.mark.parametrize("name", REFUSED)
def test_other_entries_are_refused_with_the_reason(name):
    v, word = REFUSED[name]
    with pytest.raises(ValueError, match=word):
        LieAlgebra.generated_by([[[0, v], [0, 0]], [[0, 0], [1, 0]]])
    c = np.zeros((2, 2, 2), object)
    c[0, 1, 1] = c[1, 0, 1] = v
    with pytest.raises(ValueError, match=word):
        LieAlgebra.from_structure_constants(c)


@pytest.mark.parametrize("zero", HIDDEN_ZEROS, ids=str)
def test_a_zero_of_a_field_is_zero(zero):
    c = np.zeros((2, 2, 2), object)
    c[0, 1, 1], c[1, 0, 1] = zero + zero, -zero
    assert LieAlgebra.from_structure_constants(c).is_abelian
    assert LieAlgebra.generated_by([[[0, zero], [0, 0]], [[1, 0], [0, 0]]]).dimension == 1


def test_elements_of_two_fields_are_refused():
    a, b = (QQ.algebraic_field(sqrt(n)).from_sympy(sqrt(n)) for n in (2, 3))
    with pytest.raises(ValueError, match="two number fields"):
        LieAlgebra.generated_by([[[0, a], [b, 0]]])
    with pytest.raises(ValueError, match="beside an element"):
        LieAlgebra.generated_by([[[0, a], [sqrt(3), 0]]])


def value(number):
    """A number in 40 digits."""
    element = isinstance(number, type(QQ_I(1, 2)))
    return sympy.N(number.parent().to_sympy(number) if element else sympy.sympify(number), 40)


def in_words(numbers):
    """Whether all are integers, Fractions or irrational numbers of sympy."""
    return all(
        type(number) in (int, Fraction) or (isinstance(number, sympy.Expr) and not number.is_Rational) for number in numbers
    )


def naive_bracket(constants, x, y):
    n = range(len(constants))
    return [sum(value(x[i]) * value(y[j]) * value(constants[i, j, k]) for i in n for j in n) for k in n]


@pytest.mark.parametrize("root", [sqrt(3), I, cbrt(5)], ids=str)
@pytest.mark.parametrize("name", [name for name in ACCEPTED if name != "an element of a field"])
def test_coordinates_of_another_field(name, root):
    """Structure constants over one field, coordinates over another: answers in readable exact numbers."""
    g = LieAlgebra.from_structure_constants(sl2_constants(ACCEPTED[name]))
    x, y = [root, 1, Fraction(1, 2)], [np.int8(1), root + 1, sympy.Rational(2, 3)]
    found = g.bracket(x, y)
    assert in_words(found) and g.bracket(x, x).tolist() == [0, 0, 0]
    for number, expected in zip(found, naive_bracket(g.constants, x, y), strict=True):
        assert abs(value(number) - expected) < 1e-30
    borel = g.subalgebra([[root, 0, 0], [0, root + 1, 0]])  # [root e_0, (root + 1) e_1] = root 2 v (root + 1) e_1
    assert borel.derived_dimensions == (2, 1, 0) and in_words(borel.constants.ravel())
    assert abs(value(borel.constants[0, 1, 1]) - value(root) * value(g.constants[0, 1, 1])) < 1e-30


ANSWERS = {
    "bracket": lambda g: g.bracket([1, 0, 0], [0, 1, 0]),
    "constants": lambda g: g.constants,
    "killing_form": lambda g: g.killing_form,
    "derived_series": lambda g: g.derived_series[-1],
    "lower_central_series": lambda g: g.lower_central_series[-1],
    "centre": lambda g: g.centre,
    "radical": lambda g: g.radical,
    "levi_decomposition": lambda g: g.levi_decomposition[0] + g.levi_decomposition[1],
    "subalgebra": lambda g: g.subalgebra([[1, 0, 0], [0, 1, 0]]).constants,
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("v", [1, 2**70, Fraction(1, 3), sqrt(5), 1 + I, CUBIC], ids=str)
def test_every_answer_is_readable(name, v):
    g = LieAlgebra.from_structure_constants(sl2_constants(v))
    numbers = np.array(ANSWERS[name](g), dtype=object).ravel().tolist()
    assert in_words(numbers)
    assert LieAlgebra.from_structure_constants(pickle.loads(pickle.dumps(g)).constants).is_semisimple


def test_matrices_stay_readable():
    g = LieAlgebra.generated_by([[[sqrt(2), 0], [0, 0]], [[0, sqrt(3)], [0, 0]]])
    assert [matrix.tolist() for matrix in g.matrices] == [[[sqrt(2), 0], [0, 0]], [[0, sqrt(3)], [0, 0]]]
    assert g.bracket([1, 0], [0, 1]).tolist() == [0, sqrt(2)]
    upper, lower = g.derived_complements
    assert upper.tolist() == [[[sqrt(2), 0], [0, 0]]] and np.asarray(lower[0, 0, 1]) != 0
    assert affine_matrix([[sqrt(2)]], [sqrt(3)]).tolist() == [[sqrt(2), sqrt(3)], [0, 0]]


def test_a_direct_sum_over_two_fields():
    both = direct_sum(*(LieAlgebra.from_structure_constants(sl2_constants(v)) for v in (sqrt(2), sqrt(3))))
    assert both.derived_dimensions == (6, 6) and both.is_semisimple
    assert both.bracket([1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0]).tolist() == [0, 2 * sqrt(2), 0, 0, 2 * sqrt(3), 0]


def test_elements_of_a_field_come_out_as_they_went_in():
    field = QQ.algebraic_field(sqrt(2))
    root, one = field.from_sympy(sqrt(2)), field.one
    g = LieAlgebra.from_structure_constants(sl2_constants(root))
    assert g.bracket([1, 0, 0], [0, one, 0]).tolist() == [0, root * 2, 0]
    assert g.bracket([root, 0, 0], [0, 1, 0]).tolist() == [0, 4, 0]
    with pytest.raises(ValueError, match="beside an element"):
        g.bracket([sqrt(2), 0, 0], [0, 1, 0])


@pytest.mark.parametrize(
    ("coordinates", "match"),
    [
        ([0.5, 0, 0], "exact"),
        ([sqrt(2), 0.1, 0], "exact"),
        ([sympy.Float("0.1"), 0, 0], "rounded"),
        (["1", 0, 0], "Text"),
        ([x, 0, 0], "contains x"),
        ([pi, 0, 0], "algebraic"),
        ([sympy.nan, 0, 0], "nan"),
        ([sqrt(2), 0], r"\(2,\)"),
        ([[sqrt(2), 0, 0]], r"\(1, 3\)"),
        (sqrt(2), r"\(\)"),
        ([], r"\(0,\)"),
        ((number for number in (1, 0, 0)), "exact"),
        (None, "exact"),
    ],
)
def test_bad_coordinates(coordinates, match):
    g = LieAlgebra.from_structure_constants(sl2_constants(sqrt(3)))
    with pytest.raises(ValueError, match=match):
        g.bracket(coordinates, [0, 1, 0])
    with pytest.raises(ValueError):
        g.subalgebra([coordinates])


def test_floats_that_are_integers_are_read_as_integers():
    g = LieAlgebra.from_structure_constants(sl2_constants(sqrt(3)))
    assert g.bracket([1.0, 0, 0], np.array([0, 1, 0], np.float32)).tolist() == [0, 2 * sqrt(3), 0]

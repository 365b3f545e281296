"""Series that are known by a name alone, against the structure constants of the same algebras."""

import itertools

import pytest

from experiments import cli
from theory import bounds
from theory.cost import TooExpensive
from theory.lie import named
from theory.lie.perfect import named_series, perfect_dimension

FAMILIES = ("abelian", "so", "sl", "gl", "sp", "heisenberg", "aff", "se", "upper", "strict", "graded", "su", "u", "usp", "iso")
NAMES = [
    *(f"{family}{n}" for family, n in itertools.product(FAMILIES, range(1, 6))),
    *(f"{family}({p},{q})" for family, p, q in itertools.product(("so", "su", "iso"), range(1, 4), range(1, 3))),
    *("lorentz", "poincare", "g2", "f4", "SO3", "so_3,1", "free2_3", "heisenberg"),
    *("so3 x heisenberg", "sl2^2 + aff1", "g2 x upper3", "su2 x u2", "abelian1 x so(3,1)", "so2 x so3"),
]


@pytest.mark.parametrize("name", NAMES)
def test_series_are_those_of_the_structure_constants(name):
    try:
        algebra = named(name)
    except ValueError as error:
        with pytest.raises(ValueError) as said:
            named_series(name)
        assert str(said.value) == str(error)
        return
    found = named_series(name)
    assert (found.dimension, found.derived) == (algebra.dimension, algebra.derived_dimensions)
    assert (found.name, found.lower_central) == (algebra.name, algebra.lower_central_dimensions)
    known = perfect_dimension(name)
    assert known is None or (known == algebra.dimension and algebra.is_perfect)
    depth = bounds.algebra(name)
    assert (depth.derived_length, depth.is_solvable) == (algebra.derived_length, algebra.is_solvable)
    assert (depth.is_nilpotent, depth.is_perfect) == (algebra.is_nilpotent, algebra.is_perfect)


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [
        ("e8", (248, 248)),
        ("so40", (780, 780)),
        ("su(30,2)", (1023, 1023)),
        ("e8 x e6", (326, 326)),
        ("e8 x aff1", (250, 249, 248, 248)),
    ],
)
def test_large_algebras_are_answered_at_once(name, dimensions, capsys):
    with pytest.raises(TooExpensive):
        named(name)
    assert bounds.algebra(name).derived_dimensions == dimensions and bounds.layers(algebra=name).number is None
    for line in (["layers", name], ["algebra", name], ["layers", "--algebra", name]):
        assert cli.main(["bound", *line]) == 2
        said = " ".join("".join(capsys.readouterr()).split())
        assert f"fails: {name} is solvable" in said and "--limit" not in said


@pytest.mark.parametrize(
    ("name", "error"), [("e9", ValueError), ("so x", ValueError), ("", ValueError), ("sp3", ValueError), (3, TypeError)]
)
def test_what_names_no_algebra_is_refused(name, error):
    with pytest.raises(error):
        named_series(name)


def test_what_is_too_large_says_the_option(capsys):
    assert cli.main(["bound", "algebra", "e8 x upper60"]) == 2
    assert "the structure of upper60" in (said := capsys.readouterr().err) and "--limit" in said

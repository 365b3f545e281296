"""One answer to "is this a float" for every dtype that JAX has, and nobody asks numpy, to which bfloat16 is raw bytes."""

import ast
from fractions import Fraction
from pathlib import Path

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from depthjax import dtypes
from theory import bounds
from theory.checks import exact_entries, fraction
from theory.groups import fourier, group

ROOT = Path(__file__).parents[1]
EXTENSIONS = [kind for kind in vars(ml_dtypes).values() if isinstance(kind, type) and issubclass(kind, np.generic)]
OWN = [bool, np.int8, np.uint64, np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128]
KINDS = [np.dtype(kind) for kind in EXTENSIONS + OWN]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_dtype_of_numbers_is_what_jax_says(kind):
    if kind == np.longdouble or kind.name in ("complex32", "bcomplex32", "int1", "uint1"):
        pytest.skip("a type that JAX does not have")
    assert dtypes.is_floating(kind) == jnp.issubdtype(kind, jnp.floating)
    assert dtypes.is_complex(kind) == jnp.issubdtype(kind, jnp.complexfloating)
    assert dtypes.is_integer(kind) == jnp.issubdtype(kind, jnp.integer)
    assert dtypes.is_exact(kind) == (jnp.issubdtype(kind, jnp.integer) or kind == np.bool_)
    if dtypes.is_inexact(kind):
        assert dtypes.eps(kind) == float(jnp.finfo(kind).eps)


@pytest.mark.parametrize("kind", [object, "U3", "S2", "M8[s]", "m8[s]", [("a", float)], jax.dtypes.float0, "no type"], ids=str)
def test_what_holds_no_numbers_holds_none(kind):
    assert dtypes.number(kind) is None
    with pytest.raises(ValueError, match="not a type of rounded numbers"):
        dtypes.eps(kind)


def test_a_key_of_jax_is_no_number():
    assert dtypes.number(jax.random.key(0).dtype) is None


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_widening_changes_no_number(kind):
    narrow = np.array([1], kind)
    wide = dtypes.wide(narrow)
    assert wide.dtype.type.__module__ == "numpy"
    assert dtypes.number(wide.dtype) is dtypes.number(kind)
    assert wide.tolist() == narrow.tolist()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if dtypes.is_floating(kind)], ids=str)
def test_theory_takes_a_number_of_every_real_type(kind):
    assert fraction("x", kind.type(1)) == 1
    assert fraction("x", jnp.asarray(1.0, kind) if kind != np.longdouble and "float6" not in kind.name else 1.0) == 1
    assert bounds.magnus(order=2).at(mass=kind.type(1)) == bounds.magnus(order=2).at(mass=1.0)
    assert exact_entries("x", np.array([1, 1], kind)).tolist() == [1, 1]
    assert np.allclose(fourier(group("C2"), np.array([1, 1], kind))[0], 2)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if dtypes.number(kind) in (int, complex, bool)], ids=str)
def test_theory_takes_integers_and_refuses_the_others(kind):
    if dtypes.is_integer(kind):
        assert fraction("x", kind.type(0)) == Fraction(0)
    else:
        with pytest.raises(ValueError, match="expected a finite rational number"):
            fraction("x", kind.type(1))


@pytest.mark.parametrize("kind", ["bfloat16", "float8_e5m2", "float32"])
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_theory_takes_finite_numbers_alone(kind, number):
    narrow = np.array(number).astype(kind)[()]
    for call in (lambda: fraction("x", narrow), lambda: bounds.magnus(order=2).at(mass=narrow)):
        with pytest.raises(ValueError, match="finite"):
            call()
    with pytest.raises(ValueError, match="exact"):
        exact_entries("x", np.array([1, number]).astype(kind))


def asks_numpy(source: str) -> list[int]:
    """The lines of a program that ask numpy for the kind of a dtype."""

    def is_dtype(node: ast.AST) -> bool:
        name = node.func if isinstance(node, ast.Call) else node
        return "dtype" in (getattr(name, "attr", ""), getattr(name, "id", ""))

    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in ("kind", "char") and is_dtype(node.value):
            lines.append(node.lineno)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr" and len(node.args) > 1:
            asked = getattr(node.args[1], "value", "")
            if asked in ("kind", "char") and any(is_dtype(part) for part in ast.walk(node.args[0])):
                lines.append(node.lineno)
    return sorted(lines)


def test_the_rule_sees_every_spelling():
    assert asks_numpy('x.dtype.kind in "fc"\nnp.dtype(x).kind\ndtype.char\ngetattr(x.dtype, "kind")\nmodel.kind') == [
        1,
        2,
        3,
        4,
    ]


def test_nobody_asks_numpy_for_the_kind_of_a_dtype():
    """Ask `depthjax.dtypes`, or in theory `theory.checks.plain` and `np.issubdtype`: to numpy bfloat16 is "V", raw bytes."""
    asked = {}
    for file in (file for package in ("theory", "depthjax", "experiments") for file in (ROOT / package).rglob("*.py")):
        if lines := asks_numpy(file.read_text()):
            asked[str(file.relative_to(ROOT))] = lines
    assert not asked

"""Facts that take no argument are properties. Those that were methods can still be called, which warns."""

import ast
import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import sympy

import theory
from theory import automata, groups, identify, lie, logic
from theory.groups.characters import Characters
from theory.groups.tower import Tower

FACTS = [
    (groups.group("S4"), "irreps", list),
    (groups.group("S4"), "tower", Tower),
    (groups.group("S4"), "characters", Characters),
    (groups.group("S3"), "character_table", sympy.MatrixBase),
    (lie.named("gl2"), "derived_dimensions", tuple),
    (lie.named("gl2"), "lower_central_dimensions", tuple),
    (lie.named("upper3"), "derived_complements", tuple),
    (lie.named("gl2"), "killing_form", np.ndarray),
    (lie.named("gl2"), "centre", np.ndarray),
    (lie.named("gl2"), "radical", list),
    (lie.named("gl2"), "levi_decomposition", tuple),
    (automata.semiautomaton("D4"), "groups_inside", tuple),
    (automata.regular("(ab)*"), "index_and_period", tuple),
    (logic.parse("a & H (a -> !Y a)"), "subformulas", tuple),
    (identify.HiddenMarkov.random(2, 3, 0), "pairs", dict),
]
# what writes an object in another form, and what looks for something that there may be none of, is a method
CONVERSIONS = {"as_expr", "key", "latex", "matrix", "numpy", "program"}
SEARCHES = {"identifiable", "perfect_witness", "period_witness", "shortest_word"}


def same(first, second) -> bool:
    if isinstance(first, np.ndarray):
        return type(second) is np.ndarray and bool((np.asarray(first) == second).all())
    if isinstance(first, dict):
        return all(same(first[name], second[name]) for name in first | second)
    if isinstance(first, tuple) and first and isinstance(first[0], np.ndarray):
        return len(first) == len(second) and all((one == other).all() for one, other in zip(first, second, strict=True))
    return first == second or repr(first) == repr(second)


@pytest.mark.parametrize(("thing", "name", "kind"), FACTS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_fact_is_a_value_and_calling_it_warns(thing, name, kind):
    value = getattr(thing, name)
    assert isinstance(value, kind) and getattr(type(thing), name).__doc__
    with pytest.warns(DeprecationWarning, match=rf"\.{name} is a property: leave the parentheses away") as told:
        plain = value()
    assert told[0].filename == __file__ and same(value, plain)
    assert type(plain).__mro__[0] in (type(value), type(value).__base__) and repr(value) == repr(plain)


def test_a_value_is_written_and_copied_as_a_plain_one():
    s3, gl2 = groups.group("S3"), lie.named("gl2")
    assert json.loads(json.dumps(gl2.derived_dimensions)) == [4, 3, 3] and {(4, 3, 3): 1}[gl2.derived_dimensions] == 1
    for value, plain in ((gl2.derived_dimensions, tuple), (gl2.radical, list), (gl2.killing_form, np.ndarray)):
        assert type(pickle.loads(pickle.dumps(value))) is plain and isinstance(copy.deepcopy(value), plain)
    assert s3.character_table * s3.character_table.H == sympy.Matrix(s3.character_table) * s3.character_table.H
    assert type(np.eye(4, dtype=int) @ gl2.killing_form) is np.ndarray


def test_what_takes_no_argument_is_a_property_unless_it_converts_or_searches():
    methods = {}
    for file in (file for file in Path(theory.__file__).parent.rglob("*.py") if file.parent.name != "strategies"):
        for kind in (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ClassDef)):
            for method in (node for node in kind.body if isinstance(node, ast.FunctionDef)):
                alone = not (method.args.args[1:] or method.args.kwonlyargs or method.args.vararg or method.args.kwarg)
                if alone and not method.decorator_list and not kind.name.startswith("_") and not method.name.startswith("_"):
                    methods.setdefault(method.name, f"{file.name}: {kind.name}.{method.name}")
    assert methods.keys() == CONVERSIONS | SEARCHES, methods

"""No public function of `theory` runs a user's text: each is given some in the place of every number, list and array."""

import importlib
import inspect
import pkgutil
from fractions import Fraction

import numpy as np
import pytest
import sympy
import sympy.parsing.sympy_parser

import theory
from theory import bounds, groups
from theory.attention.dyck import ScoreTable
from theory.automata import semiautomaton
from theory.composition import utility
from theory.composition.spectrum import Component
from theory.exact.quadratic import QuadraticArray
from theory.groups import group
from theory.identify.markov import HiddenMarkov
from theory.lie import LieAlgebra, LieSeries, bch, named
from theory.logic import parse, regular

TEXT = "__import__('os').system('touch PROOF') or __import__('pathlib').Path('PROOF').touch() or 1"
HOSTILE = {
    "text": TEXT,
    "bytes": b"\x01",
    "numpy text": np.str_(TEXT),
    "list": [TEXT, 1],
    "nested": [[sympy.sqrt(2), TEXT], [TEXT, 1]],
    "objects": np.array([[sympy.Integer(1), TEXT], [1, TEXT]], dtype=object),
    "vector": np.array([sympy.Integer(1), TEXT], dtype=object),
    "array of text": np.array([[TEXT, "1"], ["1", TEXT]]),
    "a number in text": "1",
}
MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(theory.__path__, "theory.")
    if not found.name.endswith("__main__")
]
CALLABLES = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in getattr(module, "__all__", ())
    if inspect.isfunction(getattr(module, name)) and getattr(module, name).__module__ == module.__name__
}


def _values():
    """A value for each name of a parameter, so that calls come as far as the parameter that is attacked."""
    s3, algebra, model = group("S3"), named("sl2"), HiddenMarkov.random(3, 3, 0)
    matrix = np.array([[0, 1], [0, 0]])
    return {
        "order": 3, "mass": 0.5, "x": 0.1, "y": 0.1, "letters": 2, "degree": 3, "k": 2, "layers": 2, "heads": 1, "width": 4,
        "depth": 2, "length": 5, "dtype": "float16", "offset": Fraction(1, 100), "amount": Fraction(1, 3), "states": 3,
        "symbols": 3, "group": s3, "values": [1, 2, 3, 4, 5, 6], "model": model, "formula": parse("a S b"), "word": (0, 1),
        "series": bch(3), "bits": 8, "hops": 3, "vertices": 5, "scale": 0.5, "norm": "post", "layer": 1, "correlation": 0.5,
        "radius": 2, "gap": 0.1, "size": 1, "bracket": 1, "step": 0.1, "gain": 1, "beta": 0.5, "residual": 0.5, "weight": 1,
        "p": Fraction(1, 4), "steps": 2, "number": 3, "matrix": matrix, "prime": 7, "left": matrix, "right": matrix,
        "shallower": 1, "repeated": 1, "fixed": 1, "eps": 0.1, "leading": 1, "term_norms": [0.1], "target": "S3",
        "irreps": s3.irreps[1:], "components": [Component.scalar(1, "real", 1)], "component": Component.scalar(1, "real", 1),
        "first": np.ones(6, int), "second": np.ones(6, int), "coefficients": [np.ones((n, n)) for n in (1, 1, 2)],
        "generators": [(1, 0)], "modulus": 5, "encoding": np.array([5, -1, -1, -1, -1, -1]), "words": all_short(),
        "nilpotency_class": 2,
        "directions": ((1, 0, 0), (1, 1, 1)), "rotation": np.eye(3, dtype=int), "tokens": 3, "mask": "causal",
        "profile": np.array([[0], [1]]), "rows": matrix, "basis": np.eye(2, dtype=int), "vectors": matrix, "inner": matrix[:0],
        "outer": matrix, "columns": np.eye(3, dtype=int), "skew": [[0, 1], [-1, 0]], "a": [[1]], "b": [1],
        "automaton": semiautomaton("C3"),
        "dfa": regular("(ab)*"), "elements": (bch(2), bch(2)), "polynomial": {(0, 1): 1, (1, 0): -1}, "runs": (1, 1),
        "factors": [(0, 1), (1, 1)], "degrees": (2, 1), "n": 6, "dimension": 3, "cycles": 1, "expression": sympy.sqrt(2),
        "multiplicities": (1, 1, 0), "lengths": (1, 2), "array": matrix, "constants": algebra.constants, "alphabet": 4,
        "mantissa": 11, "precision": 53, "name": "S3", "direction": np.array([[1], [2]]), "query_key": np.ones((1, 1, 1)),
        "value": np.ones((1, 1, 1)), "row": np.array([1.0, 2.0]), "log_size": 0.0, "tree": (0, 1),
    }  # fmt: skip


def all_short():
    return np.array([[0, 1], [1, 1]])


NUMBERS = {"int", "Number", "float", "Fraction", "Fraction | int", "Fraction | float"}
# what is text by its nature: names, formulas, alphabets, what a message says
SPOKEN = {"name", "names", "text", "why", "given", "remedy", "statement", "quantity", "source", "number_name"}


@pytest.fixture(autouse=True)
def watched(monkeypatch, tmp_path):
    """The text would leave a file here; and sympy's reader of text is never to be reached, whatever it reads."""
    monkeypatch.chdir(tmp_path)

    read = sympy.parsing.sympy_parser.parse_expr

    def refuse(text, *arguments, **options):
        if "PROOF" in text or text == "1":
            raise AssertionError(f"sympy was about to run the text {text!r}")
        return read(text, *arguments, **options)  # some of sympy's own modules define their names so

    monkeypatch.setattr(sympy.parsing.sympy_parser, "parse_expr", refuse)
    yield
    assert not (tmp_path / "PROOF").exists()


def _attack(call, arguments, name, hostile):
    try:
        call(**(arguments | {name: hostile}))
    except AssertionError as error:
        assert "about to run" not in str(error), str(error)
        return True
    except Exception:
        return True
    return False


@pytest.mark.parametrize("qualified", sorted(CALLABLES))
def test_functions(qualified):
    call, values = CALLABLES[qualified], _values()
    parameters = inspect.signature(call).parameters
    needed = {name: values[name] for name, p in parameters.items() if p.default is p.empty and name in values}
    for name, parameter in parameters.items():
        annotation = str(parameter.annotation)
        for hostile in HOSTILE.values():
            raised = _attack(call, needed, name, hostile)
            lazy = inspect.isgeneratorfunction(call)
            if not lazy and annotation.removesuffix(" | None") in NUMBERS and name not in SPOKEN:
                assert raised, f"{qualified} took {hostile!r} for {name}"


SERIES = LieSeries({(0, 1): 1}, 2)
CALLS = {
    "from_matrices": lambda x: LieAlgebra.from_matrices([x, [[sympy.sqrt(5), 0], [0, 1]]]),
    "from_matrices of entries": lambda x: LieAlgebra.from_matrices([[[sympy.sqrt(5), x], [0, 1]]]),
    "generated_by": lambda x: LieAlgebra.generated_by([x]),
    "from_structure_constants": lambda x: LieAlgebra.from_structure_constants([[[x]]]),
    "bracket of elements": lambda x: named("sl2").bracket([x, 0, 0], [0, 1, 0]),
    "subalgebra": lambda x: named("sl2").subalgebra([[x, 0, 0]]),
    "LieSeries": lambda x: LieSeries({(0, 1): x}, 2),
    "series times": lambda x: SERIES * x,
    "fourier": lambda x: groups.fourier(group("C2"), [sympy.Symbol("a"), x]),
    "fourier of an array": lambda x: groups.fourier(group("C2"), x),
    "inverse fourier": lambda x: groups.inverse_fourier(group("C2"), [sympy.eye(1), [[x]]]),
    "matrices modulo": lambda x: groups.FiniteGroup.from_matrices([[[x, 0], [0, 1]]], 5),
    "emission": lambda x: HiddenMarkov([[x, 0], [0, 1]], [[1, 0], [0, 1]]),
    "scores": lambda x: ScoreTable(1, 1, np.array([[x, 0], [0, 1]], dtype=object)),
    "shifted": lambda x: ScoreTable.uniform(1, 1).shifted(0, 0, x),
    "quadratic": lambda x: QuadraticArray(np.array([x], dtype=object), np.array([1]), 1, 5),
    "score of a component": lambda x: utility.score(Component(1, "real", x, x, x), 2),
    "bound values": lambda x: bounds.Bound(sympy.Symbol("s"), "", (), "", values={sympy.Symbol("s"): x}),
    "bound formula": lambda x: bounds.Bound(x, "", (), ""),
    "bound at": lambda x: bounds.flow().at(gap=x, size=1),
    "hypothesis": lambda x: bounds.Assumption("s", x),
    "hypothesis holds": lambda x: bounds.Assumption("s", sympy.Symbol("s") > 0).holds({sympy.Symbol("s"): x}),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_methods_and_classes(call, hostile):
    with pytest.raises((TypeError, ValueError)):
        call(hostile)


def test_the_watch_sees_what_it_watches_for():
    with pytest.raises(AssertionError, match="about to run"):
        sympy.sympify(TEXT)

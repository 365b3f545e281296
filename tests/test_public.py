"""What a user meets first: the packages say what they hold, and objects show themselves in a line."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import sympy

import depthjax
import theory
from tests import public_names
from theory import automata, bounds, groups, lie
from theory.bound import Report
from theory.bounds.index import entries


@pytest.mark.parametrize("package", [depthjax, theory])
def test_a_package_lists_what_it_holds(package):
    assert dir(package) == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match=r"it has .*lie"):
        _ = package.nothing
    assert package.__version__.count(".") == 2


def test_the_packages_load_nothing_that_is_not_asked_for():
    code = "import sys, depthjax, theory; dir(depthjax); print('jax' in sys.modules, 'sympy' in sys.modules, end='')"
    shown = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split()[0] == "False"


@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        (groups.group("M11"), "<FiniteGroup M11: order 7920>"),
        (groups.group("S3").irreps[2], "<Irrep 2 of S3: dimension 2, real>"),
        (groups.group("S4").tower, "<Tower of S4: C2, C3, C2 x C2>"),
        (automata.semiautomaton("D4"), "<Semiautomaton D4: 4 states, 2 letters>"),
        (automata.semiautomaton("D4").holonomy(), "<Cascade of D4: a group of order 8 on 4 tiles>"),
        (lie.named("so3"), "<LieAlgebra so3: dimension 3>"),
        (lie.bch(3), "<LieSeries: X + Y + 1/2 [X,Y] + 1/12 [X,[X,Y]] + 1/12 [[X,Y],Y]>"),
        (bounds.group("A5"), None),
        (bounds.magnus(order=9), None),
        (lie.bch(8), None),
    ],
)
def test_objects_show_themselves_in_a_line(thing, shown):
    text = repr(thing)
    assert len(text) < 300 and "\n" not in text and text[0] == "<"
    assert shown is None or text == shown


def test_mathematics_is_typeset():
    for thing in (lie.bch(3), bounds.tower(letters=2, layers=3)):
        assert thing._repr_latex_() == f"$\\displaystyle {thing.latex()}$"
    assert pickle.loads(pickle.dumps(lie.bch(3))) == lie.bch(3)


def test_reports_answer_as_their_bound_does():
    report = bounds.group("S4")
    assert (report.at(), report.expr, report.source) == (3.0, report.bound.expr, report.bound.source)
    assert report.check() == report.bound.check() and report.latex() == report.bound.latex()
    assert bounds.automaton("D4").at() == 2.0 and bounds.algebra("heisenberg3").assumes


def test_every_public_name_of_the_bounds_is_a_bound_or_its_type():
    public = {name: getattr(bounds, name) for name in bounds.__all__}
    functions = {entry.function for entry in entries().values()}
    assert all(isinstance(thing, type) or thing in functions for thing in public.values())
    assert functions <= set(public.values())
    for entry in entries().values():
        assert issubclass(entry.signature.return_annotation, (bounds.Bound, Report))


def test_bounds_take_arrays():
    bound = bounds.magnus(order=4)
    masses = np.array([[0.25, 0.5], [0.75, 1.0]])
    found = bound.at(mass=masses)
    assert found.shape == (2, 2) and found.tolist() == [[bound.at(mass=float(m)) for m in row] for row in masses]
    assert bound.at(mass=[1, sympy.Rational(1, 2)]).tolist() == [bound.at(mass=1), bound.at(mass=0.5)]
    assert bound.at(mass=np.array([])).shape == (0,)
    with pytest.raises(theory.OutsideHypotheses):
        bound.at(mass=[0.5, 2.5])
    with pytest.raises(ValueError, match="unknown parameter"):
        bound.at(weight=[0.5])


@pytest.mark.skipif(not public_names.PAGE.exists(), reason="the documentation does not lie beside the tests")
def test_every_public_name_is_promised_with_its_arguments():
    """`python tests/public_names.py` writes the page; whoever removes a line breaks a promise."""
    now = {room: set(lines) for room, lines in public_names.rooms()}
    assert public_names.promised(public_names.PAGE.read_text("utf-8")) == now


def test_a_signature_says_kinds_and_defaults():
    assert public_names.signature(lambda a, b=1, *, c, d=2, **e: None) == "(a, b=, *, c, d=, **e)"
    assert public_names.signature(depthjax.verify.Outcome) == " = SUPPORTED | REFUTED | INCONCLUSIVE"
    assert ".order" in public_names.signature(theory.groups.FiniteGroup)

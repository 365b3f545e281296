"""The strategies draw what they say, shrink to small objects, and refuse what does not exist."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from theory import bounds, strategies
from theory.automata import Dfa, Semiautomaton
from theory.groups import FiniteGroup, group
from theory.identify.markov import HiddenMarkov
from theory.lie import LieAlgebra, LieSeries
from theory.logic import Formula
from theory.strategies.entry import STRATEGIES
from theory.strategies.groups import _catalogue

few = settings(max_examples=25)
quiet = settings(database=None, phases=[Phase.generate, Phase.shrink])  # nothing is explained, so no line is traced


def smallest(strategy, condition=lambda drawn: True):
    return find(strategy, condition, settings=quiet)


def test_the_catalogue_of_groups_says_what_the_groups_are():
    for entry in _catalogue(24):
        found = group(entry.name)
        assert (found.order, found.is_solvable, found.is_abelian) == (entry.order, entry.solvable, entry.abelian)


@few
@given(strategies.groups(min_order=6, max_order=20, abelian=False, renumbered=True))
def test_groups_keep_their_bounds_in_any_numbering(drawn):
    again = FiniteGroup.from_table(drawn.table)  # every axiom
    assert 6 <= drawn.order <= 20 and not drawn.is_abelian
    assert sorted(again.element_orders) == sorted(group(drawn.name).element_orders)


@few
@given(strategies.groups(max_order=130, solvable=False))
def test_groups_that_are_not_solvable(drawn):
    assert not drawn.is_solvable


@few
@given(strategies.semiautomata(max_states=6, solvable=False), strategies.semiautomata(max_states=5, aperiodic=True))
def test_semiautomata_with_and_without_groups(perfect, aperiodic):
    assert not perfect.is_solvable and aperiodic.is_aperiodic


@few
@given(strategies.semiautomata(min_states=2, invertible=True), strategies.dfas(letters="abc", star_free=True, minimal=True))
def test_letters_permute_and_languages_are_star_free(automaton, dfa):
    assert (np.sort(automaton.table, axis=0) == np.arange(automaton.num_states)[:, None]).all()
    assert dfa.is_star_free and dfa.letters == ("a", "b", "c") and dfa.minimal.num_states == dfa.num_states


def test_an_alphabet_is_drawn_where_only_its_size_is_given():
    seven = smallest(strategies.formulas(7, max_depth=1), lambda f: len(f.letters) >= 3)
    assert len(seven.letters) == 3 and smallest(strategies.formulas(7), lambda f: "g" in f.letters).letters == ("g",)
    assert str(smallest(strategies.formulas(7))) == "a"


@few
@given(strategies.formulas("abc", min_depth=1, max_depth=3, past=True, counts=True))
def test_formulas_have_their_depth_and_look_back(formula):
    assert 1 <= formula.depth <= 3 and set(formula.letters) <= set("abc")
    truth = formula.evaluate(["abcab"], "abc")
    assert (formula.evaluate(["abcaa"], "abc")[:, :4] == truth[:, :4]).all()


@few
@given(strategies.lie_series(3, min_degree=2, max_degree=3), strategies.lie_algebras(max_dimension=5, new_basis=True))
def test_lie_series_and_algebras(series, algebra):
    assert set(series.degrees) <= {2, 3} and len(series.terms) <= 4
    LieAlgebra.from_structure_constants(algebra.constants)  # antisymmetry and Jacobi


@few
@given(strategies.hidden_markov(max_states=4, identifiable=True))
def test_identifiable_models_meet_the_hypotheses(model):
    assert model.identifiable() is model


@pytest.mark.parametrize("bound", [bounds.magnus(3), bounds.bch(3), bounds.word(), bounds.sharpness(), bounds.glitch_rate()])
def test_numbers_inside_and_outside(bound):
    @settings(max_examples=15)
    @given(strategies.inside(bound), strategies.outside(bound))
    def numbers(within, beyond):
        assert all(holds for _, holds in bound.check(**within))
        assert not all(holds for _, holds in bound.check(**beyond))

    numbers()


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("bound", [bounds.magnus(order=4), bounds.bch(order=3), bounds.sharpness()], ids=str)
def test_numbers_keep_their_hypotheses_in_floats_of_their_width(bound, width):
    """An open end such as mass < 2 stays open after rounding, and no number is subnormal."""
    kind = {16: np.float16, 32: np.float32, 64: np.float64}[width]

    @settings(max_examples=60)
    @given(strategies.inside(bound, width=width), strategies.outside(bound, width=width))
    def numbers(within, beyond):
        for drawn, holds in ((within, True), (beyond, False)):
            rounded = {name: float(kind(number)) for name, number in drawn.items()}
            assert all(number == 0 or number >= np.finfo(kind).tiny for number in rounded.values())
            assert width == 64 or rounded == {name: float(number) for name, number in drawn.items()}
            assert all(met for _, met in bound.check(**rounded)) == holds

    numbers()


def test_the_numbers_near_an_open_end_are_the_nearest_floats():
    near = strategies.inside(bounds.magnus(order=4))
    assert smallest(near, lambda drawn: drawn["mass"] > 1.9999998)["mass"] == np.nextafter(np.float32(2), np.float32(0))
    assert smallest(strategies.inside(bounds.magnus(order=4), width=64), lambda drawn: drawn["mass"] > 2 - 1e-15)["mass"] < 2


WITHOUT_HYPOTHESIS = """
import sys
sys.modules["hypothesis"] = None
import theory
assert not hasattr(theory, "strategies")
for attempt in ("theory.strategies", "__import__('theory.strategies')"):
    try:
        eval(attempt)
    except (AttributeError, ModuleNotFoundError) as error:
        assert "the extra `testing`: pip install 'depthjax[testing]'" in str(error), error
    else:
        raise AssertionError(attempt)
try:
    from theory import strategies
except ImportError as error:
    assert "pip install 'depthjax[testing]'" in str(error), error
"""


def test_without_hypothesis_the_extra_is_named():
    subprocess.run([sys.executable, "-c", WITHOUT_HYPOTHESIS], check=True)


def test_conditions_without_a_solution_formula_are_met_too():
    for bound in (bounds.composition("C3", architecture="tree"), bounds.glitch_rate()):
        found = smallest(strategies.inside(bound))
        assert all(holds for _, holds in bound.check(**found))


@pytest.mark.parametrize(
    ("strategy", "condition", "expected"),
    [
        (strategies.groups(), lambda g: True, lambda g: g.order == 1),
        (strategies.groups(), lambda g: not g.is_abelian, lambda g: g.order <= 8),
        (strategies.semiautomata(), lambda a: True, lambda a: a.table.tolist() == [[0]]),
        (strategies.semiautomata(), lambda a: not a.is_aperiodic, lambda a: a.table.tolist() == [[1], [0]]),
        (strategies.dfas(), lambda d: True, lambda d: d.num_states == 1 and not d.accepting.any()),
        (strategies.formulas(), lambda f: True, lambda f: str(f) == "a"),
        (strategies.formulas(), lambda f: f.depth == 2, lambda f: f.size <= 4),
        (strategies.lie_series(), lambda s: True, lambda s: not s.terms),
        (strategies.lie_algebras(), lambda a: True, lambda a: a.name == "abelian1"),
        (strategies.hidden_markov(), lambda m: True, lambda m: m.emission.shape == (1, 1)),
        (strategies.words(3), lambda w: len(w) > 1, lambda w: w == (0, 0)),
        (strategies.inside(bounds.word()), lambda n: True, lambda n: n == {"length": 1}),
    ],
)
def test_examples_shrink_to_the_smallest(strategy, condition, expected):
    assert expected(smallest(strategy, condition))


@pytest.mark.parametrize("kind", [FiniteGroup, Semiautomaton, Dfa, Formula, LieSeries, LieAlgebra, HiddenMarkov])
def test_types_find_their_strategies(kind):
    assert isinstance(smallest(st.from_type(kind)), kind)
    assert getattr(strategies, STRATEGIES[kind])


def test_every_bound_is_a_keyword():
    for name in strategies.__all__:
        parameters = list(inspect.signature(getattr(strategies, name)).parameters.values())
        first = {"formulas": 1, "lie_series": 1, "words": 1, "inside": 1, "outside": 1}.get(name, 0)
        assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters[first:])


IMPOSSIBLE = [
    (lambda: strategies.groups(max_order=0), r"max_order = 0: expected an integer >= 1"),
    (lambda: strategies.groups(max_order=59, solvable=False), r"A5, of order 60, is the smallest .*raise max_order to 60"),
    (lambda: strategies.groups(solvable=False, abelian=True, max_order=60), "abelian groups are solvable; drop one"),
    (lambda: strategies.groups(min_order=61, max_order=100, solvable=False), "no group of the catalogue .*widen the orders"),
    (lambda: strategies.groups(min_order=9, max_order=8), "min_order = 9 and max_order = 8: nothing lies between"),
    (lambda: strategies.groups(max_order=10**6), "expected at most 1000"),
    (lambda: strategies.semiautomata(max_states=4, solvable=False), "allow five states and two letters"),
    (lambda: strategies.semiautomata(max_states=1, aperiodic=False), "one state never moves; raise max_states"),
    (lambda: strategies.semiautomata(aperiodic=True, invertible=True), "move nothing; drop one"),
    (lambda: strategies.semiautomata(max_states=5, aperiodic=True, solvable=False), "trivial groups are solvable"),
    (lambda: strategies.dfas(letters="aa"), "expected different texts"),
    (lambda: strategies.dfas(max_states=1, star_free=False), "one state has no period"),
    (lambda: strategies.words(0), "letters = 0: expected an integer >= 1"),
    (lambda: strategies.words(2, min_length=3, max_length=2), "nothing lies between; raise max_length"),
    (lambda: strategies.formulas(0), "letters = 0: expected an integer >= 1"),
    (lambda: strategies.formulas(27), "at most 26 letters"),
    (lambda: strategies.formulas(""), "expected different texts, at least one"),
    (lambda: strategies.formulas(max_depth=-1), "max_depth = -1: expected an integer >= 0"),
    (lambda: strategies.lie_series(1, min_degree=2), "all brackets of one letter vanish; take two letters"),
    (lambda: strategies.lie_series(1, min_degree=2, max_degree=10**12), "all brackets of one letter vanish"),
    (lambda: strategies.lie_series(2, max_degree=10**12), "the Lyndon words of degree .* would take"),
    (lambda: strategies.lie_algebras(max_dimension=2, solvable=False), "not solvable at least 3; raise max_dimension"),
    (lambda: strategies.lie_algebras(nilpotent=True, solvable=False), "nilpotent algebras are solvable"),
    (lambda: strategies.hidden_markov(min_states=3, max_symbols=2, identifiable=True), "raise max_symbols to 3"),
    (lambda: strategies.inside("magnus"), "expected a bound"),
    (lambda: strategies.inside(bounds.magnus(order=4), width=8), "the bits of a float, 16, 32 or 64"),
    (lambda: strategies.inside(bounds.group("A5")), "holds for no numbers"),
    (lambda: strategies.outside(bounds.recurrent_bits()), "no number breaks one; expected a bound with a condition"),
]


@pytest.mark.parametrize(("call", "words"), IMPOSSIBLE)
def test_what_does_not_exist_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()

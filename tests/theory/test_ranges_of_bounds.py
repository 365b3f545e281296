"""Every registered bound at small, odd and huge numbers: an answer is a size, and everything else is a refusal in words."""

import inspect
import math
import random
from fractions import Fraction

import pytest
import sympy

import theory.bounds
from theory import bounds
from theory.attention.hops import lookup_threshold
from theory.bounds.index import entries
from theory.cost import TooExpensive
from theory.lie.rounded_roots import reachable_states, rounded_roots
from theory.lie.tower import tower_remainder
from theory.lie.word_problem import word_dimension
from theory.lie.words import multigraded_witt_dimension, witt_dimension

assert theory.bounds
DRAWS = 16
WHOLE = [1, 2, 3, 5, 7, 10, 33, 64, 131, 500, 1000, 10**4, 10**6, 10**9, 10**12, 10**18, 10**40]
REAL = [0, 1e-320, 1e-300, 1e-30, 1e-6, 0.1, Fraction(1, 3), 0.5, 0.7, 0.9, 1 - 2**-53, 1, 1.5, 2, 5, 1e3, 1e6, 1e30, 1e300]
WORDS = {
    "algebra": ["so3", "se2", "upper3"],
    "architecture": ["two-layer", "recurrent", "tree"],
    "dtype": ["float32", "float16", "bfloat16", "float64"],
    "group": ["C1", "C2", "C3", "C12", "C100", "S3", "A5", "Q8"],
    "loss": ["nce", "ence"],
    "mask": ["strict", "causal"],
    "norm": ["pre", "post", "admin", "submultiplicative", "operator"],
    "sides": ["past", "both"],
    "task": ["recognise", "predict"],
    "term_norms": [(0, 0.1), (0.5, 1e-30, 3), (1,)],
    "weights": ["fresh", "tied"],
    "word": [(0,), (0, 1), (0, 1, 1, 0), (1, 0, 2)],
    "adjacent": [False, True],
    "decades": [False, True],
    "uniform": [False, True],
}
OF_OBJECTS = {"algebra", "automaton", "group", "layers", "logic"}  # questions about an object by its name


def _drawn(entry, rng):
    numbers = {}
    for name, parameter in entry.signature.parameters.items():
        kind = str(parameter.annotation)
        values = WORDS.get(name) or (REAL if "float" in kind else WHOLE if "int" in kind else None)
        assert values, f"{entry.name} has the parameter {name} of type {kind}: give this test some values of it"
        if parameter.default is inspect.Parameter.empty or name in WORDS or rng.random() < 0.8:
            numbers[name] = rng.choice(values)
        elif parameter.default is None:
            numbers[name] = rng.choice(values)
    return numbers


@pytest.mark.parametrize("name", sorted(set(entries()) - OF_OBJECTS))
def test_a_bound_is_a_size_or_refuses(name):
    entry, rng = entries()[name], random.Random(name)
    answers = 0
    for _ in range(DRAWS if entry.signature.parameters else 1):
        numbers = _drawn(entry, rng)
        try:
            report = entry.function(**numbers)
            value = report.at()
        except ValueError as refusal:
            assert str(refusal)
            continue
        answers += 1
        assert value >= 0, (numbers, value)
        assert math.isfinite(value), (numbers, value)
        if isinstance(report.expr, (sympy.ceiling, sympy.floor)):
            assert value == int(value), (numbers, value)
    assert answers or name in ("error-by-depth", "one-layer", "rank", "rank-width")


@pytest.mark.parametrize("layers", [2, 3, 8, 130, 131, 137, 191, 500, 10**4, 10**12])
@pytest.mark.parametrize("hops", [1, 2, 64, 10**6, 10**30])
def test_written_tokens_are_counted_exactly(hops, layers):
    passes = 1 if layers > 200 else -(-hops // (2 ** (layers - 1) - 1))
    found = bounds.written_steps(hops, layers).at()
    assert found == pytest.approx(passes - 1, rel=1e-15) and found >= 0


def test_no_temperature_below_zero():
    for context, error in ((2, 0.9), (3, 0.7), (3, 0.5), (100, 0.995)):
        found = bounds.nearest_neighbour_threshold(context, 1, error).at()
        exact = math.log((context - 1) * (1 - error) / error)
        assert found == pytest.approx(max(exact, 0), abs=1e-15)
        if found > 0:
            assert bounds.nearest_neighbour(context, found, 1).at() == pytest.approx(error)
        else:
            assert bounds.nearest_neighbour(context, 1e-9, 1).at() <= error


@pytest.mark.parametrize(
    "call",
    [
        lambda: bounds.root_horizon(10**5, "float32"),
        lambda: rounded_roots(10**9, "float32"),
        lambda: reachable_states(10**6, "float32", most=10**7),
        lambda: witt_dimension(2, 10**12),
        lambda: witt_dimension(3, 10**400),
        lambda: multigraded_witt_dimension((10**9, 10**9)),
        lambda: word_dimension(2, 10**9),
        lambda: tower_remainder((0, 1), 2, 10**18),
        lambda: bounds.tower_leading((0, 1), 10**9, 1),
    ],
)
def test_what_is_expensive_is_refused_before_any_work(call):
    with pytest.raises(TooExpensive, match="would take"):
        call()


def test_what_is_not_expensive_is_answered_at_any_size():
    assert reachable_states(10**6, "float32") is None
    assert lookup_threshold(10**7) == pytest.approx(math.log(4e7 - 8))
    assert witt_dimension(1, 10**400) == 0 and multigraded_witt_dimension((10**9,)) == 0
    assert bounds.looped_doubling(5, 10**12).at() == 4
    assert bounds.residual(10**6, 1e-6, weights="tied").at() == pytest.approx(2.279584613388344)
    assert bounds.one_layer_sort(10**18, 10**9).at() > 1e10


@pytest.mark.parametrize("order", [4, 64, 80, 100, 128, 180])
def test_the_horizon_of_roots_is_never_below_its_closed_form(order):
    for dtype in ("bfloat16", "float16"):
        simple = bounds.phase_horizon(order, dtype)
        if all(holds for _, holds in simple.check()):
            assert bounds.root_horizon(order, dtype).at() >= int(simple.at())

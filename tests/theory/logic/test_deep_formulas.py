"""Formulas built in Python, thousands of operators deep: no question about them recurses, and parts are checked."""

import copy
import dataclasses
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from theory import bounds
from theory.logic import (
    And,
    AtLeast,
    Atom,
    Count,
    Formula,
    Not,
    Or,
    Since,
    Truth,
    Until,
    difference,
    evaluate,
    formula_of,
    minimal_dfa,
    parse,
)
from theory.logic.formula import shortened
from theory.logic.program import program
from theory.strategies import formulas


def deepest(formula, known):
    """Twin of `depth`, with a stack of its own: one more than the parts at a temporal operator."""
    for part in formula.subformulas:
        known[part] = part.is_temporal + max((known[child] for child in part.children), default=0)
    return known[formula]


def _chain(levels, link):
    formula = Atom("a")
    for _ in range(levels):
        formula = link(formula)
    return formula


LINKS = {
    "since": lambda f: Since(Atom("b"), f),
    "since on the left": lambda f: Since(f, Atom("b")),
    "until": lambda f: Until(Atom("b"), f),
    "not": Not,
    "and": lambda f: And((f, Atom("b"))),
    "or": lambda f: Or((Atom("b"), f)),
    "counts": lambda f: AtLeast((Count(-2, f), Count(1, Atom("b"), ahead=True)), 1),
    "a shared part": lambda f: Since(f, f),
}


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_chains_of_thousands_of_operators(link):
    """Every question is answered without recursion, however deep."""
    levels = 3000
    formula, again, shorter = _chain(levels, link), _chain(levels, link), _chain(levels - 1, link)
    assert formula == again and hash(formula) == hash(again) and formula != shorter and len({formula, again, shorter}) == 2
    assert formula.depth == deepest(formula, {}) in (0, levels) and formula.letters in (("a",), ("a", "b"))
    for copied in (pickle.loads(pickle.dumps(formula)), copy.deepcopy(formula), copy.copy(formula)):
        assert copied == formula and copied.size == formula.size
    assert formula.evaluate(["ab"]).shape == (1, 2) and program(formula).depth == formula.depth
    if link is not LINKS["a shared part"]:  # as a text it doubles with every level
        assert len(str(formula)) > levels and len(repr(formula)) > 5 * levels


def _told(value):
    """Twin of `repr`, by recursion."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_told, value))}{',' * (len(value) == 1)})"
    if not isinstance(value, (Formula, Count)):
        return repr(value)
    fields = [f"{field.name}={_told(getattr(value, field.name))}" for field in dataclasses.fields(value)]
    return f"{type(value).__name__}({', '.join(fields)})"


def _printed(formula, outer=0):
    """Twin of `show`, by recursion: no short forms but P, Y, F, X, H, G."""

    def bracketed(text, needed):
        return f"({text})" if needed else text

    match formula:
        case Not(Since(Truth(True), Not(of))):
            return f"H {_printed(of, 4)}"
        case Not(Until(Truth(True), Not(of))):
            return f"G {_printed(of, 4)}"
        case Not(of):
            return f"!{_printed(of, 4)}"
        case Since(Truth(value), of) | Until(Truth(value), of):
            return f"{('YP' if isinstance(formula, Since) else 'XF')[value]} {_printed(of, 4)}"
        case And(parts):
            return bracketed(" & ".join(_printed(part, 3) for part in parts), outer > 2)
        case Or(parts):
            return bracketed(" | ".join(_printed(part, 2) for part in parts), outer > 1)
        case Since(left, right) | Until(left, right):
            return bracketed(f"{_printed(left, 4)} {type(formula).__name__[0]} {_printed(right, 3)}", outer > 3)
        case AtLeast(counts, bound):
            sums = ""
            for number, count in enumerate(counts):
                sign = "-" if count.factor < 0 else "" if number == 0 else "+"
                times = "" if abs(count.factor) == 1 else f"{abs(count.factor)} "
                sign = f" {sign} " if number else sign
                sums += f"{sign}{times}{'#>' if count.ahead else '#'}[{_printed(count.of)}]"
            return bracketed(f"{sums} >= {bound}", outer > 3)
        case Truth(value):
            return str(value).lower()
    return formula.letter


@settings(max_examples=100, deadline=None)
@given(formulas(counts=True), formulas(counts=True))
def test_texts_equality_and_pickles_have_twins(one, other):
    assert repr(one) == _told(one) and str(one) == _printed(one) and parse(str(one)) == one
    assert (one == other) == (_told(one) == _told(other)) and (hash(one) == hash(other) or one != other)
    for part in one.subformulas:
        assert eval(repr(part)) == part == pickle.loads(pickle.dumps(part)) == copy.deepcopy(part)
    assert one != "a" and one != None  # noqa: E711


def test_a_pickle_leaves_the_hash_of_its_process_behind():
    """Texts hash otherwise in another process, so a hash that came along would make equal formulas differ."""
    formula = parse("a S (b & P a) | 2 #[a] >= 1")
    _ = hash(formula), formula.depth
    assert b"_hash" not in pickle.dumps(formula)
    code = "import pickle, sys; from theory.logic import parse; "
    code += f"f = pickle.loads({pickle.dumps(formula)!r}); sys.exit(f not in {{parse({str(formula)!r})}})"
    for seed in ("1", "2"):
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": seed})


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Since("a", "b"), "Since was given 'a'"),
        (lambda: Atom("a") & "b", "And was given 'b'"),
        (lambda: Not(None), "Not was given None"),
        (lambda: And("ab"), "parts in a tuple"),
        (lambda: Or(Atom("a")), "parts in a tuple"),
        (lambda: Atom(3), "name of a letter"),
        (lambda: Truth(1), "True or False"),
        (lambda: Count("2", Atom("a")), "integer"),
        (lambda: AtLeast((Count(1, Atom("a")),), 0.5), "integer"),
        (lambda: AtLeast((Count(True, Atom("a")),), 1), "integer"),
        (lambda: AtLeast((Atom("a"),), 1), "expected counts"),
        (lambda: AtLeast((Count(1, "a"),), 1), "AtLeast was given 'a'"),
    ],
)
def test_parts_that_are_no_formulas_are_refused(make, match):
    with pytest.raises(TypeError, match=match):
        make()


def test_lists_and_generators_of_parts_are_read_once():
    a, b = Atom("a"), Atom("b")
    assert And([a, b]) == And((a, b)) == And(part for part in (a, b)) and hash(Or([a, b])) == hash(Or((a, b)))
    counts = [Count(np.int8(2), a)]
    several = AtLeast(counts, np.int64(1))
    counts.append(Count(1, b))
    assert several == AtLeast((Count(2, a),), 1) and type(several.bound) is int


def test_a_formula_whose_text_has_no_end_is_asked_all_the_same():
    """Parts that are shared are written out: 50 levels would be more characters than any memory holds."""
    shared, linked = Atom("a"), " <-> ".join("a" * 50)
    for _ in range(50):
        shared = And((shared, Or((shared, Atom("b")))))
    assert len(shortened(shared, 90)) == 90 and minimal_dfa(shared).num_states == minimal_dfa(Atom("a"), "ab").num_states
    for ask in (lambda: bounds.logic(linked), lambda: bounds.layers(formula=linked), lambda: bounds.layers(formula=shared)):
        assert ask().at() == 0
    assert len(bounds.logic(linked).quantity) < 2000


@settings(max_examples=50, deadline=None)
@given(formulas(counts=True))
def test_a_shortened_text_is_the_beginning_of_the_text(formula):
    text = str(formula)
    for most in (10, max(len(text) - 1, 3), max(len(text), 3), 1000):
        short = shortened(formula, most)
        assert short == text if len(text) <= most else (len(short) == most and text.startswith(short[:-3]))


def test_bounds_of_deep_formulas():
    """A formula of Python may be deeper than a text that is read."""
    formula = _chain(100, LINKS["since"])
    assert bounds.logic(formula).at() == bounds.layers(formula=formula).at() == 100


ASK_A_FORMULA = [minimal_dfa, lambda f: evaluate(f, ["ab"]), formula_of, lambda f: difference(Atom("a"), f)]


@pytest.mark.parametrize("ask", ASK_A_FORMULA)
@pytest.mark.parametrize("given", ["a S b", None, 3, ["a"]], ids=repr)
def test_what_is_no_formula_is_refused(ask, given):
    with pytest.raises(TypeError, match="expected"):
        ask(given)

"""Formulas cross from claims to measurements as plain arrays, and lose nothing on the way."""

import numpy as np
import pytest

from depthjax.constructions.compiled.formulas import compile_formulas
from depthjax.tasks.short_words import short_words
from depthjax.verify.data import unfit
from experiments.logic._compiled import compiled
from experiments.logic._programs import programs
from theory.logic import parse
from theory.logic.program import program

FORMULAS = [parse(text) for text in ("a", "P (a & P b)", "a S (b & P a)", "(!b) U a")]


@pytest.mark.parametrize("options", [{}, {"mask": "causal"}, {"ties": "farthest"}])
def test_compiled_programs_are_the_compiled_formulas(options):
    words, lengths = short_words(2, 5)
    given = programs(FORMULAS, "ab")
    assert unfit(given) == ""
    expected = compile_formulas([program(formula, "ab") for formula in FORMULAS], **options)
    found = compiled(given, **options)
    assert np.array_equal(found(words, lengths=lengths), expected(words, lengths=lengths))
    assert found.depths.tolist() == [formula.depth for formula in FORMULAS]


def test_a_given_number_of_layers_takes_the_place_of_the_nesting_depth():
    assert list(programs(FORMULAS, "ab", depth=5)["depth"]) == [5] * len(FORMULAS)

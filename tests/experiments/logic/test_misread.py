"""What layers that are built otherwise read, against a reader of one word that follows the heads position by position."""

import itertools

import numpy as np
import pytest

from experiments.logic.ltl_depth_compiles.misread import after_layers, ties_to_the_farthest, with_own_position
from theory.logic import And, Atom, Formula, Not, Or, Since, Until, evaluate
from theory.logic.sampling import random_formula

LETTERS = "abc"


def _read(formula: Formula, word: str, layers: int, own: bool = False, farthest: bool = False) -> list[bool]:
    """The bit of a formula at each position after so many layers: a head reads the bit of the layer before."""
    parts = [
        _read(part, word, layers - isinstance(formula, (Since, Until)), own, farthest)
        for part in formula.children
        if layers or not isinstance(formula, (Since, Until))
    ]
    match formula:
        case Atom():
            return [letter == formula.letter for letter in word]
        case Not():
            return [not bit for bit in parts[0]]
        case And():
            return [all(bits) for bits in zip(*parts, strict=True)]
        case Or():
            return [any(bits) for bits in zip(*parts, strict=True)]
    if not layers:
        return [False] * len(word)
    left, right = parts
    read = []
    for i in range(len(word)):
        seen = range(i + own) if isinstance(formula, Since) else range(len(word) - 1, i - own, -1)  # the nearest last
        best = max(seen, key=lambda j: (not left[j] or right[j], 0 if farthest else list(seen).index(j)), default=None)
        read.append(best is not None and right[best])
    return read


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_other_networks_read_the_formulas_that_are_predicted(depth: int) -> None:
    rng = np.random.default_rng(depth)
    words = ["".join(word) for word in itertools.product(LETTERS, repeat=4)]
    for formula in (random_formula(rng, LETTERS, depth) for _ in range(6)):
        readings = [
            (with_own_position(formula), {"layers": depth, "own": True}),
            (ties_to_the_farthest(formula), {"layers": depth, "farthest": True}),
            *((after_layers(formula, layers), {"layers": layers}) for layers in range(depth + 1)),
        ]
        for reading, how in readings:
            expected = [_read(formula, word, **how) for word in words]
            assert evaluate(reading, words, LETTERS).tolist() == expected

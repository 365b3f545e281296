"""Formulas of nesting 4 on all words of length <= 12: seconds to evaluate, to compile to attention and run, to an automaton.

Run with `python benchmarks/logic.py`. Target on two cores: 10 s for the evaluator on all words of two letters.
"""

import statistics
import time

import numpy as np

from depthjax.constructions.compiled.formulas import compile_formulas
from depthjax.tasks.words import all_words
from theory.logic import Until, evaluate, minimal_dfa
from theory.logic.program import program
from theory.logic.sampling import random_formula

LENGTH, FORMULAS = 12, 10


def main() -> None:
    """Print one line for each way to the truth of ten random formulas."""
    rng = np.random.default_rng(0)
    formulas = [random_formula(rng, "ab", 4) for _ in range(FORMULAS)]
    words = {letters: [np.asarray(all_words(letters, n), np.int8) for n in range(1, LENGTH + 1)] for letters in (2, 3)}
    for letters in (2, 3):
        alphabet = "abc"[:letters]
        seconds = [_seconds(lambda f=f: [evaluate(f, w, alphabet) for w in words[letters]]) for f in formulas]  # noqa: B023
        number = sum(len(w) for w in words[letters])
        print(
            f"evaluator, {letters} letters, {number} words: median {statistics.median(seconds):.3f} s, "
            f"worst {max(seconds):.3f} s (must 10 at 2 letters)"
        )
    model = compile_formulas([program(formula, "ab") for formula in formulas])
    longest = words[2][-1]
    first = _seconds(lambda: np.asarray(model(longest)))
    again = _seconds(lambda: np.asarray(model(longest)))
    print(
        f"attention, 2 letters, {len(longest)} words of length {LENGTH}, {FORMULAS} formulas: "
        f"first {first:.2f} s, then {again:.2f} s"
    )
    small = [f for f in formulas if sum(isinstance(part, Until) for part in f.subformulas) <= 10]
    seconds = [_seconds(lambda f=f: minimal_dfa(f, "ab")) for f in small]
    print(f"minimal automata of {len(small)}: median {statistics.median(seconds):.3f} s, worst {max(seconds):.3f} s")


def _seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()

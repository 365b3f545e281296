"""Inputs that must be refused, as data: which argument of which callable takes what, and lines for `depthjax`.

A slot is a call with one argument left open; every bad value of its kind is put there. Rows are single calls.
"""

from fractions import Fraction

import numpy as np

import theory.automata as automata
import theory.bounds as bounds
import theory.groups as groups
import theory.lie as lie
import theory.logic as logic
from experiments.attention.cycle_rounds.cycles import cycle_rounds, cycle_views
from theory.attention.hops import hop_reach, hop_width, longest_exact_length, lookup_threshold
from theory.attention.memory import induction_head_states
from theory.attention.rounds import protocol_memory, protocol_rounds
from theory.attention.steps import state_steps, steps_reach
from theory.automata.limits import class_layers
from theory.composition import counting_weights, flattening_squares
from theory.cost import TooExpensive, allow
from theory.lie.tails import permutation_constant
from theory.lie.word_problem import word_dimension
from theory.logic.runs import run_formula, run_pair
from theory.logic.types import Types

NAN, INF = float("nan"), float("inf")
HUGE = 10**400
COUNTS = (0, -1, True, 1.5, NAN, INF, "3", b"3", (1,), np.float64(2.0), np.bool_(True))
SIZES = (-1, NAN, INF, -INF, "1", b"1", True, 1j, (1, 2), np.array([1.0, -2.0]))
CHOICES = ("", "nonsense", 3, None, True, b"strict", ("strict",))

# callable, its good arguments, the open argument
COUNT_SLOTS = [
    (permutation_constant, {"degree": 3}, "degree"),
    (word_dimension, {"letters": 2, "length": 3}, "letters"),
    (word_dimension, {"letters": 2, "length": 3}, "length"),
    (hop_reach, {"layers": 3}, "layers"),
    (hop_width, {"alphabet": 3}, "alphabet"),
    (hop_width, {"alphabet": 3}, "hops"),
    (induction_head_states, {"letters": 3}, "letters"),
    (cycle_views, {"length": 6}, "length"),
    (cycle_rounds, {"length": 6}, "length"),
    (longest_exact_length, {"mantissa": 24}, "mantissa"),
    (lookup_threshold, {"length": 8}, "length"),
    (protocol_rounds, {"protocol": "components"}, "machines"),
    (run_formula, {}, "letters"),
    (automata.full_transformations, {}, "points"),
    (counting_weights, {"forms": ((1, 1), (1, -1)), "group": "C2"}, "length"),
    (steps_reach, {"layers": 3, "written": 2}, "layers"),
    (state_steps, {}, "length"),
    (lie.lyndon_words, {"letters": 2, "degree": 3}, "letters"),
    (lie.lyndon_words, {"letters": 2, "degree": 3}, "degree"),
    (lie.witt_dimension, {"letters": 2, "degree": 3}, "degree"),
    (lie.hall_basis, {"letters": 2, "degree": 3}, "degree"),
    (lie.derived_ideal_dimension, {"letters": 2, "k": 1, "degree": 3}, "degree"),
    (lie.derived_ideal_degree, {"letters": 2, "k": 1}, "k"),
    (lie.derived_ideal_degree, {"letters": 2, "k": 1}, "letters"),
    (lie.bch, {"order": 3}, "order"),
    (lie.magnus, {"word": (0, 1), "order": 3}, "order"),
    (lie.free_nilpotent, {"letters": 2, "nilpotency_class": 3}, "letters"),
    (lie.free_nilpotent, {"letters": 2, "nilpotency_class": 3}, "nilpotency_class"),
]
SIZE_SLOTS = []
CHOICE_SLOTS = [
    (bounds.hop, {"hops": 2}, "mask"),
    (bounds.hop, {"hops": 2, "length": 8}, "dtype"),
    (hop_reach, {"layers": 3}, "mask"),
    (hop_width, {"alphabet": 3}, "mask"),
    (bounds.residual, {"depth": 2}, "weights"),
    (bounds.sensitivity, {"depth": 2}, "norm"),
    (bounds.contrastive, {}, "loss"),
    (bounds.composition, {"group": "C3"}, "architecture"),
    (bounds.alternation, {"k": 3}, "task"),
    (lie.bch, {"order": 2}, "basis"),
    (bounds.hard_attention_run, {"letters": 3}, "sides"),
    (Types, {}, "sides"),
    (protocol_rounds, {"machines": 8}, "protocol"),
    (protocol_memory, {"share": 4}, "protocol"),
]
NAME_SLOTS = [
    (
        bounds.algebra,
        "target",
        ("", "nonsense", "so", "so1", "sp3", "heisenberg4", "free0_3", "free2_0", "gl-3", "\x00", "so3\n"),
    ),
    (lie.named, "name", ("", "nonsense", "so", "so1", "heisenberg4", "free2_0")),
    (
        bounds.group,
        "target",
        ("", "nonsense", "C0", "D2", "Q6", "SL2_4", "H3_1", "C7:C4", "xC2", "C2x", "C-3", "C1.5"),
    ),
    (groups.group, "given", ("", "nonsense", "C0", "D2", "Q6", "SL2_4", "C7:C4")),
    (bounds.automaton, "target", ("", "nonsense", "C0", "Q12", "parity2", "regex:(", "regex:", "dyck0", "D2")),
    (automata.semiautomaton, "given", ("", "nonsense", "C0", "Q12", "regex:(")),
    (logic.parse, "text", ("", "a S", "(a", "a)", "&", "#[a]", "a U U b", "\x00")),
    (logic.regular, "text", ("", "(", ")", "a**b)", "*", "a|*")),
]

# what would take too long or too much: refused before any work
EXPENSIVE = [
    *(
        (bounds.algebra, (name,))
        for name in ("gl60", "strict50", "free2_11", "free3_9", "abelian400", "upper40", "gl90", "gl" + "9" * 30)
    ),
    *((bounds.group, (name,)) for name in ("C1000000007:C2", "S5000", "C" + "9" * 5000)),
    *((groups.group, (name,)) for name in ("C100000", "SL2_1009", "C7000xC7000", "S" + "9" * 30)),
    *((automata.semiautomaton, (name,)) for name in ("C2^30", "C1000000000", "gridworld" + "9" * 30, "flip_flop100000")),
    (class_layers, ("time_invariant", automata.semiautomaton("C5000"))),
    (bounds.group, ("C" + "9" * 30 + "^999",)),
    (permutation_constant, (10**6,)),
    (permutation_constant, (HUGE,)),
    (lie.bch, (10**6,)),
    (lie.bch, (25,)),
    (lie.log_product, ([(0, 1), (1, 1), (0, 1)], 60)),
    (lie.magnus, ((0, 1, 2), 40)),
    (lie.ladder, (40,)),
    (lie.lyndon_words, (2, 60)),
    (lie.lyndon_words, (HUGE, 3)),
    (lie.hall_basis, (2, 60)),
    (lie.free_nilpotent, (2, 60)),
    (lie.solvable_law, (2, 40)),
    (lie.derived_ideal_dimension, (2, 3, 10**6)),
    (lie.log_product, ([(0, 1), (1, 1)], 40)),
    (logic.regular("(ab)*").counts, (10**9,)),
    (bounds.width_dichotomy, ("C100000", 3)),
    (bounds.narrow_loss, ("C100000", 3, 4)),
    (bounds.error_by_depth, ((0, 1), 2, "gl60")),
    (bounds.rank, (10**30, 8)),
    (bounds.rank, (10**30, 8, 10**15)),
    (bounds.rank_width, (10**30, 8, 1)),
    (bounds.rank, (HUGE, 8)),
]

_TABLE = [[0, 1], [1, 0]]
# callable, arguments, a word of the message
ROWS = [
    (allow, (0,), "limit = 0"),
    (allow, (NAN,), "limit = nan"),
    (allow, ("2",), "limit = '2'"),
    (allow, (True,), "limit = True"),
    (bounds.tower, (2, 10**12), "at most 10000"),
    (bounds.tower(2, 2000).at, (), "too large for a float"),
    (bounds.residual(2000, 1).at, (), "too large for a float"),
    (bounds.residual(2000, 1, "tied").at, (), "too large for a float"),
    (bounds.composition("A5", 1000).at, (), "too large for a float"),
    (bounds.masked_pairs(10**200).at, (), "too large for a float"),
    (bounds.contrastive, (1e300,), "radius = 1e+300"),
    (bounds.contrastive, (1e-300,), "radius = 1e-300"),
    (bounds.rank, (3, 9), "at most 8"),
    (bounds.rank, (3, 2, 2), "multiple of the heads"),
    (bounds.rank_width, (3, 2, 2), "fewer than 2"),
    (bounds.glitch_rate(0.5, 1).at, (), "margin"),
    (bounds.looped_doubling, (8, 0), "precision = 0"),
    (logic.regular("(ab)*").counts, (-1,), "length = -1"),
    (logic.regular("(ab)*").counts, (1.5,), "length = 1.5"),
    (logic.regular, ("ab", "a"), "letters"),
    (logic.evaluate, (logic.parse("a"), ["ab", "a"]), "lengths"),
    (logic.evaluate, (logic.parse("a"), ["xyz"]), "'x'"),
    (logic.evaluate, (logic.parse("a"), np.array([[7]])), "letters must be"),
    (logic.minimal_dfa, (logic.parse("a"), "ab", "middle"), "'middle'"),
    (logic.minimal_dfa, (logic.parse("a"), "bc"), "'a'"),
    (logic.minimal_dfa, (logic.parse("a"), "aa"), "none twice"),
    (logic.minimal_dfa, (logic.parse("#[a] >= 1"),), "counts"),
    (automata.semiautomaton, ([],), "no states"),
    (automata.semiautomaton, ([[]],), "no states"),
    (automata.semiautomaton, ([[0, 1], [1]],), "partial"),
    (automata.semiautomaton, ([[0, 2], [1, 0]],), "not a state"),
    (automata.semiautomaton, ([[0, -1], [1, 0]],), "not a state"),
    (automata.semiautomaton, ([[0, True], [1, 0]],), "not a state"),
    (automata.semiautomaton, ([[0, 0.5], [1, 0]],), "not a state"),
    (automata.semiautomaton, ([[0, None], [1, 0]],), "not a state"),
    (automata.semiautomaton, (5,), "rows"),
    (automata.semiautomaton, (None,), "rows"),
    (automata.semiautomaton, ([1, 2],), "rows"),
    (automata.semiautomaton(_TABLE).run, ((0, 2), 0), "letter 2"),
    (automata.semiautomaton(_TABLE).run, ((0,), 5), "state 5"),
    (automata.semiautomaton(_TABLE).run, ((-1,), 0), "letter -1"),
    (groups.group, (np.array([[0, 1], [1, 1]]),), "inverses"),
    (groups.group, (np.array([[0, 1], [0, 1]]),), "identity"),
    (groups.group, (np.array([[0, 5], [1, 0]]),), "closure"),
    (groups.group, (np.array([[0.0, 1.0], [1.0, 0.0]]),), "integers"),
    (groups.group, (np.zeros((2, 3), int),), "square"),
    (groups.group, (np.zeros((0, 0), int),), "square"),
    (groups.group, ([(0, 0)],), "permutation"),
    (groups.group, ([(1, 0), (1, 2, 0)],), "permutation"),
    (groups.FiniteGroup.from_matrices, ([[[1, 1]]], 3), "square"),
    (groups.FiniteGroup.from_matrices, ([[[0, 0], [0, 0]]], 3), "inverse"),
    (groups.fourier, (groups.group("C3"), [1, 2]), "3"),
    (groups.semidirect_product, (groups.group("C3"), groups.group("C2"), [[0, 1]]), "shape"),
    (groups.semidirect_product, (groups.group("C3"), groups.group("C2"), [[0, 1, 2], [0, 0, 0]]), "automorphism"),
    (lie.LieAlgebra.from_structure_constants, (np.zeros((2, 3, 2), int),), "(n, n, n)"),
    (lie.LieAlgebra.from_structure_constants, (np.zeros((0, 0, 0), int),), "(n, n, n)"),
    (lie.LieAlgebra.from_structure_constants, (np.ones((2, 2, 2), int),), "antisymmetric"),
    (lie.LieAlgebra.from_structure_constants, (np.full((2, 2, 2), 0.5),), "float64"),
    (lie.LieAlgebra.from_structure_constants, (np.full((2, 2, 2), NAN),), "float64"),
    (lie.LieAlgebra.from_matrices, ([],), "at least one matrix"),
    (lie.LieAlgebra.from_matrices, ([[[1, 2]]],), "square"),
    (lie.LieAlgebra.from_matrices, ([[[1]], [[2]]],), "linear combination"),
    (lie.LieAlgebra.from_matrices, ([[[0, 1], [0, 0]], [[0, 0], [1, 0]]],), "closed"),
    (lie.LieAlgebra.generated_by, ([[[0, 0], [0, 0]]],), "zero"),
    (lie.affine_matrix, ([[1, 2]], [1]), "(n, n)"),
    (lie.LieAlgebra.from_matrices, (5,), "sequence of square matrices"),
    (lie.LieAlgebra.generated_by, (None,), "sequence of square matrices"),
    (lie.log_product, ([], 3), "no factors"),
    (lie.log_product, ([(5, 1)], 3, 2), "0..1"),
    (lie.log_product, ([(-1, 1)], 3), "letter"),
    (lie.standard_factorization, ((1, 0),), "Lyndon"),
    (lie.multigraded_witt_dimension, ((0, 0),), "counts"),
    (lie.right_normed, ((),), "empty word"),
    (lie.from_words, ({(0, 1): 1}, 2), "Lie polynomial"),
    (lie.from_words, ({(0, 7): Fraction(1)}, 2), "0..1"),
    (lie.leading_bracket, ((),), "non-empty"),
    (lie.tower_remainder, ((0, 5), 2, 2), "0..1"),
    (lie.derived_ideal_dimension, (2, -1, 3), "k = -1"),
    (bounds.mpc, (-1, 4, 4, 8), "rounds = -1"),
    (bounds.mpc(3, 4, 4, 17).at, (), "the input of 17 words fits 4 machines with 4 words each"),
    (bounds.attention_rounds(4, 64, 8, 31).at, (), "31 words hold"),
    (protocol_rounds, ("sorting", 6), "power of two"),
    (protocol_rounds, ("prefix sums", 9, 1), "memory = 1"),
    (bounds.written_steps(64, 1).at, (), "one layer moves no pointer"),
    (steps_reach, (3, -1), "written = -1"),
    (steps_reach, (10**12, 2), "at most 10000"),
    (bounds.window_reach(8, 2, length=8).at, (), "the window is shorter than a word of 8 letters"),
    (bounds.nearest_neighbour(1, 1, 1).at, (), "context is an integer >= 2"),
    (bounds.nearest_neighbour(4, 0, 1).at, (), "beta > 0"),
    (bounds.nearest_neighbour(4, 1, 0).at, (), "margin > 0"),
    (bounds.nearest_neighbour_threshold(17, 0).at, (), "margin > 0"),
    (bounds.nearest_neighbour_threshold(17, 1, 0).at, (), "0 < error < 1"),
    (bounds.error_by_depth, ((), 2), "fewer than two letters"),
    (bounds.error_by_depth, ((0, 0), 2), "fewer than two letters"),
    (bounds.error_by_depth, ((0, -1), 2), "word = -1"),
    (bounds.error_by_depth, ((0, 1.5), 2), "word = 1.5"),
    (bounds.error_by_depth, ((0, 1), 7), "at most 6"),
    (bounds.error_by_depth, ((0, 9), 2), "3 matrices"),
    (bounds.error_by_depth, ((0, 1), 2, "nonsense"), "no Lie algebra"),
    (bounds.error_by_depth((0, 1), 2, "abelian2", 0.1).at, (), "does not vanish"),
    (bounds.error_by_depth((0, 1), 1, mass=1).at, (), "mass < 1"),
    (bounds.width_dichotomy, ("nonsense", 2), "no group is named"),
    (bounds.width_dichotomy, ("S3", HUGE), "at most 1000"),
    (bounds.width_dichotomy("S3", 1).at, (), "tokens is an integer >= 2"),
    (bounds.narrow_loss, ("nonsense", 2, 4), "no group is named"),
    (bounds.narrow_loss, ("S3", HUGE, 4), "at most 1000"),
    (bounds.narrow_loss, ("S3", 2, -1), "units = -1"),
    (bounds.narrow_loss("S3", 1, 4).at, (), "tokens is an integer >= 2"),
    (flattening_squares, ([(1, [1])], 6, 1), "length = 1"),
    (run_pair, (0,), "letters = 0"),
    (Types().of, ("ab", -1), "depth = -1"),
]


def cases(group):
    """Every case of a group as (call, positional, named, kinds of error, words of which one must be in the message)."""
    kinds = (ValueError, TypeError)
    slots = {"counts": (COUNT_SLOTS, COUNTS), "sizes": (SIZE_SLOTS, SIZES), "choices": (CHOICE_SLOTS, CHOICES)}
    for call, good, name in slots.get(group, ((), ()))[0]:
        for value in slots[group][1]:
            yield call, (), {**good, name: value}, kinds, (name, repr(value))
    for call, name, values in NAME_SLOTS if group == "names" else ():
        for value in (*values, None, 3.5, b"S3"):
            words = (name, repr(value), str(value), "expected", "regular expression", "no letters")
            yield call, (value,), {}, kinds, words
    for call, positional in EXPENSIVE if group == "expensive" else ():
        yield call, positional, {}, (TooExpensive,), ("--limit",)
    for call, positional, word in ROWS if group == "rows" else ():
        yield call, positional, {}, kinds, (word,)

"""What classes of published layers cannot do: each theorem against brute force on its smallest cases."""

import itertools

import numpy as np
import pytest

from theory import OutsideHypotheses, bounds
from theory.automata import semiautomaton
from theory.automata.classes import CLASSES, DEPTHS
from theory.automata.limits import LIMITS, _pairs_of_one_clock, class_layers, class_limits
from theory.groups import group

DRAWN = 60


def decides(table, letters_known, clock=12, longest=26):
    """Whether the length modulo a clock and the last letters decide the state before the last letter, by listing words."""
    table = np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)[np.unique(table, axis=0)]
    for start in range(len(table)):
        known = {}
        here = {((), start)}  # the last letters, and the state
        for length in range(longest):
            if length >= letters_known:
                for suffix, state in here:
                    if known.setdefault((length % clock, suffix), state) != state:
                        return False
            after = (((*suffix, letter), table[state][letter]) for suffix, state in here for letter in range(table.shape[1]))
            here = {(suffix[max(len(suffix) - letters_known, 0) :], int(state)) for suffix, state in after}
    return True


def test_a_time_invariant_layer_knows_the_length_and_the_last_letters():
    draw = np.random.default_rng(0)
    tables = [draw.integers(0, n, (n, letters)) for n in (2, 3) for letters in (1, 2) for _ in range(DRAWN // 2)]
    counts = set()
    for table in [*tables, np.array([[1], [2], [3], [3]]), np.array([[1, 1], [0, 0]])]:
        found = class_layers("time_invariant", semiautomaton(table.tolist()))
        counts.add(found.number)
        if found.number is None:
            assert not decides(table, 5)
        else:
            assert decides(table, found.number) and (found.number < 2 or not decides(table, found.number - 1))
    assert counts >= {None, 0, 1, 2}


def test_pairs_that_words_of_one_clock_reach_are_those_of_listed_words():
    draw = np.random.default_rng(3)
    tables = [draw.integers(0, n, (n, letters)) for n in (1, 2, 4, 6) for letters in (1, 2) for _ in range(DRAWN)]
    cycles = np.array([[1, 1], [2, 2], [0, 0], [4, 4], [3, 5], [5, 5]])  # of three and two states
    two_clocks = np.array([[1], [0], [3], [4], [2]])  # 27, the next multiple of three after all 25 pairs, is none of two
    for table in [*tables, cycles, two_clocks, np.roll(np.arange(7), -1)[:, None]]:
        states, clock = range(len(table)), 60 * 7
        ends = {(p, p): {p} for p in states}
        after = {p: {p} for p in states}
        for _ in range(clock):
            after = {p: {int(q) for here in found for q in table[here]} for p, found in after.items()}
        pairs = [*ends, *((p, q) for p in states for q in after[p])]
        for x, y in pairs:  # grows while it is walked
            pairs += {(int(p), int(q)) for p in table[x] for q in table[y]} - set(pairs)
        found = _pairs_of_one_clock("this", table)
        assert {(int(p), int(q)) for p, q in np.argwhere(found)} == {(p, q) for p, q in pairs if p != q}


@pytest.mark.parametrize("name", ["C1", "C2", "C6", "S3", "Q8", "C2xC2", "C7:C3", "S4", "A5"])
def test_of_a_group_generators_tell_as_much_as_all_letters_where_words_decide(name):
    every = semiautomaton(np.asarray(group(name).table))
    for kind in LIMITS:
        found, expected = bounds.layers(group=name, class_=kind).depth, class_layers(kind, every).depth
        assert (found.layers, found.fewest) == (expected.layers, expected.fewest), kind


def test_groups_of_hundreds_of_elements_are_answered():
    assert [bounds.layers(group=name, class_="time_invariant").number for name in ("S5", "C2^8")] == [None, None]
    assert [bounds.layers(group=name, class_="complex").number for name in ("S6", "S4xS3")] == [None, 3]


def test_words_of_positive_factors_turn_nothing():
    draw = np.random.default_rng(1)
    for _ in range(400):
        size = int(draw.integers(1, 5))
        word = np.eye(size)
        for _ in range(int(draw.integers(1, 6))):
            key = draw.normal(size=size)
            key /= np.linalg.norm(key)
            word = (np.eye(size) - draw.choice([draw.uniform(), 0.0, 1.0]) * np.outer(key, key)) @ word
        values = np.linalg.eigvals(word)
        assert np.abs(values[np.abs(values) > 1 - 1e-9] - 1).max(initial=0) < 1e-6
    # with strength 2 two factors turn by half a turn
    swap, other = (np.eye(2) - 2 * np.outer(k, k) for k in ([1, 0], [0, 1]))
    assert np.allclose(np.linalg.eigvals(swap @ other), -1)


def test_letters_of_rank_one_come_to_rest():
    draw, least = np.random.default_rng(2), 1.0
    for _ in range(3000):
        size = int(draw.integers(1, 6))
        key = draw.normal(size=size) * draw.choice([0.0, 1.0], size, p=[0.3, 0.7])
        key /= np.linalg.norm(key) or 1.0
        rates = draw.choice([0.0, 1.0, draw.uniform()], size)
        gates = np.exp(-np.exp(-0.5) * draw.choice([0.0, 1.0, draw.uniform()], size))
        values = np.linalg.eigvals(np.diag(gates) - np.outer(rates * key, key))
        assert np.abs(values.imag).max() < 1e-7 and values.real.max() < 1 + 1e-9
        least = min(least, values.real.min())
    assert -0.4548 < least < -0.3


ASKED = [  # group or automaton, and the layers of each class
    ("C2", {"positive": None, "signed": 1, "complex": 1, "time_invariant": None, "delta_net": None, "rank_one": None, "pd": 1}),
    ("S3", {"positive": None, "signed": None, "complex": 2, "delta_product": 1, "nonlinear": 1, "dense": 1, "pd": 1}),
    ("A5", {"complex": None, "delta_product": 1, "pd": 1, "time_invariant": None, "attention": 7}),
    ("flip_flop", {"positive": 1, "time_invariant": None, "delta_net": 1, "rank_one": 1, "window": None}),
    ([[1], [2], [0]], {"time_invariant": 1, "positive": None, "rank_one": None}),  # a clock
    ([[0, 1], [0, 1]], {"time_invariant": 0, "pd": 0, "window": 0}),  # the last letter
]


@pytest.mark.parametrize(("asked", "expected"), ASKED, ids=[str(asked)[:12] for asked, _ in ASKED])
def test_classes_of_published_layers(asked, expected):
    for name, layers in expected.items():
        found = class_layers(name, semiautomaton(asked))
        assert found.number == layers and found.depth.kind == name and found.source and found.depth.fewest <= (layers or 9)
        if layers is None:
            with pytest.raises(OutsideHypotheses):
                found.at()
        else:
            assert found.at() == layers and "suffice" in found.statement


def test_a_number_that_grows_with_the_length_is_not_said_of_every_length():
    grown, constant = (class_layers("attention", semiautomaton(name)) for name in ("A5", "S3"))
    assert "words of up to 100 letters" in grown.bound.quantity and "words of any length" in constant.bound.quantity
    for length in (1, 2, 32, 64):  # a long enough cascade is overtaken by doubling on short words
        for name in ("A5", "S3", "dyck3", "C2"):
            found = class_layers("attention", semiautomaton(name), length=length)
            same = found.number == class_layers("attention", semiautomaton(name), length=10**6).number
            assert same == ("words of any length" in found.bound.quantity)


def test_words_that_permute_where_no_letter_does_are_not_decided_for_rank_one():
    crossed = semiautomaton([[2, 0], [3, 1], [2, 1], [3, 0]])  # both letters are idempotent, and together they swap 0 and 1
    assert not crossed.is_aperiodic and class_layers("delta_net", crossed).number is None
    with pytest.raises(ValueError, match="not known: no letter counts by itself"):
        class_layers("rank_one", crossed)


@pytest.mark.parametrize("name", LIMITS)
def test_every_class_says_what_it_can_and_cannot(name):
    found = class_limits(name)
    assert found.limits.can and found.limits.cannot and found.limits.what and found.source
    assert set(found.details) == {"in words", "published", "can", "cannot"}
    laws = {"abelian": 1, "positive": 2, "signed": 2, "complex": 2, "time_invariant": 2}
    assert found.at() == laws.get(name, 0)
    assert name in LIMITS and (name not in CLASSES or set(DEPTHS) <= set(LIMITS))


def test_unknown_classes_are_refused():
    for ask in (class_limits, lambda name: class_layers(name, semiautomaton("S3"))):
        with pytest.raises(ValueError, match="did you mean 'delta_net'"):
            ask("deltanet")
    assert bounds.layers  # the door of these answers


@pytest.mark.parametrize(
    ("layer", "classes"),
    {
        "mamba": "'positive' has",
        "mamba2": "'positive' has",
        "GLA": "'positive' has",
        "linear attention": "'positive' has",
        "s4": "'time_invariant' has",
        "rwkv7": "'rank_one' has",
        "transformer": "'attention' has",
        "signed_mamba": "'signed' has",
        "LSTM": "'dense' and 'nonlinear' have",
        "gru": "'nonlinear' has",
    }.items(),
)
def test_a_layers_own_name_finds_its_class(layer, classes):
    with pytest.raises(ValueError, match=f"{layer!r}: {classes} such layers"):
        class_limits(layer)


@pytest.mark.parametrize("name", ["s", "", "ss", "-"])
def test_a_name_of_nothing_finds_no_class(name):
    with pytest.raises(ValueError, match=f"{name!r}: (did you mean .*|)the classes are"):
        class_limits(name)


TRUTHS = {"P a": lambda word: "a" in word[:-1], "Y Y a": lambda word: word[-3:-2] == "a", "a S b": lambda word: since(word)}


def since(word):
    """Whether, before the last letter, there was a b with nothing but a after it."""
    return any(letter == "b" and set(word[place + 1 : -1]) <= {"a"} for place, letter in enumerate(word[:-1]))


@pytest.mark.parametrize("formula", TRUTHS)
@pytest.mark.parametrize("name", ["window", "time_invariant", "positive", "dense"])
def test_layers_of_a_formula_are_those_of_an_automaton_whose_state_tells_its_truth(formula, name):
    words = ["", *("".join(word) for length in range(1, 6) for word in itertools.product("ab", repeat=length))]

    def row(word):
        """What Myhill and Nerode tell words apart by: the truth after every short continuation."""
        return tuple(bool(word + rest) and TRUTHS[formula](word + rest) for rest in words[:15])

    states = {row(word): word for word in reversed(words)}  # a shortest word of each
    numbers = {each: number for number, each in enumerate(states)}
    table = [[numbers[row(word + letter)] for letter in "ab"] for word in states.values()]
    found = bounds.layers(formula=formula, letters="ab", class_=name)
    assert found.number == class_layers(name, semiautomaton(table)).number


def test_a_formula_that_looks_ahead_or_counts_has_no_automaton_to_follow():
    with pytest.raises(ValueError, match="later letters"):
        bounds.layers(formula="F b", class_="window")
    with pytest.raises(OutsideHypotheses, match="compares no counts"):
        bounds.layers(formula="#[a] >= 2", class_="window")
    with pytest.raises(ValueError, match="finitely many states"):
        bounds.layers(algebra="se2", class_="window")

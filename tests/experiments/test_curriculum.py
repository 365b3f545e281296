"""Words that grow, and letters that are chosen: against shorter words and brute force; what is refused."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.tasks.followed import AutomatonWords
from depthjax.tasks.words import GroupWords
from depthjax.training import Recipe
from experiments.studies.ceilings import order_blind
from experiments.studies.configuration import SweepError
from experiments.studies.curriculum import Clocked, check, counted, length_at
from experiments.studies.published import Row
from experiments.studies.reading import read
from experiments.studies.schema import NOWHERE
from experiments.studies.study import Study, loss_of, train
from experiments.studies.tasks import letters_of, moves_of, sampler
from theory.automata import Semiautomaton
from theory.bounds import ceiling
from theory.groups import group


@pytest.mark.parametrize("model", ["transformer", "lstm"])
def test_the_loss_of_a_part_of_the_words_is_that_of_shorter_words(model):
    study = Study(follows="S3", model=model, width=8, depths=(1,), length=6, curriculum=(2, 6))
    words = sampler(study)
    network = study.network(words)
    loss = loss_of(network, words)
    begin, grown, _ = counted(study.curriculum, 10, True, network.init, loss, lambda *_: {})
    start = jax.jit(begin)(jax.random.key(0))
    of_a_part = jax.jit(lambda clock, batch: grown(start._replace(clock=clock), batch, 1))
    of_words = jax.jit(lambda batch: loss(start.params, batch, 1))
    whole = words.sample(jax.random.key(1), 4, 6)
    short = whole._replace(tokens=whole.tokens[:, :3], labels=whole.labels[:, :3], weights=whole.weights[:, :3])
    for clock, batch in ((0, short), (4, short), (5, whole), (9, whole)):
        value, metrics = of_a_part(jnp.float32(clock), whole)
        assert value == pytest.approx(float(of_words(batch)[0]), rel=1e-5)
        # a run stops at what it knows of whole words
        assert metrics["token"] == pytest.approx(float(of_words(whole)[1]["token"]), rel=1e-6)


def test_a_training_counts_its_steps_and_tests_whole_words():
    recipe = Recipe(40, 1e-2, record_every=20)
    study = Study(
        follows="C2", model="rnn", width=4, depths=(1, 2), seeds=2, length=4, curriculum=(2, 4), tests=8, recipe=recipe
    )
    found = train(study, jax.random.key(0), sampler(study))
    assert isinstance(found.fit.params, Clocked) and (found.fit.params.clock == 40).all() and (found.fit.failed < 0).all()
    assert found.test["sequence_1x"].shape == (2, 2)


@pytest.mark.parametrize("steps", [3, 7, 12])
def test_every_length_has_its_part_of_the_steps(steps):
    lengths = [int(length_at((1, 2, 5), steps, jnp.float32(step))) for step in range(steps)]
    assert lengths == sorted(lengths) and lengths[0] == 1 and lengths[-1] == 5
    assert max(map(lengths.count, (1, 2, 5))) - min(map(lengths.count, (1, 2, 5))) <= 1


@pytest.mark.parametrize(
    ("curriculum", "words"),
    [
        ((4, 8), "never reaches the length of the tests, 16"),
        ((8, 32), "goes beyond the length of the tests"),
        ((8, 4, 16), "that grow"),
        ((8, 8, 16), "that grow"),
        ((0, 16), "above 0"),
    ],
)
def test_a_curriculum_that_does_not_grow_to_the_tests_is_refused(curriculum, words):
    with pytest.raises(ValueError, match=words):
        check(curriculum, 16)
    with pytest.raises(ValueError, match=words):
        Study(length=16, curriculum=curriculum)


def test_whole_words_have_no_curriculum():
    with pytest.raises(ValueError, match="asks for whole words"):
        Study(task="alternation", follows=2, length=8, curriculum=(4, 8))


@pytest.mark.parametrize("name", ["D3", "D4", "Q8", "S4", "A5", "C2xC2xC2"])
def test_usual_letters_are_those_of_the_group(name):
    finite = group(name)
    assert letters_of(name, "all") == list(range(finite.order))
    assert letters_of(name, "generators") == [0, *finite.generators]
    assert letters_of(name, [finite.names[element] for element in (0, *finite.generators)]) == [0, *finite.generators]


def test_toggle_and_drive_move_as_a_reflected_walk_on_a_circle():
    """The state of the authors' builder of data: a side, and a place that is driven one way or the other."""
    study = Study(follows="D4", letters={"D4": ["(2 4)", "(1 2 3 4)"]}, bos=False)
    words = sampler(study)
    assert isinstance(words, AutomatonWords)
    table = np.asarray(words.table)
    ends = {}
    for word in (word for length in (5, 6) for word in itertools.product((0, 1), repeat=length)):
        state, side, place = 0, 0, 0
        for letter in word:
            state = int(table[state, letter])
            side, place = (1 - side, place) if letter == 0 else (side, (place + (-1) ** side) % 4)
        assert ends.setdefault(state, (side, place)) == (side, place)
    assert len(set(ends.values())) == len(ends) == 8


@pytest.mark.parametrize(
    ("name", "letters", "words"),
    [
        ("D4", ["e", "(1 2 3 4)"], "generate 4 of 8 elements"),
        ("S4", ["(1 2)", "(1 2 3)"], "no element|generate 6 of 24"),
        ("D4", ["(2 4)", "(2 4)", "(1 2 3 4)"], "each element once"),
        ("D4", [99], "no element"),
        ("D4", [True], "no element"),
        ("D4", [], "a list of elements"),
        ("D4", "some", "a list of elements"),
    ],
)
def test_letters_that_do_not_generate_are_refused(name, letters, words):
    with pytest.raises(ValueError, match=words):
        letters_of(name, letters)


@pytest.mark.parametrize(
    ("letters", "words"),
    [([0], "reach 1 of the 4 states"), ([0, 3], "numbers from 0 to 2"), ([0, 0], "each once"), ([], "numbers")],
)
def test_letters_of_an_automaton_that_reach_less_are_refused(letters, words):
    with pytest.raises(ValueError, match=words):
        moves_of("gridworld4", letters)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('groups = ["D4"]\n[letters]\nD4 = ["(1 2 3 4)"]', "letters.D4: .*generate 4 of 8"),
        ('groups = ["D4"]\n[letters]\nS3 = ["(1 2)"]', "letters = 'S3'"),
        ('groups = ["D4"]\nletters = { D4 = "all" }', "expected a list of letters"),
        ('task = "hops"\nletters = { D4 = [1] }', "would be ignored"),
        ('task = "automaton"\nautomata = ["gridworld4"]\nletters = { gridworld4 = [1] }', "reach 1 of the 4"),
        ("length = 16\ncurriculum = [4, 8]", "never reaches"),
        ("length = 4\ncurriculum = [1, 2, 4]\n[recipe]\nsteps = 2\nrecord_every = 1", "3 lengths and the training 2 steps"),
        ("[recipe]\nstop_metric = 'token'\nstop_at = 2", "stop_at = 2: expected a number above 0 and at most 1"),
        ('task = "hops"\nhops = [1, 5]\nlength = 6', "hops = 5: a position of a word of 6 letters has 4 hops at most"),
        ('task = "asked_hops"\nlargest_hops = [1]\nlength = 2', "a position of a word of 2 letters has 0 hops at most"),
    ],
)
def test_a_file_with_wrong_letters_or_lengths_is_refused(tmp_path, text, words):
    (file := tmp_path / "x.toml").write_text(text)
    with pytest.raises(SweepError, match=words):
        read(file)


def test_hops_end_two_letters_before_the_end_of_a_word():
    """The most hops of any position of any word whose neighbours differ, by enumeration."""

    def hops(word, place):
        before = next((other for other in reversed(range(place)) if word[other] == word[place]), None)
        return 0 if before is None else 1 + hops(word, before + 1)

    for length in range(2, 8):
        words = [w for w in itertools.product(range(3), repeat=length) if all(a != b for a, b in itertools.pairwise(w))]
        assert max(hops(word, place) for word in words for place in range(length)) == length - NOWHERE


def test_a_ceiling_is_that_of_the_letters_which_occur():
    row = Row({"group": "D4", "depth": 1}, {}, "token_1x", "best", 0.0, "talk")
    here = {"task": "words", "alphabet": "generators", "length": 5, "bos": False}
    chosen = ["(2 4)", "(1 2 3 4)"]
    assert order_blind(row, here | {"letters": {"D4": chosen}}) == float(ceiling("D4", 5, letters=chosen, last=1).mean)
    assert order_blind(row, here) == float(ceiling("D4", 5, last=1).mean)
    grid = Row({"automaton": "gridworld4", "depth": 1}, {}, "token_1x", "best", 0.0, "talk")
    there = {"task": "automaton", "length": 5, "bos": False}
    two = Semiautomaton(moves_of("gridworld4", [0, 2]), "gridworld4")
    assert order_blind(grid, there | {"letters": {"gridworld4": [0, 2]}}) == float(ceiling(two, 5, last=1).mean)


def test_all_letters_of_a_group_are_its_cayley_table():
    assert isinstance(sampler(Study(follows="S3")), GroupWords)

"""Samplers of one shape: every label is what a person reads off the word, and sweeps reach all of them."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest

from depthjax.tasks.followed import AlternationWords, AutomatonWords, DyckWords, HopWords
from experiments import cli
from experiments.studies.configuration import SweepError
from experiments.studies.reading import read
from experiments.studies.tasks import table_of

PARITY = np.array([[0, 1], [1, 0]])
LENGTH = 12


def state(word, table):
    found, now = [], 0
    for letter in word:
        now = table[now][letter]
        found.append(now)
    return found


def innermost(word, types):
    found, stack = [], []
    for letter in word:
        stack.append(letter) if letter < types else stack.pop()
        found.append(stack[-1] if stack else types)
    return found


def hop(word, hops, none):
    def once(i):  # one-based
        return max((j for j in range(2, i + 1) if word[j - 2] == word[i - 1]), default=0)

    found = []
    for i in range(1, len(word) + 1):
        for _ in range(hops):
            i = once(i) if i else 0
        found.append(word[i - 1] if i else none)
    return found


def in_blocks(word, blocks):
    count = [1 + (word[0] == 1) + sum(word[i] != word[i - 1] for i in range(1, end)) for end in range(1, len(word) + 1)]
    return [int(word[0] == 0 and number == blocks) for number in count]


SAMPLERS = {
    "automaton": (AutomatonWords(PARITY, False), lambda word: state(word, PARITY), 0),
    "dyck": (DyckWords(2, 3, False), lambda word: innermost(word, 2), 2),
    "hops": (HopWords(2, 3, False), lambda word: hop(word, 2, 3), 3),
    "alternation": (AlternationWords(3, False), lambda word: in_blocks(word, 3), 0),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_labels_are_those_of_a_person(key, name):
    sampler, labels, first = SAMPLERS[name]
    batch = sampler.sample(key, 20, LENGTH)
    words = np.asarray(batch.tokens)
    assert words.shape == (20, LENGTH) and words.max() < sampler.letters and (np.asarray(batch.weights) == 1).all()
    np.testing.assert_array_equal(batch.labels, [labels(word.tolist()) for word in words])
    assert 0 <= np.min(batch.labels) and np.max(batch.labels) < sampler.classes
    begun = type(sampler)(**vars(sampler) | {"bos": True}).sample(key, 20, LENGTH)
    np.testing.assert_array_equal(begun.tokens[:, 1:], batch.tokens)
    assert (np.asarray(begun.tokens[:, 0]) == sampler.letters).all() and (np.asarray(begun.labels[:, 0]) == first).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: AutomatonWords(np.array([[0, 2], [1, 0]])), "is a state"),
        (lambda: AutomatonWords(np.zeros((0, 2), int)), "is a state"),
        (lambda: DyckWords(0), "types must be at least 1"),
        (lambda: DyckWords(1, 0), "nesting must be at least 1"),
        (lambda: HopWords(0), "hops must be at least 1"),
        (lambda: HopWords(1, 1), "alphabet must be at least 2"),
        (lambda: AlternationWords(0), "blocks must be at least 1"),
        (lambda: AlternationWords(5).sample(jax.random.key(0), 2, 4), "length must be at least 5"),
    ],
)
def test_sizes_without_words_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_an_automaton_is_a_name_an_expression_or_a_table():
    np.testing.assert_array_equal(table_of("parity"), PARITY)
    np.testing.assert_array_equal(table_of("[[0, 1], [1, 0]]"), PARITY)
    assert table_of("regex:(ab)*").shape == (3, 2)
    assert table_of("regex:(aa)*").shape == (2, 1) and table_of('{"regex": "(aa)*", "letters": "ab"}').shape == (3, 2)
    for text in ("party", "[[0, 1]", "[[0, 5]]", "regex:(", "[" * 10_000, '["a"]'):
        with pytest.raises(ValueError):
            table_of(text)


SWEEPS = {
    "automaton": 'automata = ["parity", "flip_flop", "regex:(ab|/c)*d", "[[0, 1], [1, 0]]"]',
    "dyck": "nestings = [2]",
    "hops": "hops = [1, 2]",
    "alternation": "blocks = [2]",
}
REST = "models = ['rnn']\nwidths = [4]\nbatches = [8]\ndepths = [1]\nseeds = 2\nlength = 4\ntests = 20\n[recipe]\nsteps = 10\n"


@pytest.mark.parametrize("task", SWEEPS)
def test_a_sweep_reaches_every_task(task, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(f"task = '{task}'\n{SWEEPS[task].replace('|/c', '|c')}\n{REST}")
    studies = read(file).studies()
    assert len(studies) == {"automaton": 4, "dyck": 1, "hops": 2, "alternation": 1}[task]
    assert all("/" not in name and len(name) < 100 for name in studies)
    if task == "alternation":
        file.write_text(f"task = '{task}'\nblocks = [5]\n{REST}")
        with pytest.raises(SweepError, match="words of 4 letters have no 5 blocks"):
            read(file)
    for wrong in ("groups = ['S3']", SWEEPS["dyck" if task != "dyck" else "hops"]):
        file.write_text(f"task = '{task}'\n{wrong}\n{REST}")
        with pytest.raises(SweepError, match=f"the task '{task}' follows .*; leave it out"):
            read(file)


@pytest.mark.slow
def test_a_sweep_trains_on_an_automaton(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("sweep.toml").write_text(f"task = 'automaton'\nautomata = ['regex:(ab)*']\n{REST}")
    assert cli.main(["sweep", "sweep.toml", "--out", "out", "--json"]) == 3  # theory predicts nothing here
    (line,) = json.loads(capsys.readouterr().out)
    assert line["cell"].startswith("automaton=regex:_ab_.") and 0 <= line["best"]["sequence_1x"] <= 1
    assert Path("out/figure.svg").exists()

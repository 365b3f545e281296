"""Sweeps reach every task of words, and an automaton is given by its name, an expression or a table."""

import json
from pathlib import Path

import numpy as np
import pytest

from experiments import cli
from experiments.studies.configuration import SweepError
from experiments.studies.reading import read
from experiments.studies.tasks import table_of

PARITY = np.array([[0, 1], [1, 0]])


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
    "acceptance": 'automata = ["regex:(ab)*", \'{"table": [[0, 1], [1, 0]], "accepting": [1]}\']',
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
    assert len(studies) == {"automaton": 4, "acceptance": 2, "dyck": 1, "hops": 2, "alternation": 1}[task]
    assert all("/" not in name and len(name) < 100 for name in studies)
    if task == "alternation":
        file.write_text(f"task = '{task}'\nblocks = [5]\n{REST}")
        with pytest.raises(SweepError, match="words of 4 letters have no 5 blocks"):
            read(file)
    for wrong in ("groups = ['S3']", SWEEPS["dyck" if task != "dyck" else "hops"]):
        file.write_text(f"task = '{task}'\n{wrong}\n{REST}")
        with pytest.raises(SweepError, match=f"the task '{task}' follows .*; leave it out"):
            read(file)


def test_the_label_may_be_what_is_accepted(tmp_path):
    import jax

    from depthjax.tasks.followed import AcceptedWords
    from experiments.studies.tasks import TASKS
    from theory.automata import regular, write_automaton

    dfa = regular("(a|b)*ab", "ab")
    path = write_automaton(dfa, tmp_path / "ends.hoa")
    for bos in (False, True):
        words = TASKS["acceptance"].words(str(path), "all", bos)
        batch = words.sample(jax.random.key(0), 8, 6)
        for tokens, labels in zip(np.asarray(batch.tokens), np.asarray(batch.labels), strict=True):
            plain = tokens[bos:]
            expected = [bool(dfa.accepts(plain[:end])) for end in range(1 - bos, 7)]
            assert labels.tolist() == expected
    np.testing.assert_array_equal(table_of(str(path)), dfa.automaton.table)
    with pytest.raises(ValueError, match="one truth value"):
        AcceptedWords(PARITY, np.array([True]))
    file = tmp_path / "sweep.toml"
    file.write_text(f"task = 'acceptance'\nautomata = ['parity']\n{REST}")
    with pytest.raises(SweepError, match="does not say which states accept"):
        read(file)
    file.write_text(f"task = 'acceptance'\nautomata = ['nowhere.hoa']\n{REST}")
    with pytest.raises(SweepError, match="no such file"):
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

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
    (line,) = json.loads(capsys.readouterr().out)["cells"]
    assert line["cell"].startswith("automaton=regex:_ab_.") and 0 <= line["best"]["sequence_1x"] <= 1
    assert Path("out/figure.svg").exists()


def words_file(path, longest=8, rows=300):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab"), rng.integers(1, longest + 1))) for _ in range(rows)]
    path.write_text("input,accepted\n" + "".join(f"{word},{word.count('a') % 2}\n" for word in words))
    return path


OF_FILE = REST.replace("length = 4", "length = 6")


def test_a_sweep_reads_words_of_a_file(tmp_path, monkeypatch):
    import jax

    from experiments.studies.tasks import sampler

    monkeypatch.chdir(tmp_path)
    words_file(tmp_path / "mine.csv")
    head = "task = 'file'\nfiles = ['mine.csv']\n"
    names = []
    for bos in (True, False):
        (tmp_path / "sweep.toml").write_text(
            f"{head}bos = {str(bos).lower()}\n{OF_FILE}[words]\nshares = [0.6, 0.2, 0.2]\nkey = 3\n"
        )
        ((name, study),) = read(Path("sweep.toml")).studies().items()
        names.append(name)
        found = sampler(study)
        assert (found.letters, found.classes, found.bos) == (2 + bos, 2, bos)
        batch = found.sample(jax.random.key(0), 64, 6)
        assert batch.tokens.shape == (64, 6 + bos)
        for tokens, labels, weights in zip(*map(np.asarray, batch), strict=True):
            (place,) = np.flatnonzero(weights)
            assert labels[place] == np.sum(tokens[bos : place + 1] == 0) % 2
        assert found.train.ends.max() <= 6 < found.test.ends.max() == 8
    assert names[0] == names[1] and names[0].startswith("file=mine.csv.")
    words_file(tmp_path / "mine.csv", rows=299)
    (other,) = read(Path("sweep.toml")).studies()
    assert other != names[0]  # other words are another cell


BAD_WORDS = [
    ("", "expected the words of the task 'file'"),
    ("files = ['nowhere.csv']", r"nowhere\.csv cannot be read \(No such file"),
    ("files = ['empty.csv']", "empty.csv is empty"),
    ("files = ['mine.csv']\nalphabet = 'all'", "alphabet: the file holds the words"),
    ("files = ['mine.csv']\nsamples = 9", "samples: the file holds the words"),
    ("files = ['mine.csv']\ngroups = ['S3']", "groups: the task 'file' follows files"),
    ("files = ['mine.csv']\nlength = 3", "longest word has 8 letters.*set length = 4 or more"),
    ("files = ['mine.csv']\n[words]\nletters = ['a']", "the letter 'b' is none of a"),
    ("files = ['mine.csv']\n[words]\nletters = 'ab'", "letters = 'ab': expected a list of names"),
    ("files = ['mine.csv']\n[words]\nlabel = 'nobody'", "none is 'nobody'"),
    ("files = ['mine.csv']\n[words]\nlabel = 3", "expected the name of a column"),
    ("files = ['mine.csv']\n[words]\nlabels = 'a'", "the key 'labels': there are word, label"),
    ("files = ['mine.csv']\n[words]\nshares = [0.5, 0.5]", "three numbers above 0"),
    ("files = ['mine.csv']\n[words]\nkey = 'x'", "expected an integer"),
    ("files = ['mine.csv']\n[words]\npart = 'accepted'\nkey = 1", "words.key: the column 'accepted' says the parts"),
    ("files = ['mine.csv']\n[words]\npart = 'accepted'", "accepted = '.': expected train, validation or test"),
]


@pytest.mark.parametrize(("lines", "said"), BAD_WORDS, ids=range(len(BAD_WORDS)))
def test_what_is_no_file_of_words_is_refused(lines, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words_file(tmp_path / "mine.csv")
    (tmp_path / "empty.csv").write_text("")
    rest = OF_FILE.replace("length = 6\n", "") if "length" in lines else OF_FILE
    above, _, table = lines.partition("\n[words]")
    (tmp_path / "sweep.toml").write_text(f"task = 'file'\n{above}\n{rest}{'[words]' + table if table else ''}\n")
    with pytest.raises(SweepError, match=said):
        read(Path("sweep.toml"))


def test_a_table_of_words_needs_its_task(tmp_path):
    (tmp_path / "sweep.toml").write_text(f"task = 'dyck'\n{REST}[words]\nkey = 1\n")
    with pytest.raises(SweepError, match=r"\[words\]: the task 'dyck' reads no file of words"):
        read(tmp_path / "sweep.toml")


@pytest.mark.slow
def test_a_sweep_trains_on_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words_file(tmp_path / "mine.csv")
    Path("sweep.toml").write_text(f"task = 'file'\nfiles = ['mine.csv']\n{OF_FILE}")
    assert cli.main(["sweep", "sweep.toml", "--out", "out", "--json"]) == 3
    (line,) = json.loads(capsys.readouterr().out)["cells"]
    assert line["cell"].startswith("file=mine.csv.") and set(line["tests"]) == {
        "token_1x",
        "sequence_1x",
        "token_2x",
        "sequence_2x",
        "prefix_1x",
        "prefix_2x",
    }
    assert Path("out/figure.svg").exists()

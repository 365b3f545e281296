"""Every bad command line ends with exit code 2 and one sentence that says what was wrong, and nothing was trained."""

import shlex

import pytest

from experiments import cli
from experiments.studies import cell as _cell
from tests.experiments import bad_commands

FILES = {
    "binary.json": bytes(range(256)),
    "latin.json": '{"table": [[0]], "name": "é"}'.encode("latin-1"),
    "empty.json": b"",
    "number.json": b"3",
    "object.json": b"{}",
    "ragged.json": b"[[0, 1], [1]]",
    "outside.json": b"[[0, 2], [1, 0]]",
    "text.json": b'[["0", "1"], ["1", "0"]]',
    "none.json": b"[[null, 1], [1, 0]]",
    "initial.json": b'{"table": [[0, 1], [1, 0]], "initial": "first"}',
    "lost.json": b'{"table": [[0], [0]], "initial": 0}',
    "deep.json": b"[" * 100_000,
    "regex.json": b'{"regex": "("}',
    "good.toml": b"",
    "unknown.toml": b"modles = ['rnn']",
    "wrong.py": b"x = 1\n\ny = = 2\n",
    "raises.py": b"x = 1\ny = {}['x']\n",
    "exits.py": b"import sys\nsys.exit(0)\n",
    "half.json": b"[[1]",
    "network.py": b"import sys\nimport numpy as np\ndef network(tokens): return np.cumsum(tokens, 1) % 2\n"
    b"def matrix(letter): return np.eye(2) * (1 + letter)\ndef leaves(tokens): sys.exit(0)\n"
    b"transitions = np.eye(3)[[[1, 2, 0], [1, 0, 2]]]\ndef strange(a, b, c): return 0\n"
    b"def bent(h, letter):\n    import jax.numpy\n    return jax.numpy.tanh(h)\n",
}


# a table stands before what cannot be said of the object
DESCRIBED = [["bound", name] for name in ("automaton", "group", "layers", "width-dichotomy")]


@pytest.fixture
def refused(monkeypatch, capsys, tmp_path):
    """The check that a line is refused in one sentence with all these words; returns what is wrong, or None."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DEPTHJAX_CATALOGUE", raising=False)
    monkeypatch.setattr(_cell, "train", lambda *arguments, **options: pytest.fail("something was trained"))
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    for name in ("folder.json", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "folder.json" / "notes").write_text("mine")

    def files():
        return {file for file in tmp_path.rglob("*") if "__pycache__" not in file.parts} - {tmp_path / "bad.toml"}

    there = files()

    def check(arguments, *words):
        try:
            code = cli.main(arguments)
        except Exception as error:
            return arguments, f"{type(error).__name__}: {error}"
        out, err = capsys.readouterr()
        fine = code == 2 and len(err.strip().splitlines()) == 1 and all(word in err for word in words)
        fine = fine and (not out or arguments[:2] in DESCRIBED) and files() == there
        return None if fine else (arguments, code, out[:200], err[:500])

    return check


def told(failures):
    wrong = [failure for failure in failures if failure]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("query", bad_commands.QUERIES)
def test_numbers_that_a_bound_refuses(refused, query):
    good, counts, measures = bad_commands.QUERIES[query]
    options = [(name, value) for name in counts for value in bad_commands.NUMBERS]
    options += [(name, value) for name in measures for value in bad_commands.MEASURES]
    told(refused(["bound", query, *good.split(), f"--{name}", value], name) for name, value in options)


def test_lines_that_are_refused(refused):
    told(refused(shlex.split(line), *words) for line, *words in bad_commands.LINES)


@pytest.mark.parametrize("name", bad_commands.NAMES)
def test_names_that_nothing_has(refused, name):
    told(refused([word.format(bad_commands.NAMES[name]) for word in line.split()]) for line in bad_commands.NAMED)


def test_sweeps_that_are_refused_before_training(refused, tmp_path):
    def one(text, *words):
        (tmp_path / "bad.toml").write_text(text)
        return refused(["sweep", "bad.toml", "--out", "out"], "bad.toml", *words)

    told(one(*case) for case in bad_commands.SWEEPS)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("glitch --margin 0 --length 10 --ignore 0.5", "1"),
        ("residual --depth 100000 --scale 0.001", "1.1051"),
        ("sensitivity --depth 100000 --norm admin", "11.0901"),
        ("automaton parity --limit 3", "1"),
        ("logic 'a S b S a S a S a S a S a S a S a S a S a'", "10"),
    ],
)
def test_what_is_large_and_cheap_is_answered(capsys, line, words):
    assert cli.main(["bound", *shlex.split(line)]) == 0
    assert words in capsys.readouterr().out

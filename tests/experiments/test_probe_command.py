"""``depthjax probe`` on files as users write them."""

import json

import numpy as np
import pytest

from experiments.cli import main
from tests.depthjax import published_layers as blocks

FILE = """
import numpy as np
import jax
import jax.numpy as jnp
transitions = np.eye(3)[[[1, 2, 0], [1, 0, 2]]]
pair = np.ones((2, 1, 1)) / 2, np.arange(2.0)[:, None]
def of_letter(letter): return transitions[letter]
def step(h, letter): return h * (2.0 + letter)
def bent(h, letter): return jnp.tanh(h)
def network(tokens): return jax.nn.one_hot(jnp.cumsum(tokens, 1) % 2, 2)
def strange(a, b, c): return 0
"""


@pytest.fixture
def layer(tmp_path):
    path = tmp_path / "layer.py"
    path.write_text(FILE)
    return str(path)


@pytest.mark.parametrize(
    ("name", "flags", "dimension", "orders"),
    [
        ("transitions", (), 5, []),  # a reflection is no exponential, so there is no eps
        ("of_letter", ("--letters", "2"), 5, []),
        ("pair", (), 2, ["1", "2"]),
        ("step", ("--letters", "2", "--states", "2"), 1, ["1", "2"]),
    ],
)
def test_a_recurrence_is_shown_as_json(layer, capsys, name, flags, dimension, orders):
    assert main(["probe", f"{layer}:{name}", "--json", "--depth", "1..2", *flags]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["kind"], shown["algebra_dimension"], sorted(shown["error_orders"])) == ("recurrence", dimension, orders)


def test_a_recurrence_is_shown_as_a_table_and_a_page(layer, capsys, tmp_path):
    assert main(["probe", f"{layer}:transitions", "--page", str(tmp_path / "page.html")]) == 0
    out = capsys.readouterr().out
    assert "group S3 of order 6" in out and "semisimple part" in out
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_a_network_is_shown_with_words_and_a_page(layer, capsys, tmp_path):
    flags = ("--letters", "2", "--length", "6", "--depth", "1", "--page", str(tmp_path / "page.html"))
    assert main(["probe", f"{layer}:network", *flags]) == 0
    out, page = capsys.readouterr().out, (tmp_path / "page.html").read_text()
    assert "the Cayley machine of C2" in out and "0 1 0 | 1 0 0" in out
    assert "<svg" in page and "0 1 0 | 1 0 0" in page and "<script" not in page and page.count("<table") == 2


def test_an_array_and_a_network_are_told_apart():
    import numpy as np

    from experiments.commands.probe import _kind

    assert _kind(np.ones((2, 1, 1)), None) == "recurrence"
    assert _kind(lambda tokens: np.zeros((*np.shape(tokens), 2)) if np.ndim(tokens) == 2 else 1 / 0, 2) == "network"


@pytest.fixture
def block(tmp_path):
    """Files of a block, of the same block trained, and of what it reads."""
    draw = np.random.default_rng(0)
    gla = blocks.gla(draw)
    np.savez(tmp_path / "block.npz", **gla)
    np.savez(tmp_path / "trained.npz", **{name: 2 * array for name, array in gla.items()})
    np.save(tmp_path / "letters.npy", draw.normal(size=(2, 8)))
    np.savez(tmp_path / "letters.npz", draw.normal(size=(2, 8)))
    np.savez(tmp_path / "model.npz", **{f"layers.{number}.{name}": array for number in range(2) for name, array in gla.items()})
    np.savetxt(tmp_path / "letters.csv", draw.normal(size=(2, 8)), delimiter=",")
    (tmp_path / "module.py").write_text("import numpy as np\nfound = dict(np.load('block.npz'))\n")
    return tmp_path


def test_files_of_a_block_are_asked(block, capsys, monkeypatch):
    monkeypatch.chdir(block)
    asked = ["--inputs", "letters.npy", "--json"]
    assert main(["probe", "block.npz", *asked, "--page", "block.html", "--switches", "num_heads=2"]) == 0
    found = json.loads(capsys.readouterr().out)["layer"]
    assert found["kind"] == "gla" and found["class"]["name"] == "positive" and found["is_solvable"] is True
    assert "<script" not in (block / "block.html").read_text()
    assert main(["probe", "module.py:found", *asked]) == 0
    assert json.loads(capsys.readouterr().out)["layer"]["decisions"] == found["decisions"]
    assert main(["probe", "block.npz", *asked, "--after", "trained.npz"]) == 0
    moved = json.loads(capsys.readouterr().out)
    assert moved["kind"] == "comparison" and moved["comparison"]["shift"] > 0
    assert main(["probe", "block.npz", *asked[:2]]) == 0 and "cannot, at any width" in capsys.readouterr().out


BLOCK_ERRORS = [
    (["block.npz"], "--inputs FILE.npy says"),
    (["block.npz", "--inputs", "nowhere.npy"], "nowhere.npy"),
    (["block.npz", "--inputs", "letters.npz"], "expected one array"),
    (["nowhere.npz", "--inputs", "letters.npy"], "nowhere.npz cannot be read (No such file or directory)"),
    (["block.npz", "--inputs", "letters.csv"], "letters.csv: expected one array (letters, width)"),
    (["model.npz", "--inputs", "letters.npy"], "choose one by --block, one of 'layers.0', 'layers.1'"),
    (["block.npz", "--inputs", "letters.npy", "--kind", "mamba"], "no block of mamba"),
    (["block.npz", "--inputs", "letters.npy", "--block", "layers.0"], "nothing lies under"),
    (["block.npz", "--inputs", "letters.npy", "--switches", "num_heads"], "expected NAME=VALUE"),
    (["block.npz", "--inputs", "letters.npy", "--switches", "heads=2"], "has no switch 'heads'"),
    (["block.npz", "--inputs", "letters.npy", "--switches", "num_heads=3"], "does not divide"),
    (["module.py:found", "--kind", "gla"], "belongs to a block"),
]


@pytest.mark.parametrize(("words", "said"), BLOCK_ERRORS)
def test_files_that_cannot_be_asked(block, capsys, monkeypatch, words, said):
    monkeypatch.chdir(block)
    assert main(["probe", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_matrices_that_numpy_saved_are_a_recurrence(tmp_path, capsys):
    np.save(tmp_path / "letters.npy", np.stack([np.eye(3)[[1, 0, 2]], np.eye(3)[[1, 2, 0]]]))
    assert main(["probe", str(tmp_path / "letters.npy"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["group"]["name"] == "S3"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("table.npy", np.arange(4).reshape(2, 2), "`depthjax bound group {}` reads a multiplication table"),
        ("flat.npy", np.zeros(3), "holds an array of shape (3,): expected the matrices"),
        ("objects.npy", np.array([{}], dtype=object), "expected one array"),
        ("table.csv", "0,1\n1,0\n", "`depthjax bound layers {}` reads groups and automata"),
        ("mine.hoa", "HOA: v1", "`depthjax bound layers {}` reads groups and automata"),
        ("none.npy", None, "cannot be read (No such file"),
    ],
)
def test_files_of_groups_and_automata_are_sent_to_their_command(name, content, said, tmp_path, capsys):
    path = tmp_path / name
    if isinstance(content, str):
        path.write_text(content)
    elif content is not None:
        np.save(path, content, allow_pickle=True)
    assert main(["probe", str(path)]) == 2
    err = capsys.readouterr().err
    assert said.format(path) in err and len(err.splitlines()) == 1

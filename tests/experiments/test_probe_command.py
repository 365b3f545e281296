"""``depthjax probe`` on files as users write them."""

import json

import pytest

from experiments.cli import main

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

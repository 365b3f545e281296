"""What training moved: answers that differ, answers that do not, and what cannot be compared."""

import json

import numpy as np
import pytest

from depthjax import probe
from tests.depthjax import published_layers as blocks
from tests.depthjax.test_published_layers import drawn


def test_nothing_moves_between_a_layer_and_itself():
    block, how = drawn("mamba")
    found = probe.compare(block, block, **how)
    assert found.moved == () and found.shift == 0 and (found.radii[0] == found.radii[1]).all()


def test_training_moves_the_algebra_and_the_eigenvalues():
    block, how = drawn("lru")
    still = block | {"B_re": 0 * block["B_re"], "B_im": 0 * block["B_im"]}  # nothing is read: letters are equal
    found = probe.compare(still, block, **how)
    assert {"order-blind", "dimension", "abelian layers"} <= set(found.moved) and found.shift == 0
    slow = probe.compare(block, block | {"nu_log": block["nu_log"] - 1}, **how)
    assert 0 < slow.shift < 0.2 and slow.radii[1, 0] > slow.radii[0, 0] and "dimension" not in slow.moved


def test_a_declared_switch_moves_the_class():
    block, how = drawn("delta_net")
    reports = [probe.layer(block, **how, allow_neg_eigval=switch) for switch in (False, True)]
    found = probe.compare(*reports)
    assert "class" in found.moved and found.shift > 0.1


def test_recurrences_are_compared_too_and_eigenvalues_are_paired():
    swap, turn = np.eye(3)[[1, 0, 2]], np.eye(3)[[1, 2, 0]]
    before, after = probe.recurrence(np.stack([swap, turn])), probe.recurrence(np.stack([np.eye(3), turn]))
    found = probe.compare(before, after)
    assert {"order of the group", "order-blind", "abelian layers"} <= set(found.moved)
    assert found.shift == pytest.approx(2)  # -1 became 1
    mixed = probe.recurrence(np.stack([swap, turn])[:, [1, 2, 0]][:, :, [1, 2, 0]])
    assert probe.compare(before, mixed).shift < 1e-12


def test_a_group_that_is_lost_is_an_answer_that_only_one_of_them_has():
    swap, turn = np.eye(3)[[1, 0, 2]], np.eye(3)[[1, 2, 0]]
    found = probe.compare(probe.recurrence(np.stack([swap, turn])), probe.recurrence(np.stack([swap, 0.9 * turn])))
    assert any(one.question == "solvable algebra" for one in found.answers) and found.moved


def test_pages_tables_and_plain_data(tmp_path):
    block, how = drawn("gla")
    found = probe.compare(block, {name: 1.5 * array for name, array in block.items()}, **how)
    text = found.page(tmp_path / "moved.html").read_text()
    assert "before training" in text and "<script" not in text and "|eigenvalues|" in text
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["moved"] == list(found.moved)
    assert all(len(row) == 5 for row in found.rows()) and found.summary in repr(found) and "<table" in found._repr_html_()
    sampled = probe.compare(*[blocks.m2rnn(np.random.default_rng(seed)) for seed in (0, 1)], **drawn("m2rnn")[1])
    assert np.isnan(sampled.shift) and sampled.as_dict()["shift"] is None
    sampled.page(tmp_path / "sampled.html")


def ones(letters, width):
    return {"letters": np.ones((letters, width))}


def pair(first, second, **more):
    one, how = drawn(first)
    return lambda: probe.compare(probe.layer(one, **how), second(), **more)


BAD = [
    (pair("mamba", lambda: probe.layer(drawn("lru")[0], **ones(2, 3))), ValueError, "kinds are mamba and lru"),
    (pair("mamba", lambda: probe.recurrence(np.eye(2)[None])), ValueError, "two reports of one kind"),
    (
        pair("mamba", lambda: probe.layer(drawn("mamba")[0], **ones(3, 4))),
        ValueError,
        "2 letters before and 3 after",
    ),
    (
        pair("mamba", lambda: probe.layer(drawn("mamba", states=2)[0], **ones(2, 4))),
        ValueError,
        "one layer, trained",
    ),
    (pair("mamba", lambda: drawn("mamba")[0], **ones(2, 4)), TypeError, "given together with letters"),
    (pair("mamba", lambda: drawn("mamba")[0]), ValueError, "letters= is missing"),
]


@pytest.mark.parametrize(("call", "error", "words"), BAD)
def test_what_cannot_be_compared(call, error, words):
    with pytest.raises(error, match=words):
        call()

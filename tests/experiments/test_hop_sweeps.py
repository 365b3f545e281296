"""Errors by number of hops: words that ask, their error beside a count by hand, and a sweep that is compared with the paper."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.runs.records import load
from depthjax.tasks.fixed import FixedWords
from depthjax.tasks.followed import AskedHopWords, HopWords
from depthjax.tasks.hops import hop_labels
from experiments import cli
from experiments.studies.comparison import compare
from experiments.studies.published import published
from experiments.studies.reading import read
from experiments.studies.scores import scores
from experiments.studies.study import Study
from experiments.studies.sweep import run
from experiments.studies.tasks import sampler
from experiments.studies.trained import training

TINY = """
task = "asked_hops"
largest_hops = [3]
models = ["transformer"]
widths = [8]
batches = [4]
depths = [2]
seeds = 2
length = 6
tests = 20
segments = 1
samples = 50
[recipe]
steps = 4
record_every = 2
"""


def test_a_word_is_answered_for_the_number_of_hops_that_it_asks_for(key):
    task = AskedHopWords(3, 4)
    tokens, labels, weights = task.sample(key, 64, 7)
    asked = np.asarray(tokens[:, 0]) - 4
    assert set(asked) == {0, 1, 2, 3} and task.letters == 8 and task.classes == 5
    assert (labels[:, 0] == 4).all() and (weights == 1).all() and tokens.dtype == labels.dtype == jnp.int32
    for word, label, hops in zip(tokens[:, 1:], labels[:, 1:], asked, strict=True):
        wanted = word if hops == 0 else hop_labels(word[None], 4, int(hops))[0]
        assert (label == wanted).all()


class Constant:
    """A network that answers the letter 0 everywhere."""

    def apply(self, params, tokens, depth):
        return jax.nn.one_hot(jnp.zeros(tokens.shape, int), 5)


def test_errors_count_the_positions_that_have_an_answer(key):
    task = AskedHopWords(2, 4)
    found = scores(task, Constant(), 30, 6, key, None, 1)  # type: ignore[arg-type]
    assert found["error_1x"].shape == (2,)
    for hops in (1, 2):
        words = task.asked(jax.random.fold_in(key, hops), 30, 12, jnp.full(30, hops, jnp.int32))
        answers = np.asarray(words.labels[:, 1:7])
        assert found["error_1x"][hops - 1] == pytest.approx(np.mean(answers[answers != 4] != 0))
    one = scores(HopWords(1, 4), Constant(), 30, 6, key, None, 1)["error_2x"]  # type: ignore[arg-type]
    answers = np.asarray(HopWords(1, 4).sample(key, 30, 12).labels)
    assert one == pytest.approx(np.mean(answers[answers != 4] != 0))


def test_a_fixed_training_set_has_so_many_words_and_is_the_same_for_every_key(key):
    task = FixedWords(HopWords(1, 4), key, 5)
    seen = [{tuple(row) for row in np.asarray(task.sample(jax.random.key(n), 64, 9).tokens)} for n in (1, 2)]
    assert seen[0] == seen[1] and len(seen[0]) == 5
    with pytest.raises(ValueError, match="samples"):
        FixedWords(HopWords(1, 4), key, 0)


def test_a_word_over_generators_follows_the_same_products(key):
    task = sampler(Study(follows="S3", alphabet="generators"))
    tokens, labels, _ = task.sample(key, 8, 5)
    assert tokens.max() == task.letters - 1 == 3 and labels.max() < 6


@pytest.mark.slow
def test_a_sweep_tells_the_error_of_every_number_of_hops_and_is_compared_by_it(tmp_path, capsys):
    (tmp_path / "sweep.toml").write_text(TINY)
    run(read(tmp_path / "sweep.toml"), out := tmp_path / "out")
    cell = load(next((out / "cells").glob("*.nc")))
    assert cell["error_1x"].dims == ("depth", "seed", "hops") and cell["hops"].to_numpy().tolist() == [1, 2, 3]
    # no published network was trained on a fixed set of this size
    assert not any(line.measured for line in compare(published("hop_depth"), training(out)))
    said = json.loads((out / "configuration.json").read_text())
    (out / "configuration.json").write_text(json.dumps(said | {"samples": 0}))
    found = compare(published("hop_depth"), training(out))
    assert {(line.row.cell["depth"], line.row.cell["hops"]) for line in found if line.measured} == {(2, 1), (2, 2), (2, 3)}
    figure = tmp_path / "both.svg"
    assert cli.main(["compare", str(out), "hop_depth", "--json", "--figure", str(figure)]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["measured"]["seeds"] == 2
    assert "hops 3" in figure.read_text()

"""Words and labels from files: what stands in them is drawn, a label at its letter, and no word is trained and tested on."""

import jax
import numpy as np
import pytest

from depthjax.tasks.word_files import read_words
from theory.automata import regular


def table(path, rows, head="word,label", separator=","):
    path.write_text("\n".join([head, *(separator.join(row) for row in rows)]) + "\n")
    return path


def test_every_form_says_the_same(tmp_path):
    per_letter = [("0 1 1", "0 1 0"), ("1 0", "1 1")]
    whole = [("ab", "yes"), ("b", "no")]
    found = read_words(table(tmp_path / "a.csv", per_letter, "input,target"))
    again = read_words(table(tmp_path / "a.tsv", per_letter, "seed\tInput\tTarget".replace("seed\t", ""), "\t"))
    plain = read_words(table(tmp_path / "b.csv", [("011", "010"), ("10", "11")]))
    for each in (found, again, plain):
        assert each.tokens.tolist() == [[0, 1, 1], [1, 0, 0]] and each.labels.tolist() == [[0, 1, 0], [1, 1, 0]]
        assert each.weights.tolist() == [[1, 1, 1], [1, 1, 0]] and each.letter_names == ("0", "1")
    ends = read_words(table(tmp_path / "c.csv", whole))
    assert ends.class_names == ("no", "yes") and ends.labels.tolist() == [[0, 1], [0, 0]]
    assert ends.weights.tolist() == [[0, 1], [1, 0]]
    assert read_words(tmp_path / "c.csv", classes=["yes", "no"], letters="cba").labels.tolist() == [[0, 0], [1, 0]]
    numbers = read_words(table(tmp_path / "d.csv", [("2 10 9", "10 9 2")]))
    assert numbers.letter_names == ("2", "9", "10")


def test_acceptance_is_the_label_of_the_last_letter(tmp_path):
    dfa = regular("(a|b)*ab", "ab")
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab"), rng.integers(1, 7))) for _ in range(200)]
    file = read_words(table(tmp_path / "ends.csv", [(w, str(int(dfa.accepts(w)))) for w in words], "word,accepted"))
    batch = file.sample(jax.random.key(0), 64, 6)
    for tokens, labels, weights in zip(*map(np.asarray, batch), strict=True):
        (place,) = np.flatnonzero(weights)
        assert labels[place] == dfa.accepts(tokens[: place + 1].astype(int))
    train, test = file.split(0.3)
    assert len(train) + len(test) == 200 and 30 < len(test) < 90
    seen = [
        {(*row, *weights) for row, weights in zip(p.tokens.tolist(), p.weights.tolist(), strict=True)} for p in (train, test)
    ]
    assert not seen[0] & seen[1]
    with pytest.raises(ValueError, match="stands behind it"):
        file.sample(jax.random.key(0), 4, 3)


def test_the_file_decides_whether_labels_are_spelled(tmp_path):
    for said in ("True False", "yes no"):  # as many characters as a word has letters
        yes, no = said.split()
        found = read_words(table(tmp_path / "a.csv", [("abab", yes), ("babab", no), ("aba", yes), ("ab", no), ("b", yes)]))
        assert set(found.class_names) == {yes, no} and found.weights.sum(axis=1).tolist() == [1, 1, 1, 1, 1]
    mixed = table(tmp_path / "b.csv", [("aba", "red"), ("ab", "blue")])
    with pytest.raises(ValueError, match=r"row 2 has as many characters as its word has letters, and that in row 3 has not"):
        read_words(mixed)
    assert read_words(mixed, classes=["red", "blue"]).weights.tolist() == [[0, 0, 1], [0, 1, 0]]
    tens = table(tmp_path / "c.csv", [("ab", "10"), ("ba", "11")])
    assert read_words(tens).labels.tolist() == [[1, 0], [1, 1]]
    assert read_words(tens, classes=["10", "11"]).labels.tolist() == [[0, 0], [0, 1]]


@pytest.mark.needs("pandas", "pyarrow")
def test_parquet_is_read(tmp_path):
    import pandas

    pandas.DataFrame({"input": [[0, 1], [1, 1]], "target": [[0, 1], [1, 0]]}).to_parquet(tmp_path / "a.parquet")
    assert read_words(tmp_path / "a.parquet").labels.tolist() == [[0, 1], [1, 0]]


def test_parquet_without_its_reader_is_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"a\.parquet is parquet, which needs (pandas|pyarrow)"):
        read_words(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("# comments alone\n", "is empty"),
        ("word,label\n", "has no rows"),
        ("a,b\n1,2\n", "none is one of word"),
        ("word,b\n1,2\n", "none is one of label"),
        ("word,label\n0 1 1,0 1\n", "row 2: 3 letters and 2 labels"),
        ("word,label\n01,01\n,1\n", "row 3: the word is empty"),
        ("word,label\n01\n", "row 2: it has 1 columns"),
    ],
)
def test_what_is_no_file_of_words_is_refused(text, said, tmp_path):
    (tmp_path / "mine.csv").write_text(text)
    with pytest.raises(ValueError, match=said):
        read_words(tmp_path / "mine.csv")


def test_what_does_not_fit_is_refused(tmp_path):
    path = table(tmp_path / "a.csv", [("ab", "01"), ("ba", "10")])
    for options, said in (
        ({"word": "nobody"}, "none is 'nobody'"),
        ({"letters": "ac"}, "row 2: the letter 'b' is none of a, c"),
        ({"classes": "00"}, "stands there twice"),
    ):
        with pytest.raises(ValueError, match=said):
            read_words(path, **options)
    with pytest.raises(ValueError, match="longest word"):
        read_words(path).sample(jax.random.key(0), 2, 5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        read_words(path).split(1.0)
    with pytest.raises(ValueError, match="give more words"):
        read_words(path).split(1e-9)
    with pytest.raises(OSError):
        read_words(tmp_path / "nowhere.csv")

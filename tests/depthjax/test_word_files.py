"""Words and labels from files: what stands in them is drawn, a label at its letter, and no word is trained and tested on."""

import dataclasses
import json

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


def words_of(found):
    return [tuple(row[:end]) for row, end in zip(found.tokens.tolist(), found.ends.tolist(), strict=True)]


def test_three_parts_share_no_word_and_depend_on_the_key(tmp_path):
    rng = np.random.default_rng(1)
    rows = [("".join(rng.choice(list("abc"), rng.integers(1, 9))), str(rng.integers(2))) for _ in range(400)]
    found = read_words(table(tmp_path / "a.csv", rows))
    for key in (0, 7):
        parts = found.parts((0.6, 0.2, 0.2), key, most=6)
        sets = [set(words_of(part)) for part in parts]
        assert not sets[0] & sets[1] and not sets[0] & sets[2] and not sets[1] & sets[2]
        assert set.union(*sets) == {tuple("abc".index(letter) for letter in word) for word, _ in rows}
        assert max(parts.train.ends.max(), parts.validation.ends.max()) <= 6 < parts.test.ends.max()
        short, count = [{word for word in each if len(word) <= 6} for each in sets], len({w for w, _ in rows if len(w) <= 6})
        for each, share in zip(short, (0.6, 0.2, 0.2), strict=True):  # within five deviations of the binomial law
            assert abs(len(each) - share * count) < 5 * (share * (1 - share) * count) ** 0.5
    first, second = (set(words_of(found.parts(key=key).test)) for key in (0, 1))
    assert first != second and first == set(words_of(found.parts(key=0).test))


def test_a_column_may_say_the_part(tmp_path):
    rows = [("ab", "1", "train"), ("ba", "0", "Train"), ("aa", "1", "val"), ("bb", "0", "test"), ("abab", "1", "test")]
    found = read_words(table(tmp_path / "a.csv", rows, "word,label,split"), part="split")
    assert [len(part) for part in found.parts(most=2)] == [2, 1, 2]
    for change, said in (
        (("aa", "1", "somewhere"), "row 7: split = 'somewhere': expected train, validation or test"),
        (("ab", "1", "test"), "the word 'a b' stands in the parts 'train' and 'test'"),
        (("abc", "1", "test"), "the letter 'c' stands in the part 'test' and in no word to train on"),
        (("aab", "2", "val"), "the label '2' stands in the part 'validation'"),
        (("aabb", "1", "train"), "a word of the part 'train' has 4 letters, expected at most 3"),
    ):
        with pytest.raises(ValueError, match=said):
            read_words(table(tmp_path / "b.csv", [*rows, change], "word,label,split"), part="split").parts(most=3)
    with pytest.raises(ValueError, match="none is left for the part 'validation'"):
        read_words(table(tmp_path / "c.csv", rows[:2], "word,label,split"), part="split").parts()


@pytest.mark.parametrize("shares", [(1, 0, 0), (0.5, 0.5), 0.3, (0.5, 0.4, 0.3), (0.9, -0.1, 0.2), "abc"])
def test_shares_add_up_to_one(shares, tmp_path):
    with pytest.raises(ValueError, match="three numbers above 0 that add up to 1"):
        read_words(table(tmp_path / "a.csv", [("ab", "1"), ("ba", "0")])).parts(shares)


def test_a_first_token_has_no_label(tmp_path):
    found = read_words(table(tmp_path / "a.csv", [("abc", "yes"), ("b", "no")]))
    begun = dataclasses.replace(found, bos=True)
    batch = begun.sample(jax.random.key(0), 16, 3)
    assert begun.letters == 4 and batch.tokens.shape == (16, 4) and (batch.tokens[:, 0] == 3).all()
    assert not batch.weights[:, 0].any() and (batch.weights.sum(axis=1) == 1).all()


def test_a_missing_label_is_refused(tmp_path):
    for rows in ([("ab", "yes"), ("ba", "")], [("ab", "1"), ("ba", " ")]):
        with pytest.raises(ValueError, match="row 3: the word 'ba' has no label"):
            read_words(table(tmp_path / "a.csv", rows))


@pytest.mark.needs("pandas", "pyarrow")
@pytest.mark.parametrize("labels", [[True, None], [1.0, float("nan")], ["yes", None]])
def test_a_missing_label_of_parquet_is_refused(labels, tmp_path):
    import pandas

    pandas.DataFrame({"word": ["ab", "ba"], "label": labels}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="row 3: the word 'ba' has no label"):
        read_words(tmp_path / "a.parquet")


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_every_delimiter_is_read(mark, tmp_path):
    (tmp_path / "a.csv").write_text(f"word{mark}label\r\nab{mark}1\r\n\r\nb{mark}0\r\n", newline="")
    found = read_words(tmp_path / "a.csv")
    assert (found.letter_names, found.tokens.tolist()) == (("a", "b"), [[0, 1], [1, 0]])


def test_a_letter_may_be_the_sign_of_comments(tmp_path):
    (tmp_path / "a.csv").write_text("# two words\n\nword,label\n#a,1\na,0\n")
    found = read_words(tmp_path / "a.csv")
    assert found.letter_names == ("#", "a") and found.tokens.tolist() == [[0, 1], [1, 0]] and len(found) == 2


@pytest.mark.parametrize(
    "as_text", [str, json.dumps, lambda entries: str(np.array(entries)), lambda entries: str(tuple(entries))]
)
@pytest.mark.parametrize("letters", [[0, 1, 10], ["x", "yy", "-1"]])
def test_lists_in_csv_have_their_entries(as_text, letters, tmp_path):
    words = [[letters[2], letters[0]], [letters[2]], [letters[0], letters[1], letters[1]]]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"word": [as_text(word) for word in words], "labels": [as_text([1] * len(word)) for word in words]}
    )
    frame.to_csv(tmp_path / "a.csv")
    found = read_words(tmp_path / "a.csv", letters=list(map(str, letters)))
    assert found.letter_names == tuple(map(str, letters)) and found.tokens[0, :2].tolist() == [2, 0]
    assert [row[:end].tolist() for row, end in zip(found.tokens, found.ends, strict=True)] == [[2, 0], [2], [0, 1, 1]]
    assert found.class_names == ("1",) and found.weights.sum(axis=1).tolist() == [2, 1, 3]


def test_brackets_are_letters_where_words_are_no_lists(tmp_path):
    (tmp_path / "a.csv").write_text("word,label\n[],1\n[[]],1\n[,0\n")
    assert read_words(tmp_path / "a.csv").letter_names == ("[", "]")
    (tmp_path / "b.csv").write_text("word,label\n[ab],1\n[b],0\n")
    assert read_words(tmp_path / "b.csv").letter_names == ("[", "]", "a", "b")


def test_the_file_decides_how_words_are_spelled(tmp_path):
    """A word of one long letter stands beside words with blanks."""
    (tmp_path / "a.csv").write_text("word,label\n10 2,1\n10,0\n2,0\n")
    found = read_words(tmp_path / "a.csv")
    assert found.letter_names == ("2", "10") and found.ends.tolist() == [2, 1, 1]
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"word": [[10], [11]], "label": [0, 1]}).to_parquet(tmp_path / "a.parquet")
    assert read_words(tmp_path / "a.parquet").letter_names == ("10", "11")


def test_tables_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "a.csv").write_text(f"word,label\n{'a' * 200_000},1\n")
    with pytest.raises(ValueError, match=r"a\.csv cannot be read as a table"):
        read_words(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_bytes("word,label\nä,1\n".encode("latin-1"))
    with pytest.raises(ValueError, match="no text in UTF-8"):
        read_words(tmp_path / "b.csv")


@pytest.mark.needs("pandas", "pyarrow")
def test_a_parquet_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"a\.parquet cannot be read as parquet"):
        read_words(tmp_path / "a.parquet")

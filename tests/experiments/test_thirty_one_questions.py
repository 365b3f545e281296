"""Questions that a designer of layers asked before seeing the command line: each is one command, or refused with the reason.

They are those of a review; the values are counted by hand or by another road.
"""

import json
import math
import shlex

import numpy as np
import pytest

OWN = {"own.json": [[0, 1], [1, 0], [1, 1]], "matrices.json": [[[0, 1], [0, 0]], [[1, 0], [0, 2]]]}
QUESTIONS = {  # the question, and its number: a value, None for "any number", or words of the refusal
    "layers S4": 3,
    "layers A5": "A5 is solvable",
    "layers SL(2,3)": 3,
    "layers GL(2,3)": 4,
    "layers parity": 1,
    "layers --expression (ab)* --letters ab": None,
    "automaton dyck3": None,
    "automaton own.json": None,
    "layers --formula 'a S (b & P a)'": 2,
    "hop --hops 7": 4,
    "tower --letters 3 --layers 3": 8,
    "bch --order 3 --x 0.1 --y 0.1": None,
    "bch-radius": 2.8984793,
    "magnus --order 4 --mass 0.5": None,
    "layers upper5": 4,
    "layers so3": "so3 is solvable",
    "sharpness --length 512": math.log(4 * 512),
    "recurrent-bits --length 64": None,
    "group S3": 2,
    "magnus --order 2 --mass 0.1": None,
    "scan --length 1000": 10,
    "tower --letters 3 --layers 3 --eps 0.1": 1e-8,
    "layers '(1 2 3 4), (1 2)'": 3,
    "hops-reached --layers 4": 7,
    "bch-term --degree 3 --x 0.1 --y 0.1": 2 / 3 * 1e-3,
    "witt --letters 2 --degree 6": 9,
    "algebra matrices.json": 2,
    "layers T3": None,
    "learning-time C2": math.sqrt(6),
    "tc0": "TC0 is a class of circuits",
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, content in OWN.items():
        (tmp_path / name).write_text(json.dumps(content))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_or_refused_with_the_reason(question, files, run):
    expected = QUESTIONS[question]
    code, out, err = run("bound", *shlex.split(question), "--json")
    if isinstance(expected, str):
        assert code == 2 and expected in " ".join(err.split())
        return
    facts = json.loads(out)
    assert (code, err) == (0, "") and facts["version"] == 1
    value = facts["value"]
    assert isinstance(value, float)
    if isinstance(expected, (int, float)):
        assert value == pytest.approx(expected, rel=1e-6)


def test_the_last_question_irreps_and_fourier_coefficients(tmp_path, run):
    (tmp_path / "f.csv").write_text("".join(f"{value}\n" for value in (1, 0, 0, 0, 0, 0)))
    code, out, err = run("group", "S3", "--fourier", tmp_path / "f.csv", "--figure", tmp_path / "f.svg", "--json")
    facts = json.loads(out)
    assert (code, err) == (0, "") and (tmp_path / "f.svg").stat().st_size > 1000
    assert [irrep["dimension"] for irrep in facts["irreps"]] == [1, 1, 2]
    assert [*facts["fourier"][2]["real"][0], *facts["fourier"][2]["real"][1]] == pytest.approx(
        [1, 0, 0, 1]
    )  # of the one-hot code of the identity
    assert sum(row["share"] for row in facts["fourier"]) == pytest.approx(1)


def test_there_are_thirty_one():
    assert len(QUESTIONS) + 1 == 31


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("S4", "--group"),
        ("V4", "--group"),
        ("parity", "--automaton"),
        ("flip_flop3", "--automaton"),
        ("T3", "--automaton"),
        ("regex:(ab)*", "--automaton"),
        ("se2", "--algebra"),
        ("so3 x heisenberg", "--algebra"),
        ("g2", "--algebra"),
        ("x.hoa", "--automaton"),
        ("x.csv", "--group"),
        ("S40", "--group"),
        ("upper4000", "--algebra"),
        ("[[0,1],[1,0]]", "--group"),
        ("[[[0,1],[1,0]]]", "--algebra"),
        ('{"q": {"a": "q"}}', "--automaton"),
    ],
)
def test_a_bare_word_is_read_as_what_it_can_be(name, option):
    from experiments.commands.given import with_option

    assert with_option(["layers", name, "--json"]) == ["layers", option, name, "--json"]


def test_a_bare_word_that_names_nothing_is_refused(run):
    code, _, err = run("bound", "layers", "(ab)+c?")
    assert code == 2 and "--expression" in err
    code, _, err = run("bound", "layers", "nowhere.json")
    assert code == 2 and "nowhere.json" in err


def test_files_of_other_tools_are_answered(tmp_path, run):
    from theory.automata import regular, write_automaton
    from theory.groups import group, write_group

    hoa = write_automaton(regular("(aa)*", "ab"), tmp_path / "even.hoa")
    gap = write_group(group("Q8"), tmp_path / "q8.g")
    (tmp_path / "bad.hoa").write_text(hoa.read_text().replace("[0&!1] 1", "[t] 1"))
    (tmp_path / "mod.txt").write_text("[[1,1],[0,1]] [[1,0],[1,1]] mod 3")
    for words, value in (
        (("automaton", hoa), 2),
        (("layers", hoa), 2),
        (("layers", "--automaton", hoa), 2),
        (("group", gap), 2),
        (("layers", gap), 2),
        (("group", tmp_path / "mod.txt"), 3),
        (("group", "[[1,1],[0,1]] [[1,0],[1,1]] mod 3"), 3),
        (("algebra", "[[[0,1],[0,0]],[[1,0],[0,2]]]"), 2),
        (("ceiling", gap, "--length", "2"), None),
        (("layers", "gens := [ (1,2,3), (1,2) ];"), 2),
        (("group", "gens := [ (1,2,3), (1,2) ];"), 2),
        (("ceiling", "gens := [ (1,2,3), (1,2) ];", "--length", "2"), None),
    ):
        code, out, err = run("bound", *words, "--json")
        assert (code, err) == (0, ""), (words, err)
        assert value is None or json.loads(out)["value"] == value
    code, _, err = run("bound", "automaton", tmp_path / "bad.hoa")
    assert code == 2 and "nondeterministic: in state 0" in err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "holds no numbers"),
        ("1\n2\n", "holds 2 numbers, but S3 has 6 elements"),
        ("1\nx\n", "holds 'x'"),
        ("e,1\nnobody,2\n", "'nobody' is no element of S3"),
        ("e,1\ne,2\n", "stands there twice"),
        ("1,2,3\n4,5,6\n", "one number a line"),
        ("[1, 2", "cannot be read as JSON"),
        ("nan\n" * 6, "holds 'nan'"),
    ],
)
def test_a_file_that_is_no_function_is_refused(content, said, tmp_path, run):
    (tmp_path / "f.csv").write_text(content)
    code, out, err = run("group", "S3", "--fourier", tmp_path / "f.csv")
    assert code == 2 and not out and said in err
    assert run("group", "S3", "--fourier", tmp_path / "none.csv")[0] == 2


def test_a_function_may_be_given_by_names_complex_numbers_and_json(tmp_path, run):
    from theory.groups import fourier, group

    values = [1, 2j, -1, 0, 0.5, 1 - 1j]
    names = group("S3").names
    texts = {
        "a.csv": "element,value\n" + "".join(f'"{name}",{str(v).strip("()")}\n' for name, v in zip(names, values, strict=True)),
        "b.txt": "# by number\n" + "".join(f"{n},{str(v).strip('()')}\n" for n, v in enumerate(values)),
        "c.csv": "".join(f"{str(v).strip('()')}\n" for v in values),
        "d.json": json.dumps([str(v) for v in values]),
    }
    expected = fourier(group("S3"), values)
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        code, out, err = run("group", "S3", "--fourier", tmp_path / name, "--json")
        assert code == 0, err
        for row, block in zip(json.loads(out)["fourier"], expected, strict=True):
            assert row["real"] == pytest.approx(block.real) and row["imaginary"] == pytest.approx(block.imag)


def test_the_help_groups_the_bounds_and_leaves_none_out():
    from experiments.commands.bound_help import GROUPS, OTHERS, groups
    from theory.bounds.index import entries

    names = [name for names in groups().values() for name in names]
    assert sorted(names) == sorted(entries())
    assert all(len(found) == len(GROUPS[title].split()) for title, found in groups().items() if title != OTHERS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PARITY", "did you mean 'parity'?"),
        ("Dyck-3", "did you mean 'dyck3'?"),
        ("flip-flop", "did you mean 'flip_flop'?"),
        ("SL2F3", "did you mean 'SL(2,3)'?"),
        ("GL(2, F_3)", "did you mean 'GL(2,3)'?"),
        ("TC0", "is a class of circuits"),
        ("AC^0", "is a class of circuits"),
        ("(0 1 2), (0 1)", "count the points from 1"),
        ("(1 2", "is no permutation in cycles"),
        ("[[2,0],[0,1]] mod 4", "no inverse modulo 4"),
        ("a S b", "a formula as --formula"),
    ],
)
def test_a_word_that_is_nearly_a_name_is_answered_with_the_name(run, text, said):
    for words in (["layers", text], ["layers", text, "--json"]):
        code, out, err = run("bound", *words)
        assert (code, out) == (2, "") and said in err and len(err.splitlines()) == 1
    if "did you mean" in said:  # and the name is one
        assert run("bound", "layers", said.split("'")[1])[0] == 0


def test_tables_that_numpy_saved_are_groups(run, tmp_path):
    from theory.groups import group

    np.save(tmp_path / "q8.npy", group("Q8").table + 1)
    np.save(tmp_path / "matrices.npy", np.zeros((2, 3, 3)))
    for words in (["layers"], ["group"], ["layers", "--group"]):
        code, out, err = run("bound", *words, tmp_path / "q8.npy", "--json")
        assert (code, err) == (0, "") and json.loads(out)["value"] == 2
        code, _, err = run("bound", *words, tmp_path / "matrices.npy")
        assert code == 2 and "`depthjax probe` reads" in err

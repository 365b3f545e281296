"""Every registered bound is a question whose help, arguments and example follow from its function alone."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest

from experiments import cli
from experiments.commands import questions
from theory import bounds as bounds
from theory.bounds.index import entries
from theory.lie import witt_dimension
from theory.registry import Entry


def undocumented(order: int, *, sure: bool = False):
    """Return nothing."""


def square(size: int, kind: Literal["one", "two"] = "one", words: Sequence[int] = (), factor: float | Fraction | None = None):
    """Return a ``square`` of
    two lines.

    A body.

        a formula

    Args:
        size: Its size,
            in units.
        factor: Its factor; None leaves the factor open.

    >>> square(2, words=(1, 2), factor=0.5)
    """


@pytest.mark.parametrize("name", sorted(entries()))
def test_the_example_of_the_help_is_answered(name, capsys):
    line = questions.example(entries()[name])
    assert cli.main(shlex.split(line)[1:]) == 0
    out, err = capsys.readouterr()
    assert out and not err


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_argument_is_explained(name):
    entry = entries()[name]
    assert set(questions._arguments(entry.docstring)) == set(entry.signature.parameters)
    assert len(questions.summary(entry)) <= 95 and "`" not in questions.summary(entry)


def test_help_follows_from_the_docstring():
    entry = Entry("square", square)
    assert questions.description(entry).split("\n\n") == [
        "A square of two lines.",
        "A body.",
        "    a formula",
        "Example: depthjax bound square --size 2 --words 1 2 --factor 0.5",
    ]
    assert questions._arguments(entry.docstring)["size"] == "Its size, in units."


def test_what_cannot_be_a_question_is_refused():
    with pytest.raises(ValueError, match=r"test_questions\.py:\d+: no doctest calls undocumented .* add one"):
        questions.example(Entry("undocumented", undocumented))
    with pytest.raises(TypeError, match=r"add a rule to `reading` in .*questions\.py"):
        questions.reading(complex)


def test_numbers_may_be_fractions(capsys):
    assert cli.main(shlex.split("bound word --length 4 --json")) == 0
    for text, value in (("1/4", 0.25), ("0.25", 0.25)):
        assert cli.main(["bound", "worst-glitch", "--margin", text]) == 0
        assert f"{2.718281828459045**-value:.6f}"[:7] in capsys.readouterr().out
    for text in ("1/0", "1/x", "half"):
        assert cli.main(["bound", "worst-glitch", "--margin", text]) == 2
        assert f"expected a number such as 0.25 or 1/4, got '{text}'" in capsys.readouterr().err


def test_an_open_parameter_is_asked_for(capsys):
    assert cli.main(["bound", "magnus", "--order", "3"]) == 0
    assert "needs --mass" in capsys.readouterr().out
    assert cli.main(["bound", "residual", "--depth", "64", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["expression"], facts["value"]) == ("(scale**2 + 1)**64", None)


def test_the_list_has_a_line_for_each_bound(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    with pytest.raises(SystemExit):
        cli.main(["bound", "--help"])
    out = capsys.readouterr().out
    text = " ".join(out.replace("│", " ").split())  # a long name stands on a line of its own
    for name, entry in entries().items():
        assert f"• {name} {questions.summary(entry)}" in text, name


def test_the_list_needs_no_jax():
    code = "import sys\nfrom experiments.cli import main\ntry:\n    main(['bound', '--help'])\nexcept SystemExit:\n    pass\n"
    found = subprocess.run([sys.executable, "-c", code + "sys.exit('jax' in sys.modules)"], capture_output=True, text=True)
    assert found.returncode == 0 and "• tower " in found.stdout


def test_one_bound_loads_the_files_that_answer_it_and_no_other_command():
    code = "import sys\nfrom experiments.cli import main\nmain(sys.argv[1:])\nprint(*sys.modules, file=sys.stderr)"
    question = ["bound", "tower", "--letters", "3", "--layers", "2"]
    found = subprocess.run([sys.executable, "-c", code, *question], capture_output=True, text=True)
    own = [name for name in found.stderr.split() if name.partition(".")[0] in ("depthjax", "theory", "experiments")]
    assert found.returncode == 0 and "theory.lie.tower" in own
    assert {"theory.groups", "experiments.commands.verify", "jax"}.isdisjoint(found.stderr.split())
    assert len(own) < 50, own


@pytest.mark.parametrize("name", ["group A5", "automaton S5", "algebra so3"])
def test_without_a_number_layers_and_the_room_of_the_object_tell_alike(name, capsys):
    """The table with the answer in words stands before the error."""
    kind, what = name.split()
    for line in (["bound", kind, what], ["bound", "layers", f"--{kind}", what]):
        assert cli.main(line) == 2
        out, err = capsys.readouterr()
        assert "in words" in out and "outside its hypotheses" in err


ABOUT_GROUPS = sorted(
    name
    for name, entry in entries().items()
    if not entry.subject and name != "layers" and next(iter(entry.signature.parameters), "") == "group"
)


@pytest.mark.parametrize("name", ABOUT_GROUPS)
def test_a_bare_word_is_the_group_of_a_bound_about_groups(name, capsys):
    assert {"composition", "narrow-loss", "width-dichotomy"} <= set(ABOUT_GROUPS)
    more = {"composition": [], "narrow-loss": ["--tokens", "2", "--units", "5"]}.get(name, ["--tokens", "2"])
    answers = [(cli.main(["bound", name, *words, *more]), capsys.readouterr()) for words in (["S3"], ["--group", "S3"])]
    assert answers[0] == answers[1] and answers[0][0] == 0
    assert cli.main(["bound", name, "S3", "D4", *more]) == 2 and "D4" in capsys.readouterr().err
    for twice in (["--group", "D4"], ["--group=D4"]):
        assert cli.main(["bound", name, "S3", *twice, *more]) == 2
        assert "'S3' and --group: say the group" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", sorted(name for name, entry in entries().items() if not entry.subject and name not in ("layers", *ABOUT_GROUPS))
)
def test_a_bare_word_is_refused_with_the_options(name, capsys):
    assert cli.main(["bound", name, "S4"]) == 2
    err = capsys.readouterr().err
    assert "does not know what 'S4' is" in err and f"`{questions.example(entries()[name])}`" in err


@pytest.mark.parametrize("name", sorted(name for name, entry in entries().items() if entry.subject))
def test_an_option_for_what_comes_first_is_refused_with_the_way_to_say_it(name, capsys):
    entry = entries()[name]
    flag = f"--{next(iter(entry.signature.parameters)).replace('_', '-')}"
    for words in ([flag, "S3"], [f"{flag}=S3"]):
        assert cli.main(["bound", name, *words]) == 2
        err = capsys.readouterr().err
        assert f"has no option {words[0]}" in err and f"`{questions.example(entry)}`" in err and "question." not in err


def test_json_has_the_value_also_beside_latex(capsys):
    question = ["bound", "tower", "--letters", "2", "--layers", "2", "--eps", "1/2", "--json"]
    answers = [(cli.main([*question, *more]), capsys.readouterr().out) for more in ([], ["--latex"])]
    assert answers[0] == answers[1] and json.loads(answers[0][1])["value"] == 2**-5


def test_a_number_that_no_float_holds_is_printed_as_a_formula(capsys):
    question = ["bound", "witt", "--letters", "2", "--degree", "1100"]
    assert cli.main(question) == 2
    assert "too large for a float" in (err := capsys.readouterr().err) and "--latex" in err
    assert cli.main([*question, "--latex"]) == 0
    assert int(capsys.readouterr().out) == witt_dimension(2, 1100)


def test_the_value_comes_before_a_long_formula(capsys):
    assert cli.main(shlex.split("bound bch --order 6 --x 0.1 --y 0.1")) == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[:1].strip()]
    assert rows[:3] == ["quantity", "value", "formula"]


def test_keys_of_json_are_names_and_nothing_is_an_empty_list(capsys):
    for line in ("layers --group S6", "layers --group C1", "layers --formula a", "automaton parity"):
        cli.main(["bound", *line.split(), "--json"])
        facts = json.loads(capsys.readouterr().out)
        assert all(key.isidentifier() for key in (*facts, *facts["lines"])) and "in_words" in facts["lines"]
    cli.main(["bound", "layers", "--group", "S6", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert facts["lines"]["layers"] == [] and len(facts["lines"]["by_doubling"]) == 1
    assert facts["number"] is None and facts["kind"] == "abelian layer"


def test_the_scale_of_a_tower_says_what_it_leaves_out():
    assert "without the constant" in bounds.tower(3, 3, 0.1).quantity and "order in eps" in bounds.tower(3, 3).quantity


def test_a_file_that_is_nothing_says_why_of_each(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for text, said in (
        ('{"table": [[2, 1], [1, 2]]}', "as an automaton: table[0, 0] = 2 is not a state: .* counts from 1, so subtract 1"),
        ("", "as an automaton: it is empty"),
        ("[[0, 1]", "as an automaton: it cannot be read as JSON"),
    ):
        Path("mine.json").write_text(text)
        assert cli.main(["bound", "layers", "mine.json"]) == 2
        assert re.search(said.replace("[", r"\["), " ".join(capsys.readouterr().err.split()))


def test_a_ceiling_reads_files_of_automata_and_of_groups(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("swap.json").write_text('\ufeff{"table": [[1, 0], [0, 1]], "accepting": [1]}\r\n', encoding="utf-8")
    Path("three.json").write_text('{"permutations": [[1, 2, 0]]}')
    for file in ("swap.json", "three.json"):
        assert cli.main(["bound", "ceiling", file, "--length", "4", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["value"] == 1  # letters commute, so their counts say all
    assert cli.main(["bound", "ceiling", "nowhere.json", "--length", "4"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_layers_of_an_algebra_that_has_none_say_so_in_words(capsys):
    for name in ("so3", "e8"):
        assert cli.main(["bound", "layers", name]) == 2
        assert f"{name}: no fixed number of abelian layers, because its derived series stops" in " ".join(
            capsys.readouterr().out.split()
        )
        assert cli.main(["bound", "algebra", name]) == 2
        said = capsys.readouterr()
        assert f"{name} is not solvable: no number of abelian layers" in said.out and f"fails: {name} is solvable" in said.err

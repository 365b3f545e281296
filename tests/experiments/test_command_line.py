"""What the command line teaches: three first steps, an example in every help, a table that fits, completion in the shell."""

import re
import shutil
import subprocess

import pytest

from depthjax.runs import catalogue
from experiments import cli, shell
from experiments.terminal import FAILED

WIDTH = 80
COMPLETED = {
    ("depthjax", "ver"): "verify",
    ("depthjax", "verify", "--res"): "--resume",
    ("depthjax", "verify", "--size", "q"): "quick",
    ("depthjax", "verify", "tower_error"): "tower_error_order",
    ("depthjax", "verify", "--size", "quick", "tower_error_order", "trun"): "truncation_order",
    ("depthjax", "verify", "compo"): "composition",
    ("depthjax", "show", "tower_error"): "tower_error_order",
    ("depthjax", "replay", "runs/mine", "tower_error"): "tower_error_order",
    ("depthjax", "bound", "tower-l"): "tower-leading",
    ("depthjax", "bound", "tower", "--laye"): "--layers",
    ("depthjax", "compare", "hop_d"): "hop_depth",
}


def test_the_command_alone_says_three_things_to_do_first(capsys):
    assert cli.main([]) == 0
    first = re.findall(r"^  depthjax (\w+)", capsys.readouterr().out, re.MULTILINE)
    assert len(first) == 3 and {*first} <= {*cli.COMMANDS}


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_help_of_every_command_shows_examples_that_name_it(name, capsys):
    with pytest.raises(SystemExit):
        cli.main([name, "--help"])
    assert re.search(rf"^ +depthjax {name}\b", capsys.readouterr().out, re.MULTILINE)  # the usage stands at the margin


def test_the_list_fits_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    assert cli.main(["list", "lie"]) == 0
    lines = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert any("tower_error_order" in line and line[0] in "✓✗?–" for line in lines)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize("words", COMPLETED, ids=" ".join)
def test_bash_completes_commands_options_values_and_names(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        cli.main(["--tyro-write-completion", "bash", "depthjax.bash"])
    line = " ".join(words)
    script = f"""
        source depthjax.bash
        COMP_WORDS=({line}) COMP_CWORD={len(words) - 1} COMP_LINE="{line}" COMP_POINT={len(line)}
        $(complete -p depthjax | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [COMPLETED[words]]


@pytest.mark.parametrize("kind", shell.SHELLS)
def test_completion_knows_every_claim_and_topic(kind, tmp_path):
    file = tmp_path / "completion"
    with pytest.raises(SystemExit):
        cli.main(["--tyro-write-completion", kind, str(file)])
    text = file.read_text("utf-8")
    for slug, module in catalogue.modules().items():
        assert (
            text.count(f"['{slug}']") == 4 + (slug in cli._names()["compare"]) and f"['{catalogue.topic_of(module)}']" in text
        )


def test_another_form_of_completion_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(shell, "GROUPS", "there is no {command} here()")
    assert cli.main(["--tyro-write-completion", "bash", str(tmp_path / "completion")]) == FAILED

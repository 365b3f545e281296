"""What the README shows is what happens: its Python block, its command lines, the output and the exit codes it quotes."""

import ast
import re
import shlex
from pathlib import Path

import pytest

from experiments import cli
from experiments.commands.bound import BoundCommand
from experiments.commands.listing import List, Show
from experiments.commands.trace import TraceCommand

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8") if README.exists() else ""
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
COMMANDS = sorted(
    {
        re.split(r"\s{2,}|\s*&&|\s*#", line.removeprefix("$ ").strip())[0]
        for _, block in BLOCKS
        for line in block.splitlines()
        if re.match(r"(\$ )?depthjax ", line)
    }
)
QUICK = BoundCommand | List | Show | TraceCommand

pytestmark = pytest.mark.skipif(not TEXT, reason="no README beside the tests")


def test_there_is_something_to_test():
    assert any(language == "python" for language, _ in BLOCKS) and len(COMMANDS) > 5


@pytest.mark.parametrize("block", [block for language, block in BLOCKS if language == "python"])
def test_python_blocks_run_and_say_what_their_comments_say(block, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    lines = block.splitlines()
    for statement in ast.parse(block).body:
        source = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        if not isinstance(statement, ast.Expr):
            exec(source, names)
            continue
        value, comment = eval(compile(ast.Expression(statement.value), "README", "eval"), names), source.partition("  # ")[2]
        # a comment that starts with a value: up to a colon, a comma or the dots of a series
        claimed = re.match(r"(\d+(?=:|,|$)|[\w*]+\*\*\d+|[A-Z] \+ .*?(?= \+ \.\.\.))", comment)
        if claimed:
            assert str(value).startswith(claimed[0]), source


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_understood_and_quick_ones_run(command, capsys, monkeypatch, tmp_path):
    arguments = shlex.split(command)[1:]
    parsed = cli.command(arguments)
    if not isinstance(parsed, QUICK):
        return
    monkeypatch.chdir(tmp_path)
    code = cli.main(arguments)
    out, err = capsys.readouterr()
    assert code in (0, 2)
    # a refusal is documented together with its message
    assert out if code == 0 else err.strip().splitlines()[0] in TEXT


@pytest.mark.parametrize("block", [block for _, block in BLOCKS if block.startswith("$ ")])
def test_transcripts_are_what_is_printed(block, capsys):
    """A transcript is a command, its output, and perhaps ``echo $?`` with the exit code."""
    command, *rest = block.splitlines()
    code = cli.main(shlex.split(command)[2:])
    shown = [line for line in rest if not line.startswith("$ ")]
    if "$ echo $?" in rest:
        assert shown.pop() == str(code)
    out, err = capsys.readouterr()
    printed = [" ".join(line.split()) for line in (out + err).splitlines()]
    assert all(" ".join(line.split()) in printed for line in shown)

"""What the command returns when something goes wrong: a failure of the program never looks like a verdict."""

import errno
import io
import json
import sys

import pytest

from experiments import cli
from experiments.commands.bound import BoundCommand
from experiments.terminal import UsageError

WORD = ["bound", "word", "--length", "4"]


class Full(io.StringIO):
    """A standard output that takes nothing."""

    failure = OSError(errno.ENOSPC, "No space left on device")

    def write(self, text):
        raise self.failure


class Gone(Full):
    """A pipe that nobody reads."""

    failure = BrokenPipeError(errno.EPIPE, "Broken pipe")


@pytest.mark.parametrize(
    "error", [KeyError("x"), RuntimeError("two\nlines"), OSError(5, "of a disk"), SystemExit(1), MemoryError()]
)
def test_a_crash_is_4_with_its_traceback(monkeypatch, capsys, error):
    def crash(self):
        raise error

    monkeypatch.setattr(BoundCommand, "run", crash)
    assert cli.main(WORD) == 4
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1].startswith(f"depthjax: failed: {type(error).__name__}")


@pytest.mark.parametrize(("raised", "code"), [(KeyboardInterrupt, 130), (UsageError("this"), 2)])
def test_an_interrupt_and_a_mistake_have_no_traceback(monkeypatch, capsys, raised, code):
    def stop(self):
        raise raised

    monkeypatch.setattr(BoundCommand, "run", stop)
    assert cli.main(WORD) == code
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_help_is_no_crash(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--help"])
    assert not stop.value.code
    assert "4 the program" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [WORD, [*WORD, "--json"], ["list"]], ids=" ".join)
@pytest.mark.parametrize(("stream", "code"), [(Full, 4), (Gone, 0)])
def test_an_output_that_takes_nothing(monkeypatch, capsys, arguments, stream, code):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream())
        assert cli.main(arguments) == code
    said = capsys.readouterr().err.splitlines()
    assert len(said) == (code == 4)
    assert not said or "cannot write to standard output: No space left on device" in said[0]


def test_a_full_output_loses_no_verdict(toys, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Full())
        assert cli.main(["verify", "exact_counts", "--jobs=1", f"--out={tmp_path / 'run'}"]) == 4
    assert json.loads((tmp_path / "run" / "verdicts.jsonl").read_text())["outcome"] == "SUPPORTED"
    assert (tmp_path / "run" / "report.html").exists()

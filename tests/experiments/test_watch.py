"""A command in a process of its own: its exit code is what it says, whatever ends it."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import watch

PROGRAM = """
import os, signal, sys, time
from experiments.watch import watched
def run():
    {}
    return 3
sys.exit(watched(run))
"""
pytestmark = pytest.mark.skipif(not watch.FORKS, reason="this system does not fork safely")


def start(line):
    command = [sys.executable, "-c", PROGRAM.format(line)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("pass", 3, ""),
        ("print('said')", 3, ""),
        ("raise SystemExit(0)", 0, ""),  # the parser alone gets so far
        ("os._exit(0)", 4, "ended with code 0 before its work was done"),
        ("os._exit(1)", 4, "ended with code 1"),
        ("os.abort()", 4, "killed by signal 6"),
        ("os.kill(os.getpid(), 9)", 4, "killed by signal 9"),
        ("os.kill(os.getpid(), 15)", -15, ""),
        ("import atexit; atexit.register(os._exit, 0)", 3, ""),
    ],
)
def test_the_exit_code_is_what_was_said(line, code, words):
    with start(line) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out.strip()) == (code, "said" * ("said" in line)) and words in err
    assert len(err.splitlines()) == bool(words)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_child_ends_with_what_its_parent_is_told(number, tmp_path):
    file = tmp_path / "child"
    with start(f"open({str(file)!r}, 'w').write(f'{{os.getpid()}}\\n'); time.sleep(60)") as process:
        while not (file.exists() and file.read_text().endswith("\n")):
            time.sleep(0.02)
        process.send_signal(number)
        process.communicate(timeout=30)
        assert process.returncode == -number
    child = int(file.read_text())
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]  # Z: ended, and nobody asked
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the child lives on")

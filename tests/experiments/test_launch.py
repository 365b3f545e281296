"""Processes of one sweep: their last word counts, they end with their parent, and they import nothing from where they stand."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from depthjax.runs.lock import one_writer
from depthjax.runs.records import RecordError
from experiments.commands import launch as module
from experiments.commands.launch import ProcessGone, launch

ROOT = Path(module.__file__).resolve().parents[2]
BEGIN = "import os, sys, time\nsys.path.append(sys.argv.pop(1))\nfrom experiments.commands.launch import Launched\n"
BEGIN += "own = Launched(); number = sys.argv[-1]\n"
PARENT = """
import sys, pathlib
from experiments.commands import launch
from depthjax.runs.lock import one_writer
launch.CHILD = sys.argv[1]
with one_writer(pathlib.Path(sys.argv[2])) as lock:
    launch.launch([sys.argv[2]], 2, lock)
"""


@pytest.fixture
def start(tmp_path, monkeypatch):
    def call(program, *arguments):
        monkeypatch.setattr(module, "CHILD", BEGIN + program)
        with one_writer(tmp_path / "run") as lock:
            return launch(arguments, 2, lock)

    return call


@pytest.mark.parametrize("end", ["os.abort()", "os._exit(1)", "sys.exit(0)", "os.kill(os.getpid(), 9)"])
def test_work_that_is_done_is_done_however_the_process_ends(start, end):
    assert start(f"own.done(3 if number == '0' else 0)\n{end}") == 3


@pytest.mark.parametrize(
    ("end", "words", "code"),
    [
        ("os.kill(os.getpid(), 9)", "process 1 of 2 was killed by signal 9", -9),
        ("sys.exit(2)", "process 1 of 2 ended with code 2", 2),
        ("sys.exit(4)", "process 1 of 2 ended with code 4", 4),
        ("sys.exit(0)", "process 1 of 2 ended with code 0", 0),
    ],
)
def test_a_process_that_ends_without_a_word_takes_the_others_along(start, tmp_path, end, words, code):
    with pytest.raises(ProcessGone, match=words) as caught:
        start(
            f"if number == '1':\n    {end}\nopen(sys.argv[1], 'w').write(str(os.getpid()))\ntime.sleep(600)", tmp_path / "pid"
        )
    assert caught.value.code == code
    if (tmp_path / "pid").exists():
        assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("busy", ["time.sleep(600)", "__import__('re').match('(a*)*b', 'a' * 40)"], ids=["asleep", "deaf"])
def test_no_process_outlives_its_parent(tmp_path, busy):
    child = f"{BEGIN}open(sys.argv[1] + '/' + number, 'w').write(str(os.getpid()))\n{busy}"
    command = [sys.executable, "-c", PARENT, child, str(tmp_path / "run")]
    parent = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)})
    files = [tmp_path / "run" / number for number in "01"]
    while parent.poll() is None and not all(file.exists() and file.read_text() for file in files):
        time.sleep(0.02)
    children = [int(file.read_text()) for file in files]
    parent.kill()
    parent.wait()
    with one_writer(tmp_path / "run"):  # which is held until the last of them is gone
        states = [Path(f"/proc/{pid}/stat") for pid in children]
        assert not [state for state in states if state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"]


def test_the_children_hold_the_directory(start, tmp_path):
    program = "import pathlib\nfrom depthjax.runs.lock import one_writer\n"
    program += "with one_writer(pathlib.Path(sys.argv[1]), own.lock):\n    own.done(0)"
    assert start(program, str(tmp_path / "run")) == 0
    with pytest.raises((ProcessGone, RecordError)):
        start(program.replace("own.lock", "None"), str(tmp_path / "run"))


def test_nothing_is_imported_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "experiments").mkdir()
    for name in ("experiments/__init__.py", "theory.py", "json.py", "tyro.py", "depthjax.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the current folder')")
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-P", "-c", module.CHILD, str(ROOT), "bound", "word", "--length", "4"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_the_launcher_asks_for_that(start, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "socketserver.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path / "here")
    assert start("import socketserver\nown.done(0)") == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("busy", ["time.sleep(600)", "import signal; signal.signal(2, signal.SIG_IGN); time.sleep(600)"])
def test_two_interrupts_end_everything(tmp_path, busy):
    child = f"{BEGIN}open(sys.argv[1] + '/' + number, 'w').write(str(os.getpid()))\n{busy}"
    command = [sys.executable, "-c", PARENT, child, str(tmp_path / "run")]
    quiet = {"stderr": subprocess.DEVNULL, "start_new_session": True, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    parent, files = subprocess.Popen(command, **quiet), [tmp_path / "run" / number for number in "01"]
    while parent.poll() is None and not all(file.exists() and file.read_text() for file in files):
        time.sleep(0.02)
    children = [int(file.read_text()) for file in files]
    for _ in range(2):  # as a terminal does: to all processes of the group
        os.killpg(parent.pid, 2)
    assert parent.wait(60) != 0
    states = [Path(f"/proc/{pid}/stat") for pid in children]
    assert not [state for state in states if state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"]

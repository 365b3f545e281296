"""One writer per directory: refused while the writer or a child of it lives, free as soon as they are gone."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from depthjax.runs import lock
from depthjax.runs.lock import one_writer
from depthjax.runs.records import LOCK, RecordError

HOLDER = """
import sys, time, pathlib, subprocess
from depthjax.runs.lock import one_writer
with one_writer(pathlib.Path(sys.argv[1])) as held:
    if len(sys.argv) > 2:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(float(" + sys.argv[2] + "))"],
                                 pass_fds=(held.descriptor,))
    print("held", flush=True)
    time.sleep(60)
"""


def holder(*arguments):
    process = subprocess.Popen([sys.executable, "-c", HOLDER, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def end(process):
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_writer_is_told_who_the_first_is(tmp_path):
    with one_writer(tmp_path / "run"), pytest.raises(RecordError) as caught, one_writer(tmp_path / "run"):
        pass
    words = str(caught.value)
    assert f"in use by process {os.getpid()} on {lock.socket.gethostname()} since 2" in words and "\n" not in words


def test_the_directory_is_free_afterwards_and_nothing_is_left_in_it(tmp_path):
    for _ in range(2):
        with one_writer(tmp_path / "run"):
            assert (tmp_path / "run" / LOCK).exists()
    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize("left", ["", "nonsense", json.dumps({"process": 1, "host": "elsewhere", "since": "2020-01-01"})])
def test_a_file_that_was_left_behind_locks_nothing(tmp_path, left):
    (tmp_path / LOCK).write_text(left)
    with one_writer(tmp_path):
        assert json.loads((tmp_path / LOCK).read_text())["process"] == os.getpid()


def test_a_directory_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="cannot write to"), one_writer(tmp_path / "file" / "run"):
        pass


def test_the_lock_dies_with_a_writer_that_is_killed(tmp_path):
    process = holder(tmp_path)
    with pytest.raises(RecordError, match=f"process {process.pid} "), one_writer(tmp_path):
        pass
    end(process)
    with one_writer(tmp_path):
        pass


def test_a_child_that_outlives_a_killed_writer_is_waited_for(tmp_path, monkeypatch):
    process = holder(tmp_path, 2)
    begun = time.monotonic()
    end(process)
    with one_writer(tmp_path):
        assert time.monotonic() - begun > 0.2
    process = holder(tmp_path, 60)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    end(process)
    monkeypatch.setattr(lock, "FAREWELL", 0.3)
    try:
        with pytest.raises(RecordError, match="in use"), one_writer(tmp_path):
            pass
    finally:
        os.kill(int(children[0]), signal.SIGKILL)


def test_an_inherited_lock_is_used_and_left_to_the_parent(tmp_path):
    with one_writer(tmp_path) as outer:
        with one_writer(tmp_path, outer.descriptor) as inner:
            assert inner.descriptor == outer.descriptor
        with pytest.raises(RecordError, match="in use"), one_writer(tmp_path):
            pass
        with pytest.raises(RecordError, match="in use"), one_writer(tmp_path, 0):  # a descriptor of something else
            pass

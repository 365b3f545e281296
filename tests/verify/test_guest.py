"""Code of other people that tries to end the process, or the claims beside it."""

import dataclasses
import importlib
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from depthjax.runs.entry import one_line, traced
from depthjax.runs.guest import Ended, guest
from depthjax.runs.records import RunDirectory, Settings
from depthjax.runs.runner import measure_share, run_claim
from depthjax.verify import Experiment


class Odd(BaseException):
    """No exception that anybody catches."""


ENDS = [SystemExit(), SystemExit(0), SystemExit(3), SystemExit("bye"), KeyboardInterrupt(), GeneratorExit(), Odd()]


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))

    def make(size="test") -> RunDirectory:
        settings = Settings(size, 0, "float64", ("true_bound",), "toys")
        return RunDirectory.create(tmp_path / f"run{len(list(tmp_path.iterdir()))}", settings)

    return make


def toy(name: str = "true_bound", **changes: Any) -> Experiment:
    return dataclasses.replace(Experiment.of(importlib.import_module(f"toys.small.{name}")), **changes)


def raising(error):
    def function(*arguments):
        raise error

    return function


@pytest.mark.parametrize("error", ENDS, ids=repr)
def test_the_end_of_a_process_is_an_error_of_the_code(error):
    with pytest.raises(Ended, match="sys.exit" if isinstance(error, SystemExit) else type(error).__name__), guest():
        raise error
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_errors_pass_and_the_keyboard_ends_the_block():
    with pytest.raises(ZeroDivisionError), guest():
        print(1 / 0)
    with pytest.raises(KeyboardInterrupt), guest():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)  # the signal ends it at once
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_a_guest_prints_is_no_output(capsys):
    with guest():
        print("hello")
    assert capsys.readouterr() == ("", "hello\n")


@pytest.mark.parametrize("error", [*ENDS[:3], ENDS[4], RuntimeError("half \ud800")], ids=ascii)
@pytest.mark.parametrize("part", ["predict", "measure", "objects"])
def test_a_claim_that_ends_or_raises_has_failed_and_says_why(directory, part, error):
    run = directory()
    entry = run_claim(toy("true_bound", **{part: raising(error)}), run)
    word = r"half \ud800" if isinstance(error, RuntimeError) else "sys.exit" if isinstance(error, SystemExit) else "Keyboard"
    assert entry["failed"] and entry["outcome"] == "INCONCLUSIVE" and word in entry["reason"]
    assert "Traceback" in (run.path / "errors" / "true_bound.txt").read_text("utf-8")
    measure_share(toy("true_bound", **{part: raising(error)}), directory(), 0, 2)  # leaves the words to the whole


def test_a_control_that_exits_opens_its_claim(directory):
    (control, *_), name = toy("exact_counts").controls, "exact_counts"
    entry = run_claim(toy(name, controls=(dataclasses.replace(control, measure=raising(SystemExit(0))),)), directory())
    assert entry["failed"] and entry["outcome"] == "INCONCLUSIVE" and "sys.exit(0)" in entry["reason"]
    assert not run_claim(toy(name), directory())["failed"]


@pytest.mark.parametrize("name", ["true_bound", "false_bound", "exact_counts"])
def test_networks_that_barely_train_decide_nothing(directory, name):
    claim = dataclasses.replace(toy(name).claim, trains=True)
    entry = run_claim(toy(name, claim=claim), directory("test"))
    parts = [entry, *entry["findings"], *entry["controls"], *entry["rivals"]]
    assert entry["outcome"] == "INCONCLUSIVE" and "REFUTED" not in {part["outcome"] for part in parts}
    assert entry["reason"].startswith("budget too small to judge") and not entry["failed"]
    assert run_claim(toy(name, claim=claim), directory("quick"))["outcome"] != "INCONCLUSIVE"


def test_an_error_that_cannot_say_what_is_wrong():
    class Mute(Exception):
        def __str__(self):
            raise SystemError

    assert one_line(Mute()) == "Mute: it cannot say what went wrong"
    assert one_line(ValueError("\udfff\n" * 900)).isascii() and "Traceback" in traced(Mute()) + "Traceback"

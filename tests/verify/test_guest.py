"""Code of other people that tries to end the process, or the claims beside it."""

import os
import signal
import time

import pytest

from depthjax.runs.entry import one_line, traced
from depthjax.runs.executor import Gone
from depthjax.runs.guest import Ended, guest
from depthjax.runs.records import RunDirectory, Settings
from depthjax.runs.runner import measure_share, run_claim


class Odd(BaseException):
    """No exception that anybody catches."""


ENDS = [SystemExit(), SystemExit(0), SystemExit(3), SystemExit("bye"), KeyboardInterrupt(), GeneratorExit(), Odd()]


@pytest.fixture
def directory(tmp_path):
    def make(size="test") -> RunDirectory:
        settings = Settings(size, 0, "float64", ("true_bound",), "toys")
        return RunDirectory.create(tmp_path / f"run{len(list(tmp_path.iterdir()))}", settings)

    return make


CLAIM = """
{top}

def objects(cell):
    {objects}
    return {{"layers": cell.layers}}

def predict(cell, given):
    {predict}
    return Prediction(given["layers"] + 7, of="order")

CONTROLS = (control("one more", measure="one_more"),)
"""
MEASURE = """
from depthjax.verify import Quantity, measured

class Odd(BaseException):
    pass

def measure(cell, key, given):
    {measure}
    return measured(order=Quantity(given["layers"] + {seven}))

def one_more(cell, key, given):
    {control}
    return measured(order=Quantity(given["layers"] + 8))
"""


def room(rooms, top="", seven=7, claim=(), **parts: str) -> str:
    """A claim that is supported, but for what some of its functions do first."""
    lines = dict.fromkeys(("objects", "predict", "measure", "control"), "pass") | parts
    text = CLAIM.format(top=top, **{name: lines[name] for name in ("objects", "predict")})
    return rooms.write(text, MEASURE.format(seven=seven, **{name: lines[name] for name in ("measure", "control")}))


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


RAISED = {
    "raise SystemExit": "sys.exit",
    "raise SystemExit(0)": "sys.exit",
    "raise SystemExit(3)": "sys.exit",
    "raise KeyboardInterrupt": "Keyboard",
    r"raise RuntimeError('half \\ud800')": r"half \ud800",
}


@pytest.mark.parametrize("line", RAISED)
@pytest.mark.parametrize("part", ["predict", "measure", "objects"])
def test_a_claim_that_ends_or_raises_has_failed_and_says_why(rooms, directory, part, line):
    run, module = directory(), room(rooms, **{part: line})
    entry = run_claim(module, run)
    assert entry["failed"] and entry["outcome"] == "INCONCLUSIVE" and RAISED[line] in entry["reason"]
    assert "Traceback" in (run.path / "errors" / f"{rooms.slug(module)}.txt").read_text("utf-8")
    measure_share(module, directory(), 0, 2)  # leaves the words to the whole


def test_a_control_that_exits_opens_its_claim(rooms, directory):
    entry = run_claim(room(rooms, control="raise SystemExit(0)"), directory())
    assert entry["failed"] and entry["outcome"] == "INCONCLUSIVE" and "sys.exit(0)" in entry["reason"]
    assert not run_claim(room(rooms), directory())["failed"]


@pytest.mark.parametrize("part", ["objects", "measure"])
def test_a_claim_that_ends_its_process_is_told_of_and_the_next_one_runs(rooms, directory, part):
    with pytest.raises(Gone, match=r"its process (was ended with code 7|died)"):
        run_claim(room(rooms, **{part: "__import__('os')._exit(7)"}), directory())
    assert run_claim(room(rooms), directory())["outcome"] == "SUPPORTED"


@pytest.mark.parametrize("seven", [7, 9])
def test_networks_that_barely_train_decide_nothing(rooms, directory, seven):
    module = room(rooms, seven=seven)
    file = rooms.folder.joinpath(*module.split(".")) / "claim.py"
    file.write_text(file.read_text().replace("claim(Relation.EQUALS)", "claim(Relation.EQUALS, trains=True)"))
    entry = run_claim(module, directory("test"))
    parts = [entry, *entry["findings"], *entry["controls"], *entry["rivals"]]
    assert entry["outcome"] == "INCONCLUSIVE" and "REFUTED" not in {part["outcome"] for part in parts}
    assert entry["reason"].startswith("budget too small to judge") and not entry["failed"]
    assert run_claim(module, directory("quick"))["outcome"] != "INCONCLUSIVE"


def test_an_error_that_cannot_say_what_is_wrong():
    class Mute(Exception):
        def __str__(self):
            raise SystemError

    assert one_line(Mute()) == "Mute: it cannot say what went wrong"
    assert one_line(ValueError("\udfff\n" * 900)).isascii() and "Traceback" in traced(Mute()) + "Traceback"

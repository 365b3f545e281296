"""Claims that are not installed: by path and by module, in every command, in child processes, and under their digest."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from depthjax.runs import catalogue, places
from depthjax.runs.origin import sources
from depthjax.verify import Outcome
from depthjax.verify import run as verified
from tests import toys as written

TRUE = written.folder() / "toys" / "small" / "true_bound"
CLAIM, MEASURE = written.TRUE, written.TRUE_MEASURE
pytestmark = pytest.mark.usefixtures("toys")


def write(files, root="."):
    for name, text in files.items():
        Path(root, name).parent.mkdir(parents=True, exist_ok=True)
        Path(root, name).write_text(text)


def room(path, claim=CLAIM, measure=MEASURE):
    """The files of a claim."""
    return {f"{path}/__init__.py": "", f"{path}/claim.py": claim, f"{path}/measure.py": measure}


def test_a_folder_is_a_claim_in_every_command(run, tmp_path):
    path = tmp_path / "my claims-1" / "my_bound"  # in a folder with a name that nobody can import
    write(room(path))
    assert run("verify", path, "--out", "mine", "--jobs", 1, "--size", "test")[0] == 0
    (row,) = json.loads(run("list", path, "--json")[1])["claims"]
    assert row["origin"] == {"kind": "named", "package": "my_claims_1", "file": str(path / "claim.py")}
    assert (row["slug"], row["topic"]) == ("my_bound", "my_claims_1")
    shown = run("show", path, "--grids")[1]
    assert str(path).replace(" ", "") in re.sub(r"\s", "", shown) and "half the bound" in shown  # long paths are folded
    assert json.loads(Path("mine/run.json").read_text())["provenance"]["files"] == {"my_bound": str(path / "claim.py")}
    # the run alone does not say what is imported
    witness = json.loads(Path("mine/verdicts.jsonl").read_text())["witness"]
    for command in (["replay", "mine", witness], ["verify", "--resume", "--out", "mine", "--size", "test"]):
        code, _, err = run(*command)
        assert code == 2 and f"'{path}/claim.py'" in err and "--trust-paths" in err and len(err.splitlines()) == 1
        assert run(*command, "--trust-paths")[0] == 0
    assert run("replay", "mine", witness, "--claims", path)[0] == 0
    assert "1 finished before" in run("verify", "--resume", "--out", "mine", path, "--size", "test")[2]


def test_what_a_file_uses_is_in_its_digest_and_in_child_processes(run, tmp_path):
    text = MEASURE.replace("import jax\n", "import jax\n\nfrom .._scale import SCALE\n", 1)
    text = text.replace("draws = cell.scale", "draws = SCALE * cell.scale")
    write({"a/_scale.py": "SCALE = 1"} | room("a/my_bound", measure=text))
    found = verified("a/my_bound", size="test", out="mine", jobs=1)  # in a process of its own
    assert found.outcome is Outcome.SUPPORTED
    assert set(sources("a.my_bound")) >= {"a.my_bound.measure", "a._scale"}
    write({"a/_scale.py": "SCALE = 1.0"})
    program = "import sys; from experiments import cli; sys.exit(cli.main(sys.argv[1:]))"
    command = ["verify", "a/my_bound", "--resume", "--out", "mine", "--size", "test", "--jobs", "1"]
    done = subprocess.run([sys.executable, "-P", "-c", program, *command], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and "my_bound: finished, but of other source code" in done.stderr, done.stderr


def test_a_module_in_the_current_folder_keeps_its_name(run, tmp_path):
    text = CLAIM.replace("import dataclasses\n", "import dataclasses\n\nfrom herd.sheep import SCALE\n", 1)
    herd = {"herd/__init__.py": "", "herd/sheep.py": "SCALE = 2.0", "herd/claims/__init__.py": ""}
    write(herd | room("herd/claims/my_bound", text))
    for name in ("herd.claims", "herd.claims.my_bound", "herd/claims/my_bound", "herd/claims"):
        (row,) = json.loads(run("list", name, "--json")[1])["claims"]
        assert row["origin"]["package"] == "herd.claims" and row["slug"] == "my_bound"
    assert verified(["true_bound", "herd.claims"], size="test", out="mine", jobs=2).outcome is Outcome.SUPPORTED
    assert json.loads(Path("mine/run.json").read_text())["catalogue"] == "toys,herd.claims"


def test_a_file_of_the_catalogue_is_the_claim_that_it_is(run):
    (row,) = json.loads(run("list", TRUE, "--json")[1])["claims"]
    assert row["origin"]["kind"] == "variable" and row["slug"] == "true_bound"


def test_two_folders_of_one_name_are_two_packages(run):
    write(room("a/mine/first_bound") | room("b/mine/second_bound"))
    found = catalogue.select(["a/mine/first_bound", "b/mine/second_bound/claim.py"])
    first, second = (module.partition(".")[0] for module in found.values())
    assert first == "mine" and second.startswith("mine_") and set(places.settled()) == {first, second}


GOOD = room("known/true_bound") | room("mine/my_bound")
BAD = {  # what is there, what is named, what is said
    "nothing there": ({}, "nowhere/my_bound", "no file or folder"),
    "another claim's name": (GOOD, "known/true_bound", "two claims are called 'true_bound'"),
    "no Python": ({"mine/my_bound.txt": CLAIM}, "mine/my_bound.txt", "is no Python module"),
    "no name of a module": (room("mine/my-bound"), "mine/my-bound", "rename the folder"),
    "no name of a claim": (room("mine/My_Bound"), "mine/My_Bound", "rename the folder, for example to my_bound"),
    "one file": ({"mine/my_bound.py": CLAIM}, "mine/my_bound.py", "is one file, and a claim is a folder"),
    "a wrong line": (room("mine/my_bound", f"{CLAIM}\nx = = 1\n"), "mine/my_bound", "is not Python: invalid syntax in line"),
    "zeros": (room("mine/my_bound", "\0"), "mine/my_bound", "is not Python"),
    "nothing in it": (room("mine/my_bound", ""), "mine/my_bound", "CLAIM = claim("),
    "no card": (room("mine/my_bound", CLAIM.replace("Source:", "From:")), "mine/my_bound", "lacks Source:"),
    "no measurement": (
        room("mine/my_bound", measure=MEASURE.replace("def measure", "def _measure")),
        "mine/my_bound",
        "lacks measure;",
    ),
    "no claim.py": (room("mine/other") | {"mine/x/__init__.py": "", "mine/x/measure.py": MEASURE}, "./mine", "lacks claim.py"),
    "no measure.py": ({"mine/my_bound/claim.py": CLAIM}, "./mine", "lacks measure.py"),
    "no grids": (room("mine/my_bound", CLAIM.replace("GRIDS", "GIRDS")), "mine/my_bound", "lacks GRIDS;"),
    "no falsehood": (room("mine/my_bound", CLAIM.replace("RIVALS", "_R")), "mine/my_bound", "lacks CONTROLS or RIVALS;"),
    "an empty folder": ({"mine/notes.txt": ""}, "./mine", "holds no claims; `depthjax new"),
    "no module": (GOOD, "mine.their_bound", "no module 'mine.their_bound', neither installed nor in the current folder"),
    "a module that is none": ({}, "json.decoder", "CLAIM = claim("),
    "an installed module": (
        {"depthjax/__init__.py": ""} | room("depthjax/my_bound"),
        "depthjax/my_bound",
        "has this name",
    ),
    "a slip": ({}, "true_bond", "did you mean true_bound"),
    "a long name": ({}, "/" + 5000 * "x" + ".py", "is no path"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_claim_is_one_line(run, case):
    files, name, words = BAD[case]
    write(files)
    for command in (["verify", name], ["list", name], ["show", name]):
        code, out, err = run(*command)
        assert (code, out) == (2, "") and len(err.splitlines()) == 1 and words in err, (command, err)
    assert not Path("runs").exists() and not any(module.startswith("mine") for module in sys.modules)


def test_both_files_of_one_name_are_named(run):
    write(GOOD)
    err = run("verify", "known/true_bound")[2]
    assert str(TRUE / "claim.py") in err and str(Path("known/true_bound/claim.py").resolve()) in err


def test_replay_says_what_a_run_lacks(run):
    write(room("mine/my_bound") | room("other/their_bound"))
    run("verify", "mine/my_bound", "--out", "run", "--jobs", 1, "--size", "test")
    Path("mine/my_bound").rename("mine/gone")
    code, _, err = run("verify", "--resume", "--out", "run", "--size", "test", "--trust-paths")
    assert code == 2 and "no file or folder" in err
    code, _, err = run("replay", "run", "my_bound/scale=2.0", "--claims", "other/their_bound")
    assert code == 2 and "--trust-paths" in err


def test_a_room_in_the_current_folder_is_named_with_or_without_a_slash(run):
    write(room("my_bound"))
    for number, name in enumerate(("my_bound", "./my_bound", "my_bound/claim.py")):
        assert run("verify", name, "--out", f"r{number}", "--jobs", 1, "--size", "test")[0] == 0, name
    Path("my_bound/claim.py").unlink()
    for name in ("my_bound", "./my_bound"):
        code, out, err = run("verify", name, "--size", "test")
        assert (code, out) == (2, "") and "no claim.py" in err and len(err.splitlines()) == 1

import json

import pytest

from experiments import cli


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")

    def call(*arguments):
        code = cli.main(["bound", "automaton", *map(str, arguments)])
        return code, *capsys.readouterr()

    return call


def test_a_cascade_is_told_with_its_levels_groups_and_routes(run):
    code, out, _ = run("abab", "--json")
    found = json.loads(out)
    assert code == 0 and found["value"] == 3 and found["is_solvable"] and not found["is_aperiodic"]
    found = found["lines"]
    assert found["levels"] == [
        "height 2: 1 component, no group; 0 abelian + 1 reset",
        "height 1: 1 component, group of order 2; 1 abelian + 1 reset",
    ]
    assert len(found["groups"]) == 1 and "order 2" in found["groups"][0]
    assert found["routes"] == [
        "cascade: at most 3 layers, whatever the length (levels by the height of images)",
        "scan: ceil(log2(length)) layers (5 at 32, 10 at 1024)",
    ]


def test_without_a_cascade_the_reason_and_the_scan_are_told(run):
    code, out, err = run("S5")
    assert code == 2
    assert "cascade: none" in out and "scan: ceil(log2(length)) layers" in out and "✗ every group inside is solvable" in out
    assert "perfect subgroup has order 60 (A5)" in err
    code, out, _ = run("S5", "--scan", 128, "--json")
    assert code == 0 and json.loads(out)["value"] == 7


def test_a_file_is_read(run, tmp_path):
    path = tmp_path / "clock.json"
    path.write_text("[[1], [2], [0]]")
    code, out, _ = run(path, "--json")
    assert code == 0 and json.loads(out)["lines"]["levels"] == ["height 1: 1 component, group of order 3; 1 abelian"]

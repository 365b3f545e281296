"""The bounds on collapse and separation rank at the command line: their values, and the questions that they refuse."""

import json

import pytest

from experiments import cli


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("rank --width 3 --layers 3", 3102),
        ("rank --width 4 --layers 2 --heads 4", 85),
        ("rank --width 2 --layers 3 --shallower 2", 6),
        ("collapse --layers 1 --width 16 --beta 2 --residual 0.5", 0.0625),
        ("collapse --layers 1 --width 16 --beta 2 --residual 0.5 --gamma 0.5", 0.0625),
    ],
)
def test_bounds_on_the_command_line(arguments, value, capsys):
    assert cli.main(f"bound {arguments} --json".split()) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["value"] == pytest.approx(value) and answer["hypotheses"] and answer["source"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("rank --width 5 --layers 2 --heads 2", "must be a multiple of the heads"),
        ("rank --width 3 --layers 2 --shallower 2", "expected fewer than 2 layers"),
        ("rank --width 4 --layers 2 --heads 2 --shallower 1", "leave --heads out"),
        ("rank --width 81 --layers 6", "fits a float"),
        ("collapse --layers 2 --width 16 --beta 9 --residual 1", "vacuous"),
        ("collapse --layers 9 --width 16 --beta 1 --residual 0.5", "ask for its decades"),
        ("collapse --layers 2 --width 16 --beta 0.1 --residual 1 --query-key 50", "vacuous"),
    ],
)
def test_bounds_that_do_not_apply_are_refused(arguments, message, capsys):
    assert cli.main(f"bound {arguments}".split()) == 2
    out, err = capsys.readouterr()
    assert message in err and not out

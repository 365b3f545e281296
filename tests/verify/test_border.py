"""The border: nothing of theory is within reach of a measurement, and no predicted number is handed across."""

import sys

import pytest

from depthjax.card import CardError, parse_card
from depthjax.runs.claims import run_module
from depthjax.runs.records import RunDirectory, Settings

CLAIM = '''
"""Two layers reach order five.

Statement: The order is five. $$ m = 5 $$
Hypotheses: two letters.
Source: nobody, “nothing”.
Refuted by: another order.
Cost: nothing.
"""
import dataclasses
import importlib
import numpy as np
from depthjax.verify import Grid, Prediction, Quantity, Relation, claim, measured, off_by
{imports}

CLAIM = claim(Relation.EQUALS)

@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    layers: int = 2

GRIDS = dict.fromkeys(("test", "quick", "full", "paper"), Sizes())

def objects(cell):
    return {objects}

def predict(cell, given):
    return Prediction(int(bounds.tower(letters=2, layers=cell.layers).at()), of="order")

def measure(cell, key, given):
    return measured(order=Quantity({measured}))

RIVALS = (off_by(1, of="order"),)
{more}
'''


@pytest.fixture
def outcome(tmp_path, monkeypatch):
    """Return the verdict's entry of a planted claim."""

    def run(objects="{}", value="5", imports="from theory import bounds", more=""):
        package = tmp_path / "planted"
        (package / "topic").mkdir(parents=True, exist_ok=True)
        for folder in (package, package / "topic"):
            (folder / "__init__.py").write_text("")
        text = CLAIM.replace("{imports}", imports).replace("{objects}", objects).replace("{measured}", value)
        (package / "topic" / "leaky.py").write_text(text.replace("{more}", more).lstrip())
        monkeypatch.syspath_prepend(str(tmp_path))
        for name in [name for name in sys.modules if name.startswith("planted")]:
            del sys.modules[name]
        directory = RunDirectory.create(
            tmp_path / f"run{len(list(tmp_path.iterdir()))}", Settings("test", 0, "float64", ("leaky",))
        )
        return run_module("planted.topic.leaky", directory.path, lambda *event: None)

    yield run
    for name in [name for name in sys.modules if name.startswith("planted")]:
        del sys.modules[name]


def test_the_objects_of_a_control_hold_no_prediction_either(outcome):
    more = "from depthjax.verify import control\nCONTROLS = (control('five', objects=lambda cell: {'order': 5}),)"
    reason = outcome(more=more)["reason"]
    assert "objects hands over order = 5" in reason and "'order'" in reason


def test_an_honest_claim_is_supported(outcome):
    assert outcome()["outcome"] == "SUPPORTED"


@pytest.mark.parametrize(
    ("value", "imports", "words"),
    [
        ("int(bounds.tower(letters=2, layers=2).at())", "from theory import bounds", "'bounds', which belongs to theory"),
        ("tower(letters=2, layers=2).at()", "from theory import bounds\nfrom theory.bounds import tower", "'tower'"),
        ("importlib.import_module('theory.lie').bch(2)", "from theory import bounds", "imports theory"),
        ("__import__('theory').bounds", "from theory import bounds", "imports theory"),
    ],
)
def test_a_measurement_that_reaches_for_theory_is_an_error(outcome, value, imports, words):
    entry = outcome(value=value, imports=imports)
    assert entry["outcome"] == "INCONCLUSIVE"
    assert "BorderError" in entry["reason"] and "planted.topic.leaky" in entry["reason"] and words in entry["reason"]
    import theory

    assert theory.bounds.tower(letters=2, layers=2).at() == 5  # given back afterwards


@pytest.mark.parametrize(
    ("objects", "path"),
    [
        ("{'depth': 5}", "depth"),
        ("{'depth': int(bounds.tower(letters=2, layers=2).at())}", "depth"),
        ("(np.zeros(2), {'a': [np.array(5.0)]})", "1.a.0"),
        ("dataclasses.make_dataclass('Given', ['order'])(5)", "order"),
    ],
)
def test_a_predicted_number_among_the_objects_is_an_error(outcome, objects, path):
    entry = outcome(objects=objects)
    assert entry["outcome"] == "INCONCLUSIVE"
    assert f"objects hands over {path} = " in entry["reason"] and "predicted value of 'order'" in entry["reason"]
    assert "DEFINITIONS" in entry["reason"]
    said = outcome(objects=objects, more=f"DEFINITIONS = {{{path!r}: 'the alphabet has five letters'}}")
    assert said["outcome"] == "SUPPORTED"


@pytest.mark.parametrize("objects", ["{'table': np.arange(9)}", "{'layers': 2, 'none': 0, 'yes': True}", "{'name': 'five'}"])
def test_definitions_pass(outcome, objects):
    assert outcome(objects=objects)["outcome"] == "SUPPORTED"


@pytest.mark.parametrize(
    ("without", "words"),
    [
        ("Statement: The order is five. $$ m = 5 $$\n", "Statement:"),
        (" $$ m = 5 $$", "a formula"),
        ("Refuted by: another order.\n", "Refuted by:"),
        ("Cost: nothing.\n", "Cost:"),
        ("CLAIM = claim(Relation.EQUALS)\n", "expected one line CLAIM"),
        ("(Relation.EQUALS)", "expected one line CLAIM"),
    ],
)
def test_a_card_that_lacks_a_part_names_the_file_and_the_part(without, words):
    text = CLAIM.lstrip()
    assert without in text
    with pytest.raises(CardError, match=r"leaky\.py") as error:
        parse_card(text.replace(without, "()" if without.startswith("(") else ""), "leaky", "leaky.py")
    assert words in str(error.value)


def test_a_card_is_read_without_running_the_file():
    card = parse_card(CLAIM.lstrip().replace("{imports}", "raise SystemExit"), "leaky", "leaky.py")
    assert (card.title, card.latex, card.relation) == ("Two layers reach order five", "m = 5", "EQUALS")
    assert card.assumes == ("two letters",) and card.source.cite() == "nobody, “nothing”" and card.cost == "nothing"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('GRIDS = dict.fromkeys(("test", ', "GRIDS = dict.fromkeys(("), "GRIDS lacks 'test'"),
        (('RIVALS = (off_by(1, of="order"),)', ""), "neither CONTROLS nor RIVALS"),
        (('RIVALS = (off_by(1, of="order"),)', "RIVALS = (lambda: 1,)"), "RIVALS holds"),
        (("def measure(", "def measures("), "measure must be a function"),
        (("Relation.EQUALS", "Relation.ABOUT"), "ABOUT"),
    ],
)
def test_a_claim_that_lacks_a_part_says_what_to_write(outcome, monkeypatch, change, words):
    monkeypatch.setattr(sys.modules[__name__], "CLAIM", CLAIM.replace(*change))
    entry = outcome()
    assert entry["outcome"] == "INCONCLUSIVE" and words in entry["reason"] and "leaky" in entry["reason"] + entry["slug"]

"""The border: nothing of theory is within reach of a measurement, and no predicted number is handed across."""

import re

import pytest

from depthjax.card import CardError, parse_card
from depthjax.runs.claims import run_module
from depthjax.runs.records import RunDirectory, Settings
from tests import toys

CLAIM = """
import numpy as np
{imports}
from theory import bounds

def objects(cell):
    return {objects}

def predict(cell, given):
    return Prediction(int(bounds.tower(letters=2, layers=cell.layers).at()), of="order")

RIVALS = (off_by(1, of="order"),)
{more}
"""
BESIDE = toys.claim().count("\n") + 1 + CLAIM.splitlines().index("{imports}")  # the line of what stands beside numpy
MEASURE = """
{imports}
from depthjax.verify import Quantity, measured

def measure(cell, key, given):
    return measured(order=Quantity({measured}))
"""


@pytest.fixture
def outcome(rooms):
    """Return the verdict's entry of a planted claim."""

    def run(objects="{}", value="10 * (cell.layers - 2)", imports="", beside="", more="", **files):
        claim = CLAIM.replace("{objects}", objects).replace("{imports}", beside).replace("{more}", more)
        module = rooms.write(claim, MEASURE.replace("{imports}", imports).replace("{measured}", value), **files)
        settings = Settings("test", 0, "float64", (rooms.slug(module),))
        return run_module(
            module, RunDirectory.create(rooms.folder / f"run{len(rooms.written)}", settings).path, lambda *event: None
        )

    return run


def test_an_honest_claim_is_supported(outcome):
    entry = outcome()
    assert entry["outcome"] == "SUPPORTED", entry["reason"]


@pytest.mark.parametrize(
    ("beside", "imports", "files", "words"),
    [
        ("", "import theory", {}, r"measure\.py, line 2: imports theory, and a measurement knows no prediction"),
        ("", "from theory.bounds import tower", {}, "line 2: imports theory.bounds.tower"),
        ("", "from .instrument import x", {"instrument": "import theory\nx = 1"}, r"instrument\.py, line 1: imports theory"),
        ("", "from . import claim", {}, r"measure\.py, line 2: imports claim\.py, and the two sides know nothing"),
        ("import jax.numpy as jnp", "", {}, rf"claim\.py, line {BESIDE}: imports jax.numpy, and a prediction is exact"),
        ("from .measure import measure", "", {}, rf"claim\.py, line {BESIDE}: imports measure\.py"),
    ],
)
def test_the_text_of_a_room_keeps_its_sides_apart(outcome, beside, imports, files, words):
    entry = outcome(beside=beside, imports=imports, **files)
    assert entry["outcome"] == "INCONCLUSIVE" and entry["failed"]
    assert re.search(words, entry["reason"]), entry["reason"]


@pytest.mark.parametrize(
    ("imports", "inside", "drawn"),
    [
        ("", "axes.plot(dataset['order'])", True),
        ("import jax", "", False),
        ("", "from depthjax.scans import prefix_sum", False),
        ("from .measure import measure", "", False),
    ],
)
def test_a_picture_draws_from_what_was_measured(outcome, imports, inside, drawn):
    picture = (
        f"{imports}\nfrom depthjax.verify import Picture\n"
        f"def draw(place, dataset):\n    axes = place.subplots()\n    {inside}\nPICTURES = (Picture(2.0, draw),)"
    )
    entry = outcome(picture=picture)
    assert entry["outcome"] == "SUPPORTED" and entry["figure"].startswith("not drawn") != drawn
    assert drawn or re.search(r"picture\.py, line \d+, imports .*: .*(measured|crosses)", entry["figure"]), entry["figure"]


def test_what_only_type_checkers_read_is_no_import(outcome):
    only = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import theory"
    assert outcome(imports=only)["outcome"] == "SUPPORTED"


@pytest.mark.parametrize(
    ("objects", "path"),
    [
        ("{'depth': 10}", "depth"),
        ("{'depth': int(bounds.tower(letters=2, layers=cell.layers).at())}", "depth"),
        ("(np.zeros(2), {'a': [np.array(10.0)]})", "1.a.0"),
        ("{'few': np.array([3.5, 10.0])}", "few"),
        ("{'word': '10'}", "word"),
    ],
)
def test_a_predicted_number_among_the_objects_is_an_error(outcome, objects, path):
    entry = outcome(objects=objects)
    assert entry["outcome"] == "INCONCLUSIVE"
    assert f"objects hands over {path} = " in entry["reason"] and "the predicted value of 'order'" in entry["reason"]
    assert "DEFINITIONS" in entry["reason"]
    said = outcome(objects=objects, more=f"DEFINITIONS = {{{path!r}: 'the alphabet has ten letters'}}")
    assert said["outcome"] == "SUPPORTED", said["reason"]


def test_the_objects_of_a_control_hold_no_prediction_either(outcome):
    more = "CONTROLS = (control('ten', objects=lambda cell: {'order': 10}),)"
    reason = outcome(more=more)["reason"]
    assert "objects hands over order = 10" in reason and "'order'" in reason


@pytest.mark.parametrize("objects", ["{'table': np.arange(19)}", "{'layers': 2, 'none': 0, 'yes': True}", "{'name': 'ten'}"])
def test_definitions_pass(outcome, objects):
    assert outcome(objects=objects)["outcome"] == "SUPPORTED"


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ("{'law': len}", "law is a builtin_function_or_method"),
        ("{'law': [np]}", "law.0 is a module"),
        ("[bounds.tower(letters=2, layers=2)]", "0 is a theory"),
        ("{'n': np.array([object()])}", "n is an array that holds a object"),
        ("dataclasses.make_dataclass('Given', ['order'])(5)", "it is a "),
    ],
)
def test_what_crosses_is_plain_data(outcome, objects, words):
    reason = outcome(objects=objects)["reason"]
    assert words in reason and "hand over numbers, texts, truth values" in reason and "claim.py" in reason


@pytest.mark.parametrize(
    ("objects", "measured"),
    [
        ("{'n': 10**40}", "10 if given['n'] == 10**40 else 0"),
        ("{'n': Fraction(1, 3)}", "10 if 3 * given['n'] == 1 else 0"),
        ("{'n': np.array([Fraction(1, 7), 10**30], dtype=object)}", "10 if given['n'][1] == 10**30 else 0"),
        ("({'n': None}, ['a', b'b', 2 + 1j], np.float32(1.5))", "10 if given[1][2] == 2 + 1j else 0"),
    ],
)
def test_plain_data_arrives_as_it_was(outcome, objects, measured):
    entry = outcome(objects=objects, beside="from fractions import Fraction", value=measured)
    assert entry["outcome"] == "SUPPORTED", entry["reason"]


@pytest.mark.parametrize(
    ("without", "words"),
    [
        ("Statement: The order is what theory says.\n    $$ m = m $$\n", "Statement:"),
        (" $$ m = m $$", "a formula"),
        ("Refuted by: another order.\n", "Refuted by:"),
        ("Cost: nothing.\n", "Cost:"),
        ("CLAIM = claim(Relation.EQUALS)\n", "expected one line CLAIM"),
        ("(Relation.EQUALS)", "expected one line CLAIM"),
    ],
)
def test_a_card_that_lacks_a_part_names_the_file_and_the_part(rooms, without, words):
    text = rooms.head
    assert without in text
    with pytest.raises(CardError, match=r"leaky\.py") as error:
        parse_card(text.replace(without, "()" if without.startswith("(") else ""), "leaky", "leaky.py")
    assert words in str(error.value)


def test_a_card_is_read_without_running_the_file(rooms):
    card = parse_card(rooms.head + "raise SystemExit", "leaky", "leaky.py")
    assert (card.title, card.latex, card.relation) == ("A claim of a test", "m = m", "EQUALS")
    assert card.assumes == ("of a test",) and card.source.cite() == "nobody, “nothing”" and card.cost == "nothing"


def test_a_constant_that_a_claim_reads_is_no_misspelt_part(rooms, outcome, monkeypatch):
    monkeypatch.setattr(rooms, "change", ("RIVALS =", 'READ = "letters"\nDEFINITIONS = {"word": READ}\nRIVALS ='))
    assert outcome()["outcome"] == "SUPPORTED"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('GRIDS = dict.fromkeys(("test", ', "GRIDS = dict.fromkeys(("), "GRIDS lacks 'test'"),
        (('RIVALS = (off_by(1, of="order"),)', ""), "neither CONTROLS nor RIVALS"),
        (('RIVALS = (off_by(1, of="order"),)', "RIVALS = (lambda: 1,)"), "RIVALS holds"),
        (("def measure(", "def measures("), "lacks def measure(cell, key)"),
        (("Relation.EQUALS", "Relation.ABOUT"), "ABOUT"),
        (("RIVALS =", "CONTROLS = (control('x', measure=len),)\nRIVALS ="), "write the name of a function of measure.py"),
        (
            ('RIVALS = (off_by(1, of="order"),)', 'RIVALS = off_by(1, of="order")'),
            "write RIVALS = (off_by(...),), with its comma",
        ),
        (
            ("RIVALS =", "CONTROLS = control('x', measure='measure')\nRIVALS ="),
            "write CONTROLS = (control(...),), with its comma",
        ),
        (('"paper"), Sizes()', '"paper"), Sizes'), "as 'test': write Sizes(...)"),
        (("layers: int = 3", "layers: int = axis(3, 3)"), "the test grid has the cell 'layers=3' twice"),
        (("RIVALS =", "READS = ('data/none.csv',)\nRIVALS ="), "READS names 'data/none.csv', and there is neither"),
        (("RIVALS =", "HEADLNE = 'order'\nRIVALS ="), "HEADLNE is no part of a claim: did you mean HEADLINE?"),
        (("RIVALS =", "CONTROL = ()\nRIVALS ="), "CONTROL is no part of a claim: did you mean CONTROLS?"),
    ],
)
def test_a_claim_that_lacks_a_part_says_what_to_write(rooms, outcome, monkeypatch, change, words):
    monkeypatch.setattr(rooms, "change", change)
    entry = outcome()
    assert entry["outcome"] == "INCONCLUSIVE" and words in entry["reason"], entry["reason"]


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("5", "what is predicted of a cell is 5: return Prediction(value, of=quantity), several of them, or None"),
        ("[Prediction(5, of='order'), 5]", "what is predicted of a cell is 5"),
        ("Prediction('5', of='order')", "the prediction of 'order' holds '5': predict real numbers"),
        ("Prediction(5 + 0j, of='order')", "the prediction of 'order' holds (5+0j): predict real numbers, and both parts"),
        ("Prediction({'n': 5}, of='order')", "the prediction of 'order' holds {'n': 5}"),
        ("Prediction([5, 6], of='order')", "the prediction of 'order' is no array over the axes dims = ()"),
        ("Prediction(np.ones(3), of='order', dims=('a', 'b'))", "is no array over the axes dims = ('a', 'b')"),
    ],
)
def test_what_is_no_prediction_is_named(rooms, outcome, monkeypatch, returned, words):
    text = 'return Prediction(int(bounds.tower(letters=2, layers=cell.layers).at()), of="order")'
    monkeypatch.setattr(rooms, "change", (text, f"return {returned}"))
    entry = outcome()
    assert entry["outcome"] == "INCONCLUSIVE" and entry["failed"] and words in entry["reason"], entry["reason"]

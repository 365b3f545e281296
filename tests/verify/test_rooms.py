"""A claim is a room: a folder with claim.py and measure.py, found, read and sealed without importing it."""

import importlib
import sys
from pathlib import Path

import pytest

from depthjax.card import read_card
from depthjax.runs import catalogue
from depthjax.runs.claims import run_module
from depthjax.runs.origin import reached, read_again, source_digest
from depthjax.runs.records import RunDirectory, Settings
from depthjax.verify import Cell
from depthjax.verify.experiment import Experiment
from tests import toys

CLAIM = toys.claim(
    """
    def objects(cell):
        return {"layers": cell.layers}

    def predict(cell, given):
        return Prediction(2**cell.layers, of="order")

    CONTROLS = (control("one layer fewer", measure="one_layer_fewer"),)
    RIVALS = (off_by(1, of="order"),)
    """,
    title="Two layers reach order four",
    sizes="layers: int = axis(2, 3)\n\n@property\ndef doubled(self):\n    return 2 * self.layers",
)
MEASURE = toys.measure(
    "return measured(order=Quantity(2 ** (cell.doubled // 2)))",
    given=True,
    rest="""
    def one_layer_fewer(cell, key, given):
        return measure(cell.replace(layers=cell.layers - 1, doubled=cell.doubled - 2), key, given)

    def unused():
        return 0
    """,
)
PICTURE = """from depthjax.verify import Picture

def _draw(place, dataset):
    \"\"\"Nothing.\"\"\"

PICTURES = (Picture(1.0, _draw),)
"""
FILES = {"claim": CLAIM, "measure": MEASURE, "picture": PICTURE}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a function that writes a room, and makes its package the catalogue."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("DEPTHJAX_CATALOGUE", "roomy")

    def forget():
        read_again()
        importlib.invalidate_caches()
        for name in [name for name in sys.modules if name.partition(".")[0] == "roomy"]:
            del sys.modules[name]

    def write(room: str = "roomy/topic/four", without: str = "", **changes: tuple[str, str]) -> Path:
        folder = tmp_path / room
        toys.packages(tmp_path, *Path(room).parts)
        for name, text in FILES.items():
            old, new = changes.get(name, ("", ""))
            assert old in text
            (folder / f"{name}.py").write_text(text.replace(old, new) if old else text)
        if without:
            (folder / without).unlink()
        forget()
        return folder

    yield write
    forget()


def test_a_room_is_found_read_and_judged(place, tmp_path):
    place()
    assert catalogue.modules() == {"four": "roomy.topic.four"}
    assert catalogue.origin("roomy.topic.four").file == str(tmp_path / "roomy/topic/four/claim.py")
    assert read_card("roomy.topic.four").title == "Two layers reach order four" and "roomy" not in sys.modules
    experiment = Experiment.of(importlib.import_module("roomy.topic.four"))
    assert (experiment.module, experiment.topic, experiment.claim.slug) == ("roomy.topic.four", "topic", "four")
    assert len(experiment.pictures) == 1
    assert "roomy.topic.four.measure" not in sys.modules  # it is imported when it is asked for
    run = RunDirectory.create(tmp_path / "run", Settings("test", 0, "float64", ("four",)))
    entry = run_module("roomy.topic.four", run.path, lambda *event: None)
    assert entry["outcome"] == "SUPPORTED" and entry["topic"] == "topic", entry["reason"]
    assert {one["outcome"] for one in entry["controls"]} == {"REFUTED"}


@pytest.mark.parametrize(
    "path", ["roomy", "roomy/topic", "roomy/topic/four", "roomy/topic/four/claim.py", "roomy/topic/four/measure.py"]
)
def test_a_path_in_or_around_a_room_means_the_room(place, tmp_path, monkeypatch, path):
    place()
    monkeypatch.delenv("DEPTHJAX_CATALOGUE")
    assert catalogue.select([str(tmp_path / path)]) == {"four": "roomy.topic.four"}


@pytest.mark.parametrize("path", ["alone", "alone/claim.py", "."])
def test_a_room_may_lie_in_no_package(place, tmp_path, monkeypatch, path):
    folder = place("loose/alone", without="__init__.py") if path == "." else place("loose/alone")
    (tmp_path / "loose/__init__.py").unlink()
    monkeypatch.delenv("DEPTHJAX_CATALOGUE")
    monkeypatch.chdir(tmp_path / "loose")
    if path == ".":
        with pytest.raises(catalogue.UnknownClaim, match=r"alone.*lacks __init__.py"):
            catalogue.select(["./"])
        (folder / "__init__.py").touch()
    (found,) = catalogue.select([f"./{path}"]).values()
    assert found.startswith("loose") and found.endswith(".alone")  # the folder's name may be taken in this process


@pytest.mark.parametrize(
    "without, said",
    [
        ("claim.py", r"topic/four lies among claims and lacks claim\.py: write it"),
        ("measure.py", r"topic/four lies among claims and lacks measure\.py: write it"),
    ],
)
def test_a_room_that_lacks_a_part_is_refused(place, without, said):
    place("roomy/topic/five")
    place(without=without)
    with pytest.raises(catalogue.UnknownClaim, match=said):
        catalogue.modules()


def test_two_rooms_of_one_name_are_refused(place):
    place()
    place("roomy/other/four")
    with pytest.raises(catalogue.UnknownClaim, match=r"two claims are called 'four': .*claim\.py and .*claim\.py; rename one"):
        catalogue.modules()


def test_a_control_names_a_function_that_is_there(place):
    place(claim=('measure="one_layer_fewer"', 'measure="two_layers_fewer"'))
    with pytest.raises(TypeError, match="'one layer fewer' names 'two_layers_fewer'"):
        Experiment.of(importlib.import_module("roomy.topic.four"))


@pytest.mark.parametrize(
    "change, counts",
    [
        ({"claim": ("2**cell.layers", "3**cell.layers")}, True),
        ({"measure": ("cell.doubled - 2", "cell.doubled - 4")}, True),
        ({"measure": ("2 ** (cell", "3 ** (cell")}, True),
        ({"measure": ("return 0", "return 1")}, True),  # a control may name any function of measure.py
        ({"claim": ("Two layers reach", "Both layers reach")}, False),
        ({"picture": ("1.0", "2.0")}, False),
    ],
)
def test_the_seal_holds_what_claim_and_measure_reach(place, change, counts):
    place()
    before = source_digest("roomy.topic.four")
    names = {name for _, name in reached("roomy.topic.four")}
    assert {"measure", "one_layer_fewer", "predict", "Sizes"} <= names
    place(**change)
    assert (source_digest("roomy.topic.four") != before) is counts


def test_a_cell_is_hashable_and_says_what_it_lacks():
    cell = Cell({"letters": 2, "layers": 3}, {"order": 8}, axes=("letters",), lacking={"group": "it is a Group"})
    same = Cell({"letters": 2, "layers": 3}, {"order": 8}, axes=("letters",), lacking={"group": "it is a Group"})
    assert cell == same and hash(cell) == hash(same) and cell.name == "letters=2" and cell.order == 8
    changed = cell.replace(letters=3)
    assert changed != cell and changed.name == "letters=3" and cell.replace(order=9) != cell
    for wrong, said in (("group", "it is a Group"), ("width", "it has letters, layers, order")):
        with pytest.raises(AttributeError, match=said):
            getattr(cell, wrong)
    with pytest.raises(AttributeError, match=r"give it as well, as in cell.replace\(letters"):
        _ = changed.order
    with pytest.raises(TypeError, match="a cell has no 'width'"):
        cell.replace(width=1)
    with pytest.raises(AttributeError, match="a cell does not change"):
        cell.letters = 3

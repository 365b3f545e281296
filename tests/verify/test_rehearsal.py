"""Seeds that a verdict needs: counted before training, and the same number as the judge wants of perfect data."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from depthjax.runs.records import RunDirectory, Settings
from depthjax.runs.runner import run_claim
from depthjax.verify import Claim, Grid, Outcome, Prediction, Relation, Source, judge
from depthjax.verify.rehearsal import hopeless, seeds_needed, seeds_of

CLAIM = Claim("toy", "", "", "", Relation.TREND, Source("nobody", "this project"), (), "")
MIXED = (
    Prediction((1, 0, 1), of="grid", dims=("place",)),
    Prediction((2, 1, 3), of="times", dims=("item",), relation=Relation.RANKING),
    Prediction(4, of="count", relation=Relation.EQUALS),
)


def perfect(entries, seeds: int, opposite: bool) -> xr.Dataset:
    """What every seed would do if the predictions were true, or wholly false."""
    data = {}
    for cell, entry in enumerate(entries):
        for prediction in [entry] if isinstance(entry, Prediction) else entry or ():
            values = np.asarray(prediction.value, float)
            if prediction.relation is Relation.EQUALS:
                runs, dims = np.full(len(entries), values, int), ()
            else:
                turned = -values if prediction.relation is Relation.RANKING else 1 - values
                runs = np.repeat((turned if opposite else values)[..., None], seeds, axis=-1)
                dims = (*prediction.dims, "seed")
                runs = np.broadcast_to(runs, (len(entries), *runs.shape))
            held = data.setdefault(prediction.of, (("cell", *dims), np.array(runs)))
            held[1][cell] = runs[cell]
    return xr.Dataset(data)


@pytest.mark.parametrize(
    "entries",
    [
        [Prediction(1, of="won")],
        [Prediction(0, of="won"), None, Prediction(1, of="won")],
        [Prediction(np.arange(20) % 2, of="won", dims=("place",))],
        [MIXED, MIXED, MIXED],
    ],
)
def test_one_seed_fewer_and_the_judge_cannot_tell(entries):
    def statements(verdict):
        return [f.outcome for f in verdict.findings if f.quantity != "count"]

    for opposite, outcome in ((False, Outcome.SUPPORTED), (True, Outcome.REFUTED)):
        needed = seeds_needed(CLAIM, entries) if not opposite else seeds_needed(CLAIM, [], [entries])
        enough = statements(judge(CLAIM, entries, perfect(entries, needed, opposite)))
        fewer = statements(judge(CLAIM, entries, perfect(entries, needed - 1, opposite)))
        assert set(enough) == {outcome} and Outcome.INCONCLUSIVE in fewer, (opposite, needed)


def test_the_sentence_names_the_seeds():
    entries = [Prediction(np.ones(20), of="won", dims=("place",))]
    needed = seeds_needed(CLAIM, entries, [entries])
    assert needed > seeds_needed(CLAIM, entries)  # a control shares its rate
    assert hopeless(CLAIM, entries, needed, [entries]) == ""
    words = f"{needed - 1} seeds cannot give a verdict even if all of them do as predicted; {needed} would"
    assert hopeless(CLAIM, entries, needed - 1, [entries]) == words
    assert hopeless(CLAIM, [Prediction(1, of="count", relation=Relation.EQUALS), None], 1) == ""


def test_seeds_of_a_grid():
    assert seeds_of(Grid().cells()) is None
    toys = dataclasses.make_dataclass("Toys", [("seeds", int, 5)], bases=(Grid,), frozen=True)
    assert seeds_of(toys().cells()) == 5 and seeds_of([toys(3), toys(4)]) is None


def test_a_claim_with_too_few_seeds_is_refused_before_anything_is_measured(rooms, tmp_path):
    claim = """
@dataclasses.dataclass(frozen=True)
class Few(Grid):
    seeds: int = 3

GRIDS = dict.fromkeys(GRIDS, Few())

def predict(cell):
    return Prediction(1, of="won")

RIVALS = (off_by(1, of="won"),)
"""
    rooms.change = ("Relation.EQUALS", f"Relation.{CLAIM.relation.name}")
    module = rooms.write(claim, "def measure(cell, key):\n    raise AssertionError('nothing is trained')\n")
    run = RunDirectory.create(Path(tmp_path) / "run", Settings("quick", 0, "float32", ("toy",)))
    entry = run_claim(module, run)
    needed = seeds_needed(CLAIM, [Prediction(1, of="won")])
    assert entry["outcome"] == "INCONCLUSIVE"
    assert (
        entry["reason"].startswith("nothing was measured: 3 seeds cannot give a verdict")
        and f"; {needed} would" in entry["reason"]
    )
    assert not (run.path / "cells").exists() and not (run.path / "errors").exists()

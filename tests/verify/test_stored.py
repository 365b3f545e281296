"""Sealed measurements: kept only where everything that they depend on is the same, and refused by name otherwise."""

import dataclasses
import json

import numpy as np
import pytest
import xarray as xr

from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import environment, versions
from depthjax.runs.records import Settings, save
from depthjax.runs.stored import SEAL, SUM, checksum, keep, kept, verdict_differs

ORIGIN = {"slug": "a", "cell": "x=1", "seed": "0", "size": "quick", "precision": "float64", "source": "0123", "device": "cpu"}
SETTINGS = Settings(size="quick", seed=3, precision="float64", slugs=("truncation_order",))
MODULE = "experiments.lie.truncation_order"


def measurement():
    return xr.Dataset(
        {
            "x": ("point", np.array([1.5, np.nan, -0.0]), {"long_name": "an x"}),
            "n": ("point", np.array([1, 2**40, -3])),
            "narrow": ((), np.float16(0.1)),
            "word": ("point", np.array(["a", "ü", ""])),
            "true": ((), True),
        },
        coords={"point": [1, 2, 3]},
    )


def test_what_was_kept_is_found_again(tmp_path):
    keep(tmp_path / "x.nc", measurement().assign_attrs(slug="a"), ORIGIN)
    found, why = kept(tmp_path / "x.nc", ORIGIN)
    assert why == ""
    xr.testing.assert_identical(found, measurement().assign_attrs(slug="a"))


def test_where_there_is_nothing_there_is_no_complaint(tmp_path):
    assert kept(tmp_path / "x.nc", ORIGIN) == (None, "")


@pytest.mark.parametrize("name", ORIGIN)
def test_another_origin_is_refused_by_name(tmp_path, name):
    keep(tmp_path / "x.nc", measurement(), ORIGIN)
    found, why = kept(tmp_path / "x.nc", ORIGIN | {name: "9"})
    assert found is None
    assert why == ("is of other source code" if name == "source" else f"is of {name} {ORIGIN[name]} (now 9)")


@pytest.mark.parametrize("change", [{"new": "1"}, {"source": ""}])
def test_an_origin_that_is_not_known_is_another_one(tmp_path, change):
    keep(tmp_path / "x.nc", measurement(), ORIGIN | ({"source": ""} if "source" in change else {}))
    assert kept(tmp_path / "x.nc", ORIGIN | change)[0] is None


def _directory(file):
    file.unlink()
    file.mkdir()
    (file / "notes").write_text("mine")


def _resealed(file, dataset):
    save(file, dataset.assign_attrs({SEAL: json.dumps(ORIGIN), SUM: checksum(measurement())}))


DAMAGES = {
    "no bytes": (lambda file: file.write_bytes(b""), "cannot be read"),
    "half": (lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]), ""),
    "without its end": (lambda file: file.write_bytes(file.read_bytes()[:-9]), ""),
    "garbage": (lambda file: file.write_bytes(bytes(range(256)) * 8), "cannot be read"),
    "a directory": (_directory, "cannot be read"),
    "no seal": (lambda file: save(file, measurement()), "does not say what it came from"),
    "a seal that is none": (lambda file: save(file, measurement().assign_attrs({SEAL: "[1", SUM: "2"})), "does not say"),
    "a seal of another kind": (lambda file: save(file, measurement().assign_attrs({SEAL: "[1]", SUM: "2"})), "does not say"),
    "other variables": (lambda file: _resealed(file, measurement().rename(x="y")), "damaged"),
    "a variable less": (lambda file: _resealed(file, measurement().drop_vars("n")), "damaged"),
    "another number": (lambda file: _resealed(file, measurement().assign(true=False)), "damaged"),
    "another sign of zero": (lambda file: _resealed(file, measurement().assign(x=("point", [1.5, np.nan, 0.0]))), "damaged"),
    "another word": (lambda file: _resealed(file, measurement().assign(word=("point", ["a", "u", ""]))), "damaged"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_refused_and_mended(tmp_path, damage):
    file = tmp_path / "x.nc"
    keep(file, measurement(), ORIGIN)
    act, words = DAMAGES[damage]
    act(file)
    found, why = kept(file, ORIGIN)
    assert found is None and words in why and why
    keep(file, measurement(), ORIGIN)
    assert kept(file, ORIGIN)[1] == ""
    if damage == "a directory":  # somebody's files are not deleted
        assert (tmp_path / "x.nc.aside1" / "notes").read_text() == "mine"


def test_no_byte_of_the_numbers_can_change_unseen(tmp_path):
    file = tmp_path / "x.nc"
    keep(file, xr.Dataset({"x": ("point", np.linspace(1, 2, 16))}), ORIGIN)
    whole = file.read_bytes()
    begin = whole.index(np.array([1.0], ">f8").tobytes())
    for place in range(begin, begin + 16 * 8):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert "damaged" in kept(file, ORIGIN)[1], place


def verdict(**changes):
    place = environment() | {"size": "quick", "seed": 3, "precision": "float64", "source": source_digest(MODULE)}
    return {"slug": "truncation_order", "provenance": place | changes}


def test_a_verdict_of_here_and_now_stands():
    assert verdict_differs(verdict(), MODULE, SETTINGS, environment()["device"]) == ""
    assert verdict_differs(verdict(device="an abacus"), MODULE, SETTINGS) == ""  # nobody knows the device here


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": "0123456789abcdef"}, "other source code"),
        ({"source": ""}, "other source code"),
        ({"seed": 4}, "seed 4 (now 3)"),
        ({"size": "full"}, "size full (now quick)"),
        ({"precision": "float32"}, "precision float32 (now float64)"),
        ({"versions": versions() | {"jax": "0.1"}}, "versions"),
        ({"device": "an abacus"}, "device an abacus (now cpu"),
    ],
)
def test_a_verdict_of_something_else_does_not(changes, words):
    assert words in verdict_differs(verdict(**changes), MODULE, SETTINGS, environment()["device"])


def test_a_claim_that_never_ran_has_no_verdict():
    assert verdict_differs({"slug": "truncation_order", "provenance": {}}, MODULE, SETTINGS) == "no measurement"
    other = dataclasses.replace(SETTINGS, seed=2**32 - 1)
    assert "seed 3 (now 4294967295)" in verdict_differs(verdict(), MODULE, other)

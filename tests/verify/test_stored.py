"""Sealed measurements: kept only where everything that they depend on is the same, and refused by name otherwise."""

import dataclasses
import json

import numpy as np
import pytest
import xarray as xr

from depthjax.runs.origin import source_digest
from depthjax.runs.provenance import environment, numerics, versions
from depthjax.runs.records import Settings, load, save
from depthjax.runs.stored import BLANK, SEAL, SUM, checksum, keep, kept, verdict_differs

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
    save(file, dataset.assign_attrs({SEAL: json.dumps(ORIGIN), SUM: load(file).attrs[SUM]}))


DAMAGES = {
    "no bytes": (lambda file: file.write_bytes(b""), "cannot be read"),
    "half": (lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]), ""),
    "without its end": (lambda file: file.write_bytes(file.read_bytes()[:-9]), ""),
    "garbage": (lambda file: file.write_bytes(bytes(range(256)) * 8), "cannot be read"),
    "a directory": (_directory, "cannot be read"),
    "no seal": (lambda file: save(file, measurement()), "does not say what it came from"),
    "a seal that is none": (lambda file: save(file, measurement().assign_attrs({SEAL: "[1", SUM: "2"})), "does not say"),
    "a seal of another kind": (lambda file: save(file, measurement().assign_attrs({SEAL: "[1]", SUM: "2"})), "does not say"),
    "no checksum": (lambda file: save(file, measurement().assign_attrs({SEAL: json.dumps(ORIGIN), SUM: 7})), "damaged"),
    "a checksum that is blank": (
        lambda file: save(file, measurement().assign_attrs({SEAL: json.dumps(ORIGIN), SUM: BLANK})),
        "damaged",
    ),
    "another attribute": (lambda file: _resealed(file, measurement().assign_attrs(note="x")), "damaged"),
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


@pytest.mark.filterwarnings("ignore")  # of readers of damaged files
@pytest.mark.parametrize("flip", [1, 0x80], ids=hex)
def test_no_byte_of_a_stored_measurement_can_change_unseen(tmp_path, flip):
    file = tmp_path / "x.nc"
    about = {"ancillary_variables": "floor", "role": "quantity", "long_name": "an x", "numbers": [1, 2], "one": 2.5}
    dataset = xr.Dataset({"x": ("point", np.linspace(1, 2, 4), about), "floor": ((), 1e-16, {"role": "floor"})}, {"a": [1]})
    keep(file, dataset.assign_attrs(seconds=1.0, cell="x=1"), ORIGIN)
    whole = file.read_bytes()
    assert kept(file, ORIGIN)[1] == ""
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :])
        found, why = kept(file, ORIGIN)
        assert found is None and why, place
    for longer in (whole + b"\0", whole[:-1]):
        file.write_bytes(longer)
        assert kept(file, ORIGIN)[1]


def test_the_checksum_is_of_the_file_and_not_of_words_like_it(tmp_path):
    keep(tmp_path / "x.nc", measurement().assign_attrs(zeros=BLANK), ORIGIN)
    assert kept(tmp_path / "x.nc", ORIGIN)[1] == ""
    content = (tmp_path / "x.nc").read_bytes()
    assert load(tmp_path / "x.nc").attrs[SUM] == checksum(content, load(tmp_path / "x.nc").attrs[SUM])


def test_what_is_too_large_is_not_read_and_not_written(tmp_path, monkeypatch):
    hole = tmp_path / "hole.nc"
    with open(hole, "wb") as stream:
        stream.truncate(3 * 2**30)
    assert "has 3221225472 bytes, expected at most" in kept(hole, ORIGIN)[1]
    monkeypatch.setattr("depthjax.runs.records.MAX_CELL", 100)
    with pytest.raises(ValueError, match="a run stores at most 100:"):
        keep(tmp_path / "x.nc", measurement(), ORIGIN)


def test_variables_that_overlap_are_not_read_again_and_again(tmp_path):
    names = [f"v{number:03d}" for number in range(300)]
    save(tmp_path / "x.nc", xr.Dataset({name: ("p", np.zeros(1000, np.int32)) for name in names}))
    content = bytearray((tmp_path / "x.nc").read_bytes())
    first = None
    for name in names:  # 64 bits before the data of a variable's header say where its data begin
        at = content.index(name.encode()) + 4 + 4 + 4 + 8 + 4 + 4
        first = content[at : at + 8] if first is None else first
        content[at : at + 8] = first
    short = bytes(content[: int.from_bytes(first, "big") + 4000])  # all of them are the first
    (tmp_path / "x.nc").write_bytes(short)
    assert "its parts overlap" in kept(tmp_path / "x.nc", ORIGIN)[1]


def verdict(**changes):
    place = environment() | {"size": "quick", "seed": 3, "precision": "float64", "source": source_digest(MODULE)}
    return {"slug": "truncation_order", "provenance": place | changes}


def test_a_verdict_of_here_and_now_stands():
    assert verdict_differs(verdict(), MODULE, SETTINGS, numerics()) == ""
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
        ({"surroundings": environment()["surroundings"] | {"threads": "9"}}, "threads 9 (now "),
        ({"surroundings": {}}, "jax_options unknown (now "),
    ],
)
def test_a_verdict_of_something_else_does_not(changes, words):
    assert words in verdict_differs(verdict(**changes), MODULE, SETTINGS, numerics())


def test_a_claim_that_never_ran_has_no_verdict():
    assert verdict_differs({"slug": "truncation_order", "provenance": {}}, MODULE, SETTINGS) == "no measurement"
    other = dataclasses.replace(SETTINGS, seed=2**32 - 1)
    assert "seed 3 (now 4294967295)" in verdict_differs(verdict(), MODULE, other)

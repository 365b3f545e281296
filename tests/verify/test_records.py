"""The run directory: atomic, appendable, picky about what it resumes, exact about what it stores."""

import json
import os

import ml_dtypes
import numpy as np
import pytest
import xarray as xr

from depthjax import dtypes, files
from depthjax.runs.entry import unrun
from depthjax.runs.lines import FORMAT
from depthjax.runs.records import RecordError, RunDirectory, Settings, is_whole, load, plain, save

SETTINGS = Settings(size="quick", seed=3, precision="float64", slugs=("a", "b"))


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.5, np.nan, np.inf]),
        np.array([1.5, 2.5], np.float32),
        np.array([1.5, 2.5], np.float16),
        np.array([True, False]),
        np.array([-(2**62), 2**62]),
        np.array([0, 2**64 - 1], np.uint64),
        np.array([1, 2], np.int64),
        np.array([1, 2], np.uint8),
        np.array([1, 2], np.int16),
        np.array(["aa", "ü", ""]),
        np.zeros(0, np.int64),
        np.zeros(0),
    ],
    ids=str,
)
def test_every_type_survives_the_disk(tmp_path, values):
    run = RunDirectory.create(tmp_path, SETTINGS)
    dataset = xr.Dataset({"x": ("point", values, {"long_name": "an x"}), "s": ((), values[0] if values.size else 0)})
    run.save(tmp_path / "cells" / "a" / "x.nc", dataset)
    again = load(tmp_path / "cells" / "a" / "x.nc")
    np.testing.assert_array_equal(again["x"], dataset["x"])
    assert again["x"].dtype.kind == values.dtype.kind
    assert values.dtype.kind == "U" or again["x"].dtype == values.dtype
    assert again["x"].attrs == {"long_name": "an x"}


def test_a_file_that_was_cut_off_is_known_by_its_header_at_every_length(tmp_path, monkeypatch):
    file = tmp_path / "x.nc"
    save(file, xr.Dataset({"x": ("point", np.arange(3.0), {"long_name": "an x"}), "word": ("point", ["aa", "b", ""])}))
    content = file.read_bytes()
    readable = {}
    for length in range(len(content) + 1):
        file.write_bytes(content[:length])
        try:
            readable[length] = load(file) is not None
        except Exception:
            readable[length] = False
    monkeypatch.setattr(files, "read", None)  # from here on nobody reads a whole file
    for length, expected in readable.items():
        file.write_bytes(content[:length])
        assert is_whole(file, tmp_path) == expected, length
    assert readable[len(content)] and not all(readable.values())


NARROW = [
    name for name in dir(ml_dtypes) if dtypes.number(name) in (int, float)
]  # bfloat16, and floats and integers of 8 bits and fewer


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")  # of signalling NaN
@pytest.mark.parametrize("kind", NARROW)
def test_every_number_of_a_narrow_type_survives_the_disk(tmp_path, kind):
    own = np.dtype(kind)
    if dtypes.is_integer(kind):
        values = np.arange(ml_dtypes.iinfo(own).min, int(ml_dtypes.iinfo(own).max) + 1).astype(own)
    else:
        values = np.arange(2 ** min(ml_dtypes.finfo(own).bits, 8 * own.itemsize), dtype=f"u{own.itemsize}").view(own)
    run = RunDirectory.create(tmp_path, SETTINGS)
    run.save(tmp_path / "x.nc", xr.Dataset({"x": ("point", values)}))
    again = load(tmp_path / "x.nc")["x"].to_numpy()
    assert again.dtype == own
    np.testing.assert_array_equal(again.astype(float), values.astype(float))  # NaN in the same places
    if dtypes.is_floating(kind):
        np.testing.assert_array_equal(np.signbit(again.astype(float)), np.signbit(values.astype(float)))


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 2), (2, 0, 3), (2, 3, 0), (0, 0)])
@pytest.mark.parametrize("kind", ["float64", "bfloat16", "int64", "bool", "U1"])
def test_every_shape_survives_the_disk_empty_ones_too(tmp_path, shape, kind):
    run = RunDirectory.create(tmp_path, SETTINGS)
    names = [f"axis {number}" for number in range(len(shape))]
    empty = xr.DataArray(np.zeros(shape, kind), dims=names, attrs={"long_name": "an x"})
    dataset = xr.Dataset({"x": empty, "full": ("place", [1.0, 2.0])}, {"at": (names[:1], np.arange(shape[0]))}, {"kept": "yes"})
    run.save(tmp_path / "x.nc", dataset)
    again = load(tmp_path / "x.nc")
    xr.testing.assert_identical(again.drop_vars("x"), dataset.drop_vars("x"))
    assert again["x"].dtype == dataset["x"].dtype and set(again.coords) == {"at"}
    assert (again["x"].dims, again["x"].shape, again["x"].attrs) == (empty.dims, shape, empty.attrs)


def test_floats_that_are_wider_than_those_of_a_run_are_refused_with_a_remedy(tmp_path):
    run = RunDirectory.create(tmp_path, SETTINGS)
    if np.dtype("longdouble").itemsize > 8:
        with pytest.raises(ValueError, match="round it to float64"):
            run.save(tmp_path / "x.nc", xr.Dataset({"x": ((), np.longdouble(1))}))


def test_complex_numbers_are_refused_with_a_remedy(tmp_path):
    run = RunDirectory.create(tmp_path, SETTINGS)
    with pytest.raises(ValueError, match="real and imaginary"):
        run.save(tmp_path / "x.nc", xr.Dataset({"x": ((), 1j)}))


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    run = RunDirectory.create(tmp_path, SETTINGS)
    run.save_text("note.txt", "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(RecordError, match="No space left"):
        run.save_text("note.txt", "new")
    monkeypatch.undo()
    assert (tmp_path / "note.txt").read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["note.txt", "run.json"]


def test_verdicts_are_appended_and_a_corrupt_line_is_kept(tmp_path):
    run = RunDirectory.create(tmp_path, SETTINGS)
    first, second = (unrun(slug, "topic", "") for slug in "ab")
    run.append(first | {"margin": float("nan")})
    with open(tmp_path / "verdicts.jsonl", "ab") as stream:
        stream.write(b'[1, 2]\n\xff\xfe\n{"slug": "half')
    run.append(second)
    complaints = []
    found = run.verdicts(complaints.append)
    assert found == {"a": first, "b": second}
    assert [complaint.split(" line ")[1].split()[0] for complaint in complaints] == ["2", "3", "4"]
    assert b'{"slug": "half\n' in (tmp_path / "verdicts.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("change", "words"),
    [({"seed": 4}, "seed 3 (now 4)"), ({"size": "full"}, "size quick (now full)"), ({"slugs": ("a",)}, "slugs a b (now a)")],
)
def test_resuming_needs_the_same_settings(tmp_path, change, words):
    import dataclasses

    RunDirectory.create(tmp_path, SETTINGS)
    assert RunDirectory.resume(tmp_path, SETTINGS).settings == SETTINGS
    with pytest.raises(RecordError) as error:
        RunDirectory.resume(tmp_path, dataclasses.replace(SETTINGS, **change))
    assert words in str(error.value)


def test_a_run_of_the_release_before_is_read_and_one_of_a_later_release_is_not(tmp_path):
    RunDirectory.create(tmp_path, SETTINGS)
    file = tmp_path / "run.json"
    content = json.loads(file.read_text())
    assert content.pop("format") == FORMAT
    file.write_text(json.dumps(content))
    assert RunDirectory.open(tmp_path).settings == SETTINGS
    file.write_text(json.dumps(content | {"format": FORMAT + 1}))
    with pytest.raises(RecordError, match=rf"format is {FORMAT + 1}, expected 0 to {FORMAT}.*install the version"):
        RunDirectory.open(tmp_path)


def test_directories_that_cannot_be_used_are_named(tmp_path):
    with pytest.raises(RecordError, match=r"no run\.json"):
        RunDirectory.open(tmp_path)
    (tmp_path / "run.json").write_text('{"size": "quick"')
    with pytest.raises(RecordError, match="damaged"):
        RunDirectory.open(tmp_path)
    with pytest.raises(RecordError, match="not empty"):
        RunDirectory.create(tmp_path, SETTINGS)
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="cannot write"):
        RunDirectory.create(tmp_path / "file" / "below", SETTINGS)


def test_names_of_cells_make_safe_files(tmp_path):
    run = RunDirectory.create(tmp_path, SETTINGS)
    file = run.cell_file("a", 7, "group=C2^3,../../word=x y" + "z" * 200)
    assert file.parent == tmp_path / "cells" / "a"
    assert len(file.name) < 100
    assert run.cell_file("a", 7, "letters=2,layers=3").name == "007-letters=2,layers=3.nc"


def test_controls_of_any_names_have_files_of_their_own(tmp_path):
    run = RunDirectory.create(tmp_path, SETTINGS)
    names = [
        "α",
        "β",
        "a < b",
        "a > b",
        "a_b",
        "a b",
        "A_B",
        "",
        "_",
        "x" * 300,
        "x" * 301,
        "日本",
        "日本語",
        "é",
        "e\u0301",
        "-",
        "a\n",
    ]
    files = [run.cell_file("a", 0, "x=1", name) for name in names] + [
        run.cell_file("a", 0, "x=1"),
        run.cell_file("a", 0, "x=1-α"),
    ]
    plain = {file.name.casefold() for file in files}  # as file systems that do not tell capitals apart see them
    assert len(plain) == len(files) and all(name.isascii() and len(name) < 100 for name in plain)
    assert files == [run.cell_file("a", 0, "x=1", name) for name in names] + files[-2:]  # stable


def test_plain_values_are_strict_json():
    value = {"a": np.float32(1.5), "b": (np.int64(2), np.array([np.nan, np.inf])), 3: None, "c": True, "d": object}
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == {
        "a": 1.5,
        "b": [2, [None, None]],
        "3": None,
        "c": True,
        "d": "<class 'object'>",
    }

"""Every claim has a picture in the gallery: small, inert, with a caption, and of what the claim says now."""

import pytest
import xarray as xr

from depthjax.report.inert import figure
from depthjax.report.page import COLOURS
from depthjax.report.standalone import made_from
from depthjax.runs import catalogue
from depthjax.runs.records import RunDirectory
from experiments import pictures, verdicts

OWN = {s: module for s, module in catalogue.modules().items() if catalogue.origin(module).package == catalogue.OWN}
MOST, ALL = 100_000, 3_000_000  # bytes of a picture, and of all


@pytest.mark.parametrize("slug", OWN)
def test_every_claim_has_a_picture_that_is_small_and_inert_and_says_what_to_see(slug):
    file = pictures.FOLDER / f"{slug}.svg"
    assert file.stat().st_size < MOST
    shapes, caption = figure(file.read_bytes(), "f", COLOURS)
    assert "<text" in shapes and len(caption) > 40 and caption.endswith(".")


@pytest.mark.parametrize("slug", OWN)
def test_a_picture_belongs_to_what_its_claim_says_and_measures_now(slug):
    origin = made_from((pictures.FOLDER / f"{slug}.svg").read_text("utf-8"))
    renew = "draw it again: python -m experiments.verdicts pictures RUN " + slug
    assert origin["claim"] == pictures.digest(catalogue.experiment(OWN[slug]), origin["size"]), renew


def test_no_picture_is_left_of_a_claim_that_is_gone_and_all_are_small_together():
    files = list(pictures.FOLDER.glob("*.svg"))
    assert {file.stem for file in files} == {*OWN} and sum(file.stat().st_size for file in files) < ALL


@pytest.mark.parametrize("slug", OWN)
def test_every_drawing_function_says_what_to_see(slug):
    for picture in catalogue.experiment(OWN[slug]).pictures:
        assert len(picture.caption) > 40 and picture.caption.endswith(".")


def test_another_statement_and_another_size_have_another_digest(monkeypatch):
    experiment = catalogue.experiment(OWN["truncation_order"])
    digests = {pictures.digest(experiment, size) for size in experiment.grids}
    assert len(digests) == len({str(grid) for grid in experiment.grids.values()})
    monkeypatch.setattr(pictures, "read_card", lambda module: type("Card", (), {"title": "", "statement": "", "latex": ""}))
    assert pictures.digest(experiment, "quick") not in digests


def test_pictures_are_drawn_from_a_run(tmp_path, monkeypatch, capsys):
    from depthjax.verify import run

    done = run("pairwise_masking_blind", size="test", out=tmp_path / "run")
    assert isinstance(done.dataset("pairwise_masking_blind"), xr.Dataset) and RunDirectory.open(tmp_path / "run")
    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    assert verdicts.main(["pictures", str(tmp_path / "run")]) == 0
    assert "pairwise_masking_blind.svg" in capsys.readouterr().out
    assert made_from((tmp_path / "pairwise_masking_blind.svg").read_text("utf-8"))["size"] == "test"
    assert (
        verdicts.main(["pictures", str(tmp_path / "run"), "no_such_claim"]) == verdicts.main(["pictures", str(tmp_path)]) == 2
    )

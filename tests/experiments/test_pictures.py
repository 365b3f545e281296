"""Every claim has a picture in the gallery: small, inert, with a caption, and sealed by the program that drew it."""

import numpy as np
import pytest

from depthjax.report.inert import figure
from depthjax.report.page import COLOURS
from depthjax.runs import catalogue
from depthjax.verify import Quantity, measured, run
from depthjax.verify.quantity import attach
from experiments import headline, pictures, seals, verdicts
from experiments.headline import CLAIMS
from experiments.standalone import made_from

OWN = {s: module for s, module in catalogue.modules().items() if catalogue.origin(module).package == catalogue.OWN}
MOST, TOGETHER = 100_000, 3_000_000  # bytes of a picture, and of all


ALL = (*OWN, pictures.HEADLINE)


@pytest.mark.parametrize("slug", ALL)
def test_every_claim_has_a_picture_that_is_small_and_inert_and_says_what_to_see(slug):
    file = pictures.FOLDER / f"{slug}.svg"
    assert file.stat().st_size < MOST
    shapes, caption = figure(file.read_bytes(), "f", COLOURS)
    assert "<text" in shapes and len(caption) > 40 and caption.endswith(".")


@pytest.mark.parametrize("name", ALL)
def test_a_picture_names_the_claims_that_it_is_drawn_from(name):
    origin = made_from((pictures.FOLDER / f"{name}.svg").read_text("utf-8"))
    assert {*origin["claims"]} == ({*CLAIMS} if name == pictures.HEADLINE else {name})


def test_no_picture_is_left_of_a_claim_that_is_gone_and_all_are_small_together():
    files = list(pictures.FOLDER.glob("*.svg"))
    assert {file.stem for file in files} == {*ALL} and sum(file.stat().st_size for file in files) < TOGETHER


def test_a_picture_is_present_while_its_program_is_and_stale_otherwise(tmp_path, monkeypatch, capsys):
    run("pairwise_masking_blind", size="test", out=tmp_path / "run")
    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    assert pictures.stale("pairwise_masking_blind")
    assert verdicts.main(["pictures", str(tmp_path / "run")]) == 0
    assert "pairwise_masking_blind.svg" in capsys.readouterr().out
    file = tmp_path / "pairwise_masking_blind.svg"
    assert made_from(file.read_text("utf-8"))["size"] == "test" and not pictures.stale("pairwise_masking_blind")
    monkeypatch.setattr(seals, "picture", lambda slug: "drawn otherwise")
    assert pictures.stale("pairwise_masking_blind")
    monkeypatch.setattr(seals, "program", lambda slug: "measured otherwise")
    assert verdicts.main(["pictures", str(tmp_path / "run"), "pairwise_masking_blind"]) == 0
    assert pictures.stale("pairwise_masking_blind")  # the run is of an earlier program
    assert verdicts.main(["pictures", str(tmp_path / "run"), "truncation_order"]) == 2
    assert "no measurements of truncation_order" in capsys.readouterr().err
    assert verdicts.main(["pictures", str(tmp_path)]) == 2


def test_the_headline_shows_what_is_predicted_constructed_and_trained(monkeypatch):
    seen = []
    monkeypatch.setattr(headline, "svg", lambda canvas, *words: seen.append(canvas) or "")
    rotation = measured(
        depth=[1, 2],
        order_blind=Quantity([0.1, 0.3], "position", label="best guess"),
        mse_1x=Quantity([[0.25] * 8, [0.1] * 8], "depth seed"),
    )
    wrong = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    depth, wrong = Quantity([2, 3, 3, 4], "hops"), Quantity(wrong, "layers hops")
    deep = measured(layers=[1, 2, 3, 4], hops=[1, 2, 3, 4], depth=depth, wrong=wrong)
    trained = measured(layers=[1, 2], reach=Quantity([[0] * 8, [1] * 8], "layers seed"))
    rotation = attach(rotation, "order_blind", "prediction", ("position", [0.1, 0.3]))
    deep = attach(deep, "depth", "prediction", ("hops", [2, 3, 3, 4]))
    headline.headline(*(data.expand_dims("cell") for data in (rotation, deep, trained)))
    left, right = seen[0].axes
    assert left.collections[0].get_segments()[0][0, 1] == pytest.approx(0.2)
    law, constructed = (line.get_xydata().tolist() for line in right.lines[:2])
    assert law == constructed == [[1, 0], [2, 1], [3, 3]]  # all four hops are the end of the grid

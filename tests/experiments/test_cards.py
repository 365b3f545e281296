"""Cards are read from the files of the claims, and reading them loads no arrays."""

import importlib
import subprocess
import sys

import pytest

from depthjax.card import read_card
from depthjax.runs import catalogue
from depthjax.verify import Experiment

MODULES = catalogue.modules()


@pytest.mark.parametrize("slug", MODULES)
def test_the_card_is_what_the_module_says(slug):
    card, claim = read_card(MODULES[slug]), Experiment.of(importlib.import_module(MODULES[slug])).claim
    assert card.relation == claim.relation.name
    assert (card.title, card.source, card.assumes) == (claim.title, claim.source, claim.assumes)
    for option, value in card.options.items():
        assert getattr(claim, option) == value


@pytest.mark.parametrize("arguments", [["list"], ["show", "tower_error_order"]], ids=" ".join)
def test_listing_and_showing_import_no_claim(arguments):
    code = "import sys; from experiments.cli import main; main(sys.argv[1:]); sys.exit(bool({'jax', 'sympy'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True).returncode == 0

"""The prediction and the measurement of a claim use their own side of the border, as far as their texts show it."""

import pytest

from depthjax.runs import catalogue
from depthjax.runs.border import check_room

MODULES = catalogue.modules()


@pytest.mark.parametrize("slug", MODULES)
def test_the_text_of_a_claim_keeps_its_sides_apart(slug):
    assert check_room(MODULES[slug]).name == slug

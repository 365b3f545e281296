"""Types and shapes of annotations are checked while tests run: shapes where a file names some, plain types everywhere."""

import re
from pathlib import Path

import numpy as np
import pytest
from jaxtyping import TypeCheckError

from depthjax import card
from depthjax.report import inert
from depthjax.rounding import spectral_distance
from depthjax.runs.definitions import file_of

PACKAGE = Path(card.__file__).parent


def test_every_file_that_names_shapes_is_checked_with_them(pytestconfig):
    *checked, _ = pytestconfig.getoption("jaxtyping_packages").split(",")
    shaped = [
        "depthjax." + ".".join(file.relative_to(PACKAGE).with_suffix("").parts)
        for file in PACKAGE.rglob("*.py")
        if re.search(r"^(from|import) jaxtyping", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert shaped and all(any(f"{name}.".startswith(f"{one}.") for one in checked) for name in shaped)


@pytest.mark.parametrize("call", [card.read_card, file_of, inert.formula])
def test_a_plain_type_is_checked(call):
    with pytest.raises(TypeError, match="violates type hint"):
        call(3)


def test_a_shape_is_checked():
    with pytest.raises(TypeCheckError):
        spectral_distance(np.ones((2, 3)), np.ones((2, 3)))  # not square

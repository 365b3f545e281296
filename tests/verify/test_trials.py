"""Controls: what must say what they measure, and says it once."""

import pytest

from depthjax.verify import Prediction, control


def one(*_):
    return Prediction(1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "measures nothing: give measure="),
        ({"instead": {}}, "measures nothing"),
        ({"measure": one, "objects": one}, "takes its objects from itself"),
        ({"predict": one, "instead": {"error": "other"}}, "names its quantity itself"),
        ({"finds": one, "instead": {"error": "other"}}, "what the claim measures is predicted by the claim"),
    ],
    ids=["nothing", "empty", "two measurements", "two predictions", "finds what the claim measures"],
)
def test_a_control_whose_measurement_is_not_said_once_is_refused(arguments, words):
    with pytest.raises(TypeError, match=f"the control 'one layer fewer' .*{words}"):
        control("one layer fewer", **arguments)

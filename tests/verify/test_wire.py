"""What the processes of a run say to each other comes back as it was, whatever release of Python wrote it."""

from fractions import Fraction

import numpy as np
import pytest

from depthjax.runs import wire
from depthjax.verify import Outcome, Relation


def test_plain_data_and_members_of_enumerations_come_back():
    value = {"relation": Relation.EQUALS, "outcomes": [*Outcome], "number": Fraction(1, 3), "array": np.arange(3.0)}
    back = wire.loads(wire.dumps(value))
    np.testing.assert_array_equal(back.pop("array"), value.pop("array"))
    assert back == value


def test_members_are_written_by_value(monkeypatch):
    """Releases of Python 3.11 before 3.11.4 would write ``getattr``, which is never read; here every release would."""
    monkeypatch.setattr(Relation, "__reduce_ex__", lambda member, protocol: (getattr, (Relation, member.name)))
    content = wire.dumps(tuple(Relation))
    assert b"getattr" not in content and len(wire.loads(content)) == len(Relation)


@pytest.mark.parametrize("foreign", [print, np.sin, object(), type("Own", (), {})()], ids=["builtin", "ufunc", "object", "own"])
def test_code_is_refused_where_it_is_written(foreign):
    with pytest.raises(wire.NotPlain, match="hand over numbers"):
        wire.dumps([foreign])

"""Every bad input is refused by an error that says what was wrong: no traceback of something else, no work without end."""

import numpy as np
import pytest

from tests import bad_inputs


@pytest.mark.parametrize("group", ["counts", "sizes", "choices", "names", "expensive", "rows"])
def test_every_bad_input_is_refused_and_told(group):
    wrong = []
    for call, positional, named, kinds, words in bad_inputs.cases(group):
        try:
            wrong.append((call, positional, named, "accepted", call(*positional, **named)))
        except Exception as error:
            if not isinstance(error, kinds) or not any(word in str(error) for word in words):
                wrong.append((call, positional, named, type(error).__name__, str(error)))
    assert not wrong, "\n".join(str(case)[:300] for case in wrong)


@pytest.mark.parametrize(("call", "good", "name"), bad_inputs.COUNT_SLOTS)
def test_numpy_integers_are_integers(call, good, name):
    value = good.get(name, 1 if name == "heads" else 8)
    answers = [call(**{**good, name: kind(value)}) for kind in (np.int64, int)]
    assert len({getattr(answer, "dimension", None) or str(answer) for answer in answers}) == 1

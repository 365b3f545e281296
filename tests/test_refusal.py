"""Checks before calls: what a check may ask for, and what a call says that has other arguments than its function."""

import pickle

import pytest

from depthjax.refusal import refusing


def small(number):
    if number > 9:
        raise ValueError(f"number = {number}: expected at most 9")
    return "not read"


@refusing(small)
def shown(text, number=10, *more, **named):
    """Show."""
    return text, number, more, named


def test_a_check_sees_arguments_however_they_are_given():
    for call in (lambda: shown("a", 12), lambda: shown("a", number=12), lambda: shown("a"), lambda: shown("a", 10, 1, b=2)):
        with pytest.raises(ValueError, match="expected at most 9"):
            call()
    assert shown("a", 3, 4, b=5) == ("a", 3, (4,), {"b": 5})
    assert shown.__doc__ == "Show." and pickle.loads(pickle.dumps(shown)) is shown


def test_a_call_with_other_arguments_says_so_itself():
    with pytest.raises(TypeError, match=r"shown\(\) missing 1 required positional argument: 'text'"):
        shown(number=1)


def test_a_check_asks_for_arguments_that_there_are():
    with pytest.raises(TypeError, match="the check of other asks for number, which is no argument of it"):

        @refusing(small)
        def other(text):
            return text

"""The page on property tests says what runs: its blocks are executed as they are printed, under hypothesis's own settings."""

import re
import subprocess
import sys
from pathlib import Path

import hypothesis
import jax
import pytest

from theory.strategies.entry import PROFILE, register

PAGE = Path(__file__).parents[1] / "docs" / "property_tests.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="no docs beside the tests")


@pytest.fixture
def as_installed():
    """Settings of somebody else's session: 32 bits, dtypes that promote, and the profile that hypothesis finds."""
    ours = hypothesis.settings.get_current_profile_name()
    hypothesis.settings.load_profile("default")
    register()
    with jax.enable_x64(False), jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield
    hypothesis.settings.load_profile(ours)


def test_the_printed_property_tests_run_as_printed(as_installed):
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert len(blocks) == 3 and tests
    for test in tests:
        test()


def test_the_plugin_takes_the_deadline_away_and_leaves_chosen_profiles():
    ask = "import hypothesis; s = hypothesis.settings; print(s().deadline, s.get_current_profile_name())"
    found = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    deadline, profile = found.stdout.split()
    assert deadline == "None" and profile in (PROFILE, "ci")  # which hypothesis takes where it sees a CI
    ours = hypothesis.settings.get_current_profile_name()
    register()
    assert hypothesis.settings.get_current_profile_name() == ours != "default"


def test_what_the_page_says_of_words_is_what_the_law_says():
    page = PAGE.read_text("utf-8")
    said = re.findall(r"^(testing\.simulates\(.*?\))  # '([^']+)'", page, re.MULTILINE)
    names: dict = {}
    exec(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0], names)
    assert len(said) == 2 and all(eval(call, names) == words for call, words in said)

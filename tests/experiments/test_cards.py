"""Cards read from source are those of the imported claims, and reading them loads no arrays."""

import importlib
import subprocess
import sys

import pytest

from experiments import cards, catalogue

MODULES = catalogue.modules()


@pytest.mark.parametrize("slug", MODULES)
def test_the_source_says_what_the_module_says(slug):
    claim = importlib.import_module(MODULES[slug]).CLAIM
    assert cards._read(MODULES[slug]) == cards.Card(claim.title, claim.relation.value, claim.source.cite())


def test_listing_imports_no_claim():
    code = (
        "import sys; from experiments.cli import main; main(['list']); sys.exit('jax' in sys.modules or 'sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.parametrize("title", ["'a' + str(1)", "f'{1}'", "NAME"])
def test_what_is_no_literal_is_imported(title, tmp_path, monkeypatch):
    source = (
        "from depthjax.verify import Claim, Relation, Source\n"
        f"NAME = 'named'\nCLAIM = Claim('x', {title}, '', '', Relation.AT_MOST, Source('A', 'B'), (), '')\n"
    )
    (tmp_path / "computed_title.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("computed_title", None)
    found = cards.card("computed_title")
    assert found.relation == "at most" and found.source == "A, “B”" and found.title == eval(title, {"NAME": "named"})


def test_errors_of_the_import_are_passed_on(tmp_path, monkeypatch):
    (tmp_path / "broken_card.py").write_text("CLAIM = 1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ZeroDivisionError):
        cards.card("broken_card")

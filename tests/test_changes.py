"""News: every file of changes/ has a name, a kind and whole sentences for readers, and towncrier assembles them."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "changes"
CHANGELOG = FOLDER.parent / "CHANGELOG.md"
FILES = sorted(FOLDER.glob("*")) if FOLDER.is_dir() else []
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(feature|fix|change|removal)\.md")
INSIDE = re.compile(
    r"\b(refactor\w*|worktree|branch|commit|merge\w*|lint\w*|ruff|pyright|reviewer|coordinator|issue \d+|tests/\S+)\b",
    re.I,
)
MOST = 900  # characters: news, not documentation

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="an installed package has no news")


def wrong(name: str, text: str) -> str:
    """What is wrong with a file of news; empty if nothing is."""
    if not NAME.fullmatch(name):
        return "its name is not WORDS-WITH-HYPHENS.KIND.md, of the kinds feature, fix, change and removal"
    body = text.strip()
    if not body or "\n\n" in body or body.startswith(("-", "#", "*")):
        return "it is not one paragraph"
    if not re.match(r"[A-Z`*]", body) or body[-1] not in ".)" or len(body) < 20:
        return "it is not made of whole sentences"
    if len(body) > MOST:
        return f"it has {len(body)} characters, more than {MOST}"
    inside = INSIDE.search(body)
    return f"{inside[0]!r} is of the inside of the house" if inside else ""


@pytest.mark.parametrize("file", [file for file in FILES if file.name != "README.md"], ids=lambda file: file.name)
def test_news_are_sentences_for_readers(file):
    assert wrong(file.name, file.read_text("utf-8")) == ""


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("bch-of-zero.fix.md", "`bounds.bch` is 0 where a norm is 0.", ""),
        ("bch.bugfix.md", "`bounds.bch` is 0 where a norm is 0.", "name"),
        ("Bch.fix.md", "`bounds.bch` is 0 where a norm is 0.", "name"),
        ("bch.fix.md", "- `bounds.bch` is 0 where a norm is 0.", "paragraph"),
        ("bch.fix.md", "First.\n\nSecond.", "paragraph"),
        ("bch.fix.md", "bounds are mended", "sentences"),
        ("bch.fix.md", "The bound is 0. " * 100, "characters"),
        ("bch.fix.md", "A refactoring of `bounds.bch` makes it 0 where a norm is 0.", "inside"),
    ],
)
def test_what_is_no_news_is_told(name, text, word):
    assert word in wrong(name, text) and bool(word) is bool(wrong(name, text))


def test_releases_stand_below_the_place_where_the_next_one_comes():
    text = CHANGELOG.read_text("utf-8")
    head, releases = text.split("<!-- releases: begin -->\n")
    assert "## " not in head and releases.strip().startswith("## ")
    assert len(text.splitlines()) < 250 * releases.count("\n## ")  # a release is read by somebody


def test_every_place_that_states_the_version_states_the_same():
    root = FOLDER.parent
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    cited = re.findall(r"^(version|date-released): (\S+)$", (root / "CITATION.cff").read_text("utf-8"), re.M)
    ((newest, day), *_) = re.findall(r"^## (\S+) \((\S+)\)$", CHANGELOG.read_text("utf-8"), re.M)
    assert dict(cited) == {"version": project["version"], "date-released": day} and newest == project["version"]
    assert ("5 - Production/Stable" in " ".join(project["classifiers"])) is (int(newest.partition(".")[0]) >= 1)


def test_the_versions_of_python_that_are_promised_are_those_that_are_tried():
    root = FOLDER.parent
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    named = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]
    tried = re.findall(r'"(3\.\d+)"', re.search(r"^PYTHONS = .*$", (root / ".ci" / "noxfile.py").read_text("utf-8"), re.M)[0])
    assert named == tried and project["requires-python"] == f">={named[0]}"
    for page in ("api.md", "new.md"):
        assert f"Python {named[0]} to {named[-1]}" in (root / "docs" / page).read_text("utf-8")


def test_towncrier_assembles_what_there_is(tmp_path):
    pytest.importorskip("towncrier")
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(FOLDER.parent / name, tmp_path)
    shutil.copytree(FOLDER, tmp_path / "changes")
    (tmp_path / "changes" / "bch-of-zero.fix.md").write_text("`bounds.bch` is 0 where a norm is 0.\n")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9", "--dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "## 9.9.9" in done.stdout and "- `bounds.bch` is 0 where a norm is 0." in done.stdout

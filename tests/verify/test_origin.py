"""Digests of source code: what a module uses counts, what it does not use does not, and nothing is imported to find out."""

import ast
import sys
from pathlib import Path

import pytest

import depthjax
import experiments
import theory
from depthjax.runs import origin
from depthjax.runs.origin import source_digest, sources

FILES = {
    "__init__.py": "",
    "topic/__init__.py": "from . import around",
    "topic/around.py": "",
    "topic/claim.py": "import numpy\nfrom project.parts import (\n    first,  # and not third\n    second as other,\n)\n"
    "def measure():\n    from ..lazy import thing; import project.plain as plain\n",
    "parts/__init__.py": "",
    "parts/first.py": "from project.deep import value",
    "parts/second.py": "",
    "parts/third.py": "",
    "deep.py": "value = 1",
    "lazy.py": "thing = 1",
    "plain.py": "",
    "stranger.py": "",
}
USED = {"__init__", "topic", "topic.around", "topic.claim", "parts", "parts.first", "parts.second", "deep", "lazy", "plain"}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write a package of these files into a folder of its own and return the digest of its claim."""
    folders = iter(range(100))

    def digest(changes: dict[str, str] | None = None, module="project.topic.claim") -> str:
        folder = tmp_path / str(next(folders))
        for name, text in (FILES | (changes or {})).items():
            file = folder / "project" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(folder))
            return source_digest(module)

    return digest


def test_what_is_used_is_found_wherever_it_is_imported(project, tmp_path, monkeypatch):
    project()
    monkeypatch.syspath_prepend(str(tmp_path / "0"))
    found = {name.removeprefix("project.").replace("project", "__init__") for name in sources("project.topic.claim")}
    assert found == USED
    assert not any(name.partition(".")[0] == "project" for name in sys.modules)


@pytest.mark.parametrize("file", FILES)
def test_the_digest_changes_with_what_is_used_and_with_nothing_else(project, file):
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    assert (project() != project({file: FILES[file] + "\n# edited"})) == (module in USED)


def test_the_same_text_in_another_place_is_the_same_source(project):
    assert project() == project() != ""


def test_the_judge_is_left_out_and_the_measurement_is_not():
    found = sources("experiments.lie.truncation_order")
    assert not any(name.startswith("depthjax.verify") for name in found)
    assert {"depthjax", "theory.lie", "experiments.lie.truncation_order"} <= set(found)
    assert any(name.startswith("depthjax.probe") for name in found)


def test_any_module_with_a_file_has_a_digest_and_others_have_none(tmp_path, monkeypatch):
    (tmp_path / "alone_in_its_file.py").write_text("import depthjax.lie.signature")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert set(sources("alone_in_its_file")) >= {"alone_in_its_file", "depthjax", "depthjax.lie.signature"}
    assert len(source_digest("alone_in_its_file")) == 16
    assert source_digest("no_such_module_anywhere") == source_digest("sys") == source_digest("theory.no_such") == ""


def _imported(file: Path, package: str) -> set[str]:
    """What the syntax tree says is imported."""
    found = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("package", [depthjax, theory, experiments], ids=lambda package: package.__name__)
def test_the_text_of_every_file_says_what_its_syntax_tree_says(package):
    root = Path(package.__file__).parent
    for file in root.rglob("*.py"):
        name = ".".join((package.__name__, *file.parent.relative_to(root).parts))
        assert _imported(file, name) <= set(origin._named(file, name)), file


NAMING = {
    "topic/claim.py": FILES["topic/claim.py"]
    + 'READS = ("table.csv", "../far/big.bin", "project.stranger", "no.such", "gone")\n'
}
NAMING |= {"topic/table.csv": "1, 2", "far/big.bin": "0" * 100}


@pytest.mark.parametrize(
    ("file", "text"), [("topic/table.csv", "1, 3"), ("far/big.bin", "1"), ("stranger.py", "x = 1"), ("topic/gone", "here")]
)
def test_files_and_modules_that_a_claim_names_count(project, file, text):
    assert project(NAMING) == project(NAMING) != project(NAMING | {file: text}) != ""
    assert project() == project({file: FILES.get(file, "")} | {file: text if file not in FILES else ""})


@pytest.mark.parametrize(
    "said", ["READS = 3", "READS = (open, 1)", "READS: tuple", "READS = ('a\\0b', '')", "READS = ((", "x = READS"]
)
def test_what_cannot_be_read_of_it_stops_nothing(project, said):
    assert project({"topic/claim.py": f"{FILES['topic/claim.py']}{said}\n"}) != ""

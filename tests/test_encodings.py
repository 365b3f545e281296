"""Text files are UTF-8 whatever the locale says: every call that opens one says so."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = {"read_text": 0, "write_text": 1}  # method -> place of the encoding among the arguments


def _nameless(tree):
    """Lines of calls that read or write text in the encoding of the locale."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        given = any(word.arg in ("encoding", None) for word in call.keywords)
        owner = getattr(getattr(call.func, "value", None), "id", "")
        if name in TEXT:
            if not given and len(call.args) <= TEXT[name]:
                yield call.lineno
        elif name == "open" and owner in ("", "io", "path", "file") and isinstance(call.func, ast.Name | ast.Attribute):
            if isinstance(call.func, ast.Attribute) and owner not in ("io", "path", "file"):
                continue
            place = 0 if isinstance(call.func, ast.Attribute) and owner != "io" else 1
            modes = [word.value for word in call.keywords if word.arg == "mode"] + call.args[place : place + 1]
            mode = modes[0].value if modes and isinstance(modes[0], ast.Constant) else "r"
            if "b" not in str(mode) and not given:
                yield call.lineno
        elif name in ("fdopen", "NamedTemporaryFile", "TemporaryFile", "TextIOWrapper"):
            modes = [word.value for word in call.keywords if word.arg == "mode"] + call.args[1:2]
            binary = modes and isinstance(modes[0], ast.Constant) and "b" in str(modes[0].value)
            if not given and not binary:
                yield call.lineno


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("open(x)", True),
        ("open(x, 'rb')", False),
        ("open(x, mode='wb')", False),
        ("open(x, 'w', encoding='utf-8')", False),
        ("path.open()", True),
        ("x.read_text()", True),
        ("x.read_text('utf-8')", False),
        ("x.write_text(y)", True),
        ("x.write_text(y, 'utf-8')", False),
        ("os.fdopen(1)", True),
        ("os.fdopen(1, 'wb')", False),
        ("os.open(x, 1)", False),
    ],
)
def test_the_rule_finds_what_it_looks_for(line, found):
    assert bool(list(_nameless(ast.parse(line)))) is found


def test_every_text_file_is_utf_8():
    files = [file for package in ("depthjax", "theory", "experiments") for file in (ROOT / package).rglob("*.py")]
    found = [
        f"{file.relative_to(ROOT)}:{line}" for file in files for line in _nameless(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert not found

"""The notebooks of the docs run from top to bottom, show what they return, and stay short."""

import ast
import re
from pathlib import Path

import jax
import pytest
from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.md"))
MOST, LAYERS = 10, 14  # lines of code of a notebook, and of one that writes out a layer

pytestmark = pytest.mark.skipif(not NOTEBOOKS, reason="no notebooks beside the tests")


def cells(notebook: Path) -> list[str]:
    """The code of each cell of a MyST notebook, without the options that stand first."""
    blocks = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", notebook.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [re.sub(r"\A(:[^\n]*\n)+", "", block) for block in blocks]


def run(cell: str, names: dict) -> object:
    """Run a cell as a notebook does: the value of a last expression is what it shows."""
    body = ast.parse(cell)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
    exec(compile(body, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_short_and_explains_itself(notebook):
    lines = [
        line for cell in cells(notebook) for line in cell.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    assert 0 < len(lines) <= (LAYERS if "mystnb:" in notebook.read_text("utf-8") else MOST)
    prose = re.sub(r"^```.*?^```$", "", notebook.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.search(r"^# \w", prose, re.MULTILINE) and len(prose.split()) > 60


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "__main__"}
    for cell in cells(notebook):
        with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):  # as readers have them
            shown = run(cell, names)
        if isinstance(shown, Figure):
            shown.savefig(tmp_path / "shown.svg")
            continue
        for form in ("__repr__", "_repr_html_", "_repr_latex_", "_repr_svg_"):
            assert not callable(method := getattr(shown, form, None)) or method()


def test_cells_are_read_as_they_are_written(tmp_path):
    text = "# Title\n\n```{code-cell} ipython3\n:tags: [hide-input]\nx = 1\nx + 1\n```\n\n```python\nnot run\n```\n"
    (tmp_path / "one.md").write_text(text)
    (cell,) = cells(tmp_path / "one.md")
    assert cell == "x = 1\nx + 1\n" and run(cell, {}) == 2

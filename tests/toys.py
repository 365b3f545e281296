"""Claims that tests write: every room is made of the few lines in which it differs from the plainest one."""

import os
import textwrap
from collections.abc import Iterable
from pathlib import Path

PLACE = "DEPTHJAX_TESTS_TOYS"  # the folder of the package `toys`, which all processes of a run of tests share
CLAIM = '''r"""{title}.

Statement: {statement}
    $$ {formula} $$
Hypotheses: {hypotheses}.
Source: {source}.
Refuted by: {refuted}.
Cost: nothing.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, UNSHARP, axis, claim, control, off_by, rival, scaled
{imports}
CLAIM = claim(Relation.{relation})


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
{sizes}


GRIDS = {grids}

{rest}
'''
MEASURE = '''"""What the program does."""

{imports}
from depthjax.verify import Quantity, measured


def measure(cell, key{given}):
{body}

{rest}
'''
PLAIN = {
    "title": "A claim of a test",
    "statement": "The order is what theory says.",
    "formula": "m = m",
    "hypotheses": "of a test",
    "source": "nobody, “nothing”",
    "refuted": "another order",
    "imports": "",
    "relation": "EQUALS",
    "sizes": "layers: int = 3",
    "grids": 'dict.fromkeys(("test", "quick", "full", "paper"), Sizes())',
}


def claim(rest: str = "", **parts: str) -> str:
    """Return the text of a ``claim.py``: its card, relation and grids, and what follows them."""
    told = PLAIN | parts
    return CLAIM.format(**told | {"sizes": textwrap.indent(told["sizes"], 4 * " "), "rest": textwrap.dedent(rest)})


def measure(body: str, *, imports: str = "", given: bool = False, rest: str = "") -> str:
    """Return the text of a ``measure.py`` whose function has these lines; with ``given`` it takes the objects of a cell."""
    body = textwrap.indent(textwrap.dedent(body).strip(), 4 * " ")
    return MEASURE.format(body=body, imports=imports, given=", given" * given, rest=textwrap.dedent(rest)).rstrip() + "\n"


def packages(folder: Path, *names: str) -> Path:
    """Make packages inside one another below a folder, and return the last."""
    for name in names:
        folder = folder / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    return folder


def write(room: Path, claim: str | None = None, measure: str | None = None, **files: str) -> None:
    """Write the files of a room; those of a true bound where no text is given."""
    claim, measure = (TRUE if claim is None else claim), (TRUE_MEASURE if measure is None else measure)
    for name, text in ({"__init__": "", "claim": claim, "measure": measure} | files).items():
        room.mkdir(parents=True, exist_ok=True)
        (room / f"{name}.py").write_text(text, encoding="utf-8")


ONE = """
def predict(cell):
    return Prediction(1.0, of="value")


RIVALS = (scaled(2.0, of="value", name="two", statement="it is two"),)
"""


def _idle(line: str, imports: str) -> tuple[str, str]:
    """A claim that the number one is one, and does something else before it is measured."""
    value = 'return measured(value=Quantity(float(cell.name == "all"), floor=0.0))'
    return claim(ONE, sizes="pass"), measure(f"{line}\n{value}", imports=imports)


DRAWS = "draws = {}np.asarray(jax.random.uniform(key, (16,)))"
BOTH = "import jax\nimport numpy as np\n"
TOYS = {  # topic and slug -> the two texts of the room
    "small/true_bound": (
        claim(
            """
            def predict(cell):
                return Prediction(cell.scale * np.ones(16), of="draw", dims=("sample",), formula="c", resolution=UNSHARP)


            def _half(cell):
                return Prediction(cell.scale * 0.5, of="draw")


            RIVALS = (rival("half the bound", _half, "draws are at most half of it", everywhere=False),)
            """,
            title="Doubled uniform draws stay under two",
            statement="Doubled draws from [0, 1) are at most 2.",
            formula=r"2u \le 2",
            hypotheses="draws are uniform",
            source="everybody, “folklore”",
            relation="AT_MOST",
            sizes="scale: tuple[float, ...] | float = (2.0, 20.0, 200.0)",
        ),
        measure(
            f"""
            {DRAWS.format("cell.scale * ")}
            return measured(draw=Quantity(draws, "sample", floor=1e-5, label="doubled draw", unit="metres"))
            """,
            imports=BOTH,
        ),
    ),
    "small/false_bound": (
        claim(
            """
            def predict(cell):
                return Prediction(0.5, of="draw")


            RIVALS = (scaled(0.5, of="draw", name="under a quarter", statement="draws are at most 1/4"),)
            """,
            title="Uniform draws stay under one half",
            statement="Draws from [0, 1) are at most 1/2.",
            relation="AT_MOST",
            sizes="draws: tuple[int, ...] | int = (8, 16)",
        ),
        measure(
            f"""
            {DRAWS.format("")}
            return measured(draw=Quantity(np.sort(draws), "sample", floor=1e-7, label="largest draws"))
            """,
            imports=BOTH,
        ),
    ),
    "small/exact_counts": (
        claim(
            """
            def objects(cell):
                return {"elements": cell.elements}


            def predict(cell, given):
                return (
                    Prediction(2 ** given["elements"], of="subsets", formula="2^{|S|}"),
                    Prediction(0, of="errors", dims=()),
                    Prediction(1, of="finite", resolution=1.0),
                )


            def _subsets(cell, given):
                return Prediction(2 ** given["elements"], of="subsets")


            CONTROLS = (control("another set", "2^n of another set", measure="shifted", predict=_subsets),)
            RIVALS = (off_by(+1, of="subsets", name="one subset more", statement="2^n + 1"),)
            """,
            title="Powers of two count subsets",
            statement="A set of n elements has 2^n subsets.",
            formula="|2^S| = 2^{|S|}",
            sizes="elements: tuple[int, ...] | int = (3, 10, 40)",
        ),
        measure(
            """
            return measured(
                word=["aa", "ab", "ba", "ü"],
                subsets=Quantity(np.int64(2 ** given["elements"]), label="subsets", unit="sets"),
                errors=Quantity(0 * np.arange(4), "word", label="wrong words"),
                finite=Quantity(given["elements"] > 0),
                kind=Quantity("a set"),
            )
            """,
            imports="import numpy as np\n",
            given=True,
            rest="""

            def shifted(cell, key, given):
                return measure(cell, key, given).assign(subsets=((), np.int64(2 ** given["elements"] + 1)))
            """,
        ),
    ),
    "small/true_order": (
        claim(
            """
            def predict(cell):
                constant = float(1 / np.prod(np.arange(1, cell.degree + 2)))
                return Prediction(cell.degree + 1, of="error", constant=constant, formula=r"\\frac{1}{(c+1)!} h^{c+1}")


            RIVALS = (
                off_by(-1, of="error", name="one order lower", statement="the error is of order c"),
                off_by(+1, of="error", name="one order higher", statement="the error is of order c + 2"),
            )
            """,
            title="Cutting exp after a term errs by the next one",
            statement="exp(h) minus its Taylor polynomial of degree c is of order c + 1 <exactly>.",
            formula=r"e^h - \sum_{j \le c} \frac{h^j}{j!} = \Theta(h^{c+1})",
            hypotheses="h is small",
            source="B. Taylor, “Methodus incrementorum”",
            refuted="another slope",
            relation="ORDER, needs_float64=True",
            sizes="degree: tuple[int, ...] | int = (1, 2)\nhalvings: int = 12",
            grids='{"test": Sizes(), "quick": Sizes(), "full": Sizes(degree=(1, 2, 3)), "paper": Sizes(degree=(1, 2, 3, 4))}',
        ),
        measure(
            """
            steps = jnp.asarray(0.5 ** np.arange(1, cell.halvings + 1))
            jitter = 1 + 0 * jax.random.normal(key, steps.shape)
            terms = jnp.cumprod(jnp.stack([jnp.ones_like(steps)] + [steps / j for j in range(1, cell.degree + 1)]), axis=0)
            error = jnp.abs(jnp.exp(steps) - jitter * terms.sum(axis=0))
            return measured(step=steps, error=Quantity(error, "step", floor=4e-16, label="error of the cut series"))
            """,
            imports="import jax\nimport jax.numpy as jnp\nimport numpy as np\n",
        ),
    ),
    "small/not_a_number": (
        claim(ONE, sizes="zero: int = 0"),
        measure(
            'return measured(value=Quantity(np.array([1.0, np.nan]) + cell.zero, "point", floor=0.0))',
            imports="import numpy as np\n",
        ),
    ),
    "small/raises": (
        claim(ONE.replace("return", 'raise ValueError("the mass 3 is not below log 2\\nat all")\n    return'), sizes="pass"),
        _idle("pass", "")[1],
    ),
    "large/dies": _idle("os.kill(os.getpid(), signal.SIGKILL)", "import os\nimport signal\n"),
    "large/stands_still": _idle("time.sleep(120)  # far beyond the patience of a test", "import time\n"),
    "large/works_long": _idle("end = time.process_time() + 12\nwhile time.process_time() < end:\n    pass", "import time\n"),
    "large/many_cells": (
        claim(
            """
            def predict(cell):
                return Prediction(1.0, of="draw", resolution=UNSHARP)


            RIVALS = (scaled(-1.0, of="draw", name="below zero", statement="draws are at most -1"),)
            """,
            title="Draws are below one",
            relation="AT_MOST",
            sizes="part: tuple[int, ...] | int = (0, 1, 2, 3, 4, 5)",
        ),
        measure(
            """
            time.sleep(float(os.environ.get("TOYS_SLEEP", "0")))
            if log := os.environ.get("TOYS_LOG"):
                with open(log, "a") as stream:
                    stream.write(f"{cell.name}\\n")
            return measured(draw=Quantity(jax.random.uniform(key, (4,)), "sample", floor=1e-7))
            """,
            imports="import os\nimport time\n\nimport jax\n",
        ),
    ),
}
TRUE, TRUE_MEASURE = TOYS["small/true_bound"]


def folder() -> Path:
    """The folder that holds the package `toys`."""
    return Path(os.environ[PLACE])


def write_toys(folder: Path, package: str = "toys", only: Iterable[str] = TOYS) -> Path:
    """Write a package of toys, two topics of claims that end in every way, and return its folder."""
    for name in only:
        topic, slug = name.split("/")
        write(packages(folder, package, topic) / slug, *TOYS[name])
    return folder / package

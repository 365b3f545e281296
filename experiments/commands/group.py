"""``depthjax group``: the representations of a finite group, and the Fourier coefficients of a function on it."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from experiments.terminal import UsageError, console, number, print_json, usage

if TYPE_CHECKING:
    import numpy as np

    from theory.groups import FiniteGroup

LARGEST = 2**24
"""Most bytes of a file with a function."""
_WIDEST = 12  # columns of a character table that are printed


@dataclasses.dataclass(frozen=True)
class GroupCommand:
    """Classes, series, characters and irreps of a finite group, and Fourier coefficients of a function on it.

    A group has a name (S3, Q8, C7:C3, ..), cycles of its generators, matrices modulo a number, or a file.
    A function is a file with one number for each element, in the order of --elements: one a line, or NAME,VALUE a line.
    The coefficient of an irrep rho is sum_g f(g) rho(g)*; its share is that of the sum of squares (Plancherel).

    Examples:
      depthjax group S3
      depthjax group "(1 2 3 4), (1 3)" --elements
      depthjax group S3 --fourier f.csv --figure s3.svg
    """

    group: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME|FILE")]
    """A name, generators, or a file with a multiplication table."""
    fourier: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """A function on the group, as CSV or text, or a JSON list."""
    elements: bool = False
    """Print the elements, with their numbers, classes and orders."""
    figure: Path | None = None
    """Draw the character table, or the Fourier coefficients, into this file (PNG, SVG or PDF)."""
    json: bool = False
    """Print one JSON object and nothing else."""
    limit: float = 1.0
    """Cost that the answer may have by its estimate, in multiples of one minute and 4 GiB; inf allows any cost."""

    def run(self) -> int:
        """Print what is asked, the character table at least."""
        from theory.cost import allow
        from theory.groups import finite_group

        with usage(ValueError, TypeError), allow(self.limit):
            found = finite_group(self.group)
            values = None if self.fourier is None else _function(self.fourier, found)
            facts = _facts(found, values)
        if self.figure is not None:
            with usage(OSError, ValueError):
                _figure(found, facts, values is not None).savefig(self.figure)
        if self.json:
            print_json(facts if self.elements else {key: value for key, value in facts.items() if key != "elements"})
        else:
            _print(facts, self.elements)
        return 0


def _function(path: Path, group: "FiniteGroup") -> "np.ndarray":
    """The numbers of a file, one for each element, by their order or by name."""
    import csv
    import json

    import numpy as np

    try:
        if not path.is_file():
            raise OSError("it is no file" if path.exists() else "there is no such file")
        if path.stat().st_size > LARGEST:
            raise OSError(f"it has more than {LARGEST} bytes")
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if text.lstrip().startswith(("[", "{")):
        try:
            found = json.loads(text)
        except json.JSONDecodeError as error:
            raise UsageError(f"{path} cannot be read as JSON ({error})") from None
        rows = [[name, value] for name, value in found.items()] if isinstance(found, dict) else [[value] for value in found]
    else:
        lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        rows = list(csv.reader(lines, skipinitialspace=True))
        if rows and _number(rows[0][-1]) is None:  # the names of the columns
            rows = rows[1:]
        if len(rows) == 1 and len(rows[0]) == group.order > 2:  # all numbers in one line
            rows = [[value] for value in rows[0]]
    if not rows:
        raise UsageError(f"{path} holds no numbers: expected one for each of the {group.order} elements of {group.name}")
    numbers = [_number(row[-1]) for row in rows]
    if (wrong := next((row[-1] for row, value in zip(rows, numbers, strict=True) if value is None), None)) is not None:
        raise UsageError(f"{path} holds {wrong!r}, which is no finite number")
    if len({len(row) for row in rows}) > 1 or len(rows[0]) > 2:
        raise UsageError(f"{path}: expected one number a line, or NAME,VALUE")
    names = [str(row[0]).strip() for row in rows]
    if len(rows[0]) == 2:
        known = {name: element for element, name in enumerate(group.names)} | {str(n): n for n in range(group.order)}
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"{path}: {unknown[0]!r} is no element of {group.name}; --elements lists their names")
        places = [known[name] for name in names]
        if len(set(places)) < len(places):
            raise UsageError(f"{path}: an element stands there twice")
        values = np.zeros(group.order, complex)
        values[places] = numbers
        return values
    if len(rows) != group.order:
        raise UsageError(
            f"{path} holds {len(rows)} numbers, but {group.name} has {group.order} elements; --elements lists them"
        )
    return np.array(numbers, complex)


def _number(text: Any) -> complex | None:
    import cmath

    try:
        value = complex(str(text).strip().replace("i", "j").replace(" ", ""))
    except ValueError:
        return None
    return value if cmath.isfinite(value) and not isinstance(text, bool) else None


def _facts(group: "FiniteGroup", values: "np.ndarray | None") -> dict[str, Any]:
    import numpy as np

    from theory.groups import fourier

    names, classes = group.names, group.conjugacy_classes
    irreps = [
        {"number": each.number, "dimension": each.dimension, "kind": each.kind, "character": [*map(str, each.character)]}
        for each in group.irreps
    ]
    facts: dict[str, Any] = {
        "group": group.name,
        "order": group.order,
        "derived_orders": [len(each) for each in group.derived_series],
        "derived_length": group.derived_length,
        "classes": [{"representative": names[int(each[0])], "size": len(each)} for each in classes],
        "irreps": irreps,
        "elements": [
            {"number": n, "name": name, "class": int(group.class_of[n]), "order": int(group.element_orders[n])}
            for n, name in enumerate(names)
        ],
    }
    if values is not None:
        total = float(np.sum(np.abs(values) ** 2)) * group.order
        rows = []
        for irrep, coefficient in zip(group.irreps, fourier(group, values), strict=True):
            power = irrep.dimension * float(np.sum(np.abs(coefficient) ** 2))
            singular = np.linalg.svd(coefficient, compute_uv=False)
            rows.append(
                {
                    "irrep": irrep.number,
                    "dimension": irrep.dimension,
                    "share": power / total if total else 0.0,
                    "singular_values": [float(value) for value in singular],
                    "real": np.real(coefficient).tolist(),
                    "imaginary": np.imag(coefficient).tolist(),
                }
            )
        facts["fourier"] = rows
    return facts


def _print(facts: dict[str, Any], elements: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    def table(rows: list[list[str]], head: list[str]) -> None:
        made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for name in head:
            made.add_column(Text(name), no_wrap=True)
        for row in rows:
            made.add_row(*map(Text, row))
        console().print(made)

    length = facts["derived_length"]
    depth = "not solvable" if length is None else f"derived length {length}"
    said = f"{facts['group']}: order {facts['order']}, {depth} (orders {', '.join(map(str, facts['derived_orders']))})"
    console().print(said, markup=False, highlight=False)
    if "fourier" in facts:
        rows = [
            [str(row["irrep"]), str(row["dimension"]), number(row["share"]), ", ".join(map(number, row["singular_values"]))]
            for row in facts["fourier"]
        ]
        table(rows, ["irrep", "dimension", "share", "singular values of the coefficient"])
    shown = facts["classes"][:_WIDEST]
    more = ["…"] if len(facts["classes"]) > _WIDEST else []
    head = ["irrep", "dimension", "kind", *(f"{each['representative']} ·{each['size']}" for each in shown), *more]
    rows = [
        [str(each["number"]), str(each["dimension"]), each["kind"], *each["character"][:_WIDEST], *more]
        for each in facts["irreps"]
    ]
    table(rows, head)
    if elements:
        table(
            [[str(e["number"]), e["name"], str(e["class"]), str(e["order"])] for e in facts["elements"]],
            ["element", "name", "class", "order"],
        )


def _figure(group: "FiniteGroup", facts: dict[str, Any], of_function: bool) -> Any:
    import numpy as np

    from depthjax.figures.irreps import character_figure, fourier_figure

    title = f"{group.name}, order {group.order}"
    if of_function:
        blocks = [np.array(row["real"]) + 1j * np.array(row["imaginary"]) for row in facts["fourier"]]
        return fourier_figure(title, blocks, [row["share"] for row in facts["fourier"]])
    table = np.array([[complex(value) for value in irrep.character] for irrep in group.irreps])
    classes = [f"{each['representative']} ·{each['size']}" for each in facts["classes"]]
    return character_figure(title, table, classes, [each["dimension"] for each in facts["irreps"]])

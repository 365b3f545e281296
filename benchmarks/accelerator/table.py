"""The results of the benchmark as Markdown: what was run where, a table for each part, and what was not run."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.accelerator.parts import PARTS

TROUBLES = ("failed", "refused", "left_out")
# tokens per second of published kernels by (mixer, shape, arithmetic, what), each with its source: none is known here
PUBLISHED: dict[tuple[str, str, str, str], str] = {}
UNKNOWN = "No source in this project's references gives tokens per second of a published kernel, so that column is empty."


def page(found: Mapping[str, Any]) -> str:
    """Return the page of what was found so far."""
    place = found["place"]
    lines = ["# One accelerator", "", *(f"- {name}: {value}" for name, value in place.items())]
    lines += ["- products of float32: precision highest in kernels, ensemble and studies; in speed as the row says", ""]
    for name, part in found["parts"].items():
        rows = part["rows"]
        lines += [f"## {name}", "", f"{part['seconds']:.0f} s; {part['end']}.", ""]
        if name == "speed" and not PUBLISHED:
            lines += [UNKNOWN, ""]
        good = [row for row in rows if not any(trouble in row for trouble in TROUBLES)]
        lines += [*_table(PARTS[name].columns, good), ""] if good else []
        for trouble in TROUBLES:
            lines += [f"- {trouble}: {_named(row)}: {row[trouble]}" for row in rows if trouble in row]
        lines += [""]
    if left := [name for name in found["asked"] if name not in found["parts"]]:
        lines += [f"Not run: {', '.join(left)}.", ""]
    return "\n".join(lines)


def _named(row: Mapping[str, Any]) -> str:
    return ", ".join(str(value) for value in row.values() if isinstance(value, str) and value not in map(row.get, TROUBLES))


def _table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = ["| " + " | ".join(name.replace("_", " ") for name in columns) + " |", "|" + " --- |" * len(columns)]
    for row in rows:
        lines.append("| " + " | ".join(_shown(name, row) for name in columns) + " |")
    return lines


def _shown(column: str, row: Mapping[str, Any]) -> str:
    if column == "published":
        return PUBLISHED.get((row["mixer"], row["shape"], row["arithmetic"], row["what"]), "")
    value = row.get(column)
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1e5 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)

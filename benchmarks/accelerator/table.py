"""The results of the benchmark as Markdown: what was run where, a table for each part, and what was not run."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.accelerator.parts import PARTS

TROUBLES = ("failed", "refused", "left_out")
# milliseconds of published kernels alone, (forward, forward and gradient), by batch x length x width x heads
STANDING = (
    "Published: milliseconds in the README of fla-org/flash-linear-attention at 01c4202e (chunk_gla, chunk_gdn and "
    "FlashAttention 2, the kernels alone, type not said), as tokens per second; on another card, one NVIDIA GB200. Gradient "
    "is forward and backward together, as here. No figure with a source is known for the other rows, so they have none."
)
MILLISECONDS = {
    "softmax attention, kernel alone": {"8x1024x512x8": (0.157, 0.477), "4x2048x2048x16": (0.346, 0.902)},
    "gated_scan, kernel alone": {"8x1024x512x8": (0.358, 1.707), "4x2048x2048x16": (0.514, 1.434)},
    "householder_scan of one step, kernel alone": {"8x1024x512x8": (0.631, 1.974), "4x2048x2048x16": (0.753, 2.085)},
}


def page(found: Mapping[str, Any]) -> str:
    """Return the page of what was found so far."""
    place = found["place"]
    lines = ["# One accelerator", "", *(f"- {name}: {value}" for name, value in place.items())]
    lines += ["- products of float32: precision highest in kernels, ensemble and studies; in speed as the row says", ""]
    for name, part in found["parts"].items():
        rows = part["rows"]
        lines += [f"## {name}", "", f"{part['seconds']:.0f} s; {part['end']}.", ""]
        if name == "speed":
            lines += [STANDING, ""]
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
        known = MILLISECONDS.get(row["mixer"], {}).get(row["shape"])
        if known is None:
            return ""
        batch, length = map(int, row["shape"].split("x")[:2])
        return f"{1e3 * batch * length / known[row['what'] == 'gradient']:,.0f}"
    value = row.get(column)
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1e5 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)

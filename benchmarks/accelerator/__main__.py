"""What one accelerator does with this project: ``python -m benchmarks.accelerator [--minutes N] [--parts ...] [--out DIR]``.

Parts run in the order of their worth, each in a process of its own with its share of the minutes; what a part leaves, the
following ones have. A part that is out of time begins nothing new, and one that does not stop is ended. Rows are written as
they are found, so a kill loses nothing: ``DIR/accelerator.json`` and ``DIR/accelerator.md`` are whole after every part. What
did not fit into the time is listed as left out. ``--toy`` tries everything at sizes for a CPU.

- kernels: every scan and mixer and its gradient, in float32 and bfloat16, against float64 on the CPU.
- speed: tokens per second of each mixer, forward and with the gradient.
- ensemble: seeds times depths in one program, beside a loop of runs.
- studies: one cell of every study's setting `card` for a few steps, and the hours of the whole setting at this speed.
- memory: bytes of a token in each mixer's gradient, and the largest batch that fits.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.accelerator.parts import PARTS
from benchmarks.accelerator.table import page

GRACE = 20.0  # seconds that a part has to finish what it began
STARTING = 15.0  # seconds of a process before its first row, which its part is not worth starting for
NAME = "accelerator"


def main(arguments: list[str] | None = None) -> int:
    """Run the parts and write what they found; 1 if a kernel is beyond its budget or anything failed."""
    options = _parser().parse_args(arguments)
    if options.child:
        _child(options)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * options.minutes
    found: dict[str, Any] = {"asked": options.parts, "minutes": options.minutes, "place": {}, "parts": {}}
    for number, name in enumerate(options.parts):
        left = end - time.monotonic()
        if left < STARTING:
            break
        weights = [PARTS[part].weight for part in options.parts[number:]]
        share = left * weights[0] / sum(weights)
        found["parts"][name] = _part(name, share, left, options, found["place"])
        _write(options.out, found)
    _write(options.out, found)
    print(f"{options.out / NAME}.md")
    return int(
        any(row.get("verdict") == "BEYOND" or "failed" in row for part in found["parts"].values() for row in part["rows"])
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=25.0, help="of the card, compilation included")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--out", type=Path, default=Path("runs/accelerator"), help="folder of the results")
    parser.add_argument("--toy", action="store_true", help="sizes for a CPU, one case of each kind")
    parser.add_argument("--bytes", type=int, help="memory of the device; what it says itself if left out")
    parser.add_argument("--child", type=float, help=argparse.SUPPRESS)  # seconds: this process is a part
    return parser


def _part(name: str, seconds: float, left: float, options: argparse.Namespace, place: dict[str, Any]) -> dict[str, Any]:
    """Run one part in a process of its own, and return its rows; those that were written before it was ended are kept.

    It says in `place` where it ran.
    """
    lines = options.out / f"{name}.jsonl"
    lines.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "benchmarks.accelerator",
        "--child",
        str(seconds),
        "--parts",
        name,
        "--out",
        str(options.out),
    ]
    command += ["--toy"] * options.toy + (["--bytes", str(options.bytes)] if options.bytes else [])
    begun = time.monotonic()
    print(f"{name}: {seconds:.0f} s", flush=True)
    child = subprocess.Popen(command)
    try:
        code = child.wait(timeout=min(seconds + GRACE, max(left, 1.0)))
        end = "whole" if code == 0 else f"its process ended with code {code}"
    except subprocess.TimeoutExpired:
        end = "out of time, and ended"
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    rows = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
    lines.unlink(missing_ok=True)
    place |= next((row["place"] for row in rows if "place" in row), {})
    asked = next((row["asked"] for row in rows if "asked" in row), [])
    rows = [row for row in rows if "place" not in row and "asked" not in row]
    missing = [head for head in asked if not any(head.items() <= row.items() for row in rows)]
    if end == "whole" and missing:
        end = "out of time"
    rows += [head | {"left_out": "no time was left" if end.startswith("out") else end} for head in missing]
    return {"seconds": time.monotonic() - begun, "end": end, "rows": rows}


def _child(options: argparse.Namespace) -> None:
    """Be a part: write its rows as they are found."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.92")
    end = time.monotonic() + options.child
    (name,) = options.parts
    part = PARTS[name]
    import jax

    from benchmarks.accelerator.speed import limit
    from depthjax.runs.provenance import KEYS, listed, versions

    jax.config.update("jax_enable_x64", part.wide)
    jax.config.update("jax_default_matmul_precision", "highest")
    for key, value in KEYS.items():
        jax.config.update(key, value)
    device = jax.devices()[0]
    room = options.bytes or limit()
    place = {"device": device.device_kind, "platform": device.platform, "bytes": room, "versions": listed(versions())}
    with (options.out / f"{name}.jsonl").open("w") as file:
        print(json.dumps({"place": place}), file=file, flush=True)
        for row in part.rows(options.toy, lambda: time.monotonic() > end, room):
            print(json.dumps(row), file=file, flush=True)


def _write(folder: Path, found: dict[str, Any]) -> None:
    """Write both files, each in one move."""
    for suffix, text in ((".json", json.dumps(found, indent=1) + "\n"), (".md", page(found))):
        fresh = folder / f".{NAME}{suffix}"
        fresh.write_text(text)
        fresh.replace(folder / f"{NAME}{suffix}")


if __name__ == "__main__":
    sys.exit(main())

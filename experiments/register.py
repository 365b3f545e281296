"""Register claims before they are judged: ``python -m experiments.register [CLAIM|TOPIC ...] [--size SIZE]``.

A registration says what a claim states, what would refute it, the domain and every chosen cell with its seeds, steps and
levels, and the seal of the program. It goes into ``registered.json`` of the claim's room, and is to be committed alone, before
anybody runs the program at the root seeds that its verdict is quoted over. Every verdict says whether its program was
registered, and when. Outcomes are kept with the program that they were found with: what changed after a judged run is in the
list, with what the run had found. All claims that train are registered where none is named.

Exit codes: 0 written, or registered before; 2 usage.
"""

import argparse
import datetime
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from depthjax.card import CardError, read_card
from depthjax.runs import catalogue
from depthjax.runs.origin import source_digest
from depthjax.runs.registered import RegistrationError, register, registrations
from experiments.shell import guarded
from experiments.terminal import console, usage

SIZES = ("quick", "full")


def main(arguments: Sequence[str]) -> int:
    """Write what is missing, and say how it is committed. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.register", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="CLAIM", help="claims or topics; all that train where none is given")
    parser.add_argument("--size", choices=SIZES, default="quick", help="the size that will be judged (default quick)")
    options = parser.parse_args(arguments)
    return guarded(lambda: _run(options.names, options.size))


def _run(names: Sequence[str], size: str) -> int:
    with usage(catalogue.UnknownClaim, CardError, RegistrationError):
        chosen = catalogue.select(tuple(names))
        if not names:
            chosen = {slug: module for slug, module in chosen.items() if read_card(module).options.get("trains")}
        written = []
        for slug, module in chosen.items():
            seal = source_digest(module)
            before = [one for one in registrations(module) if one["seal"] == seal]
            if before:
                console().print(f"{slug}: registered on {before[0]['date']}")
                continue
            written.append(register(module, registration(module, size)))
            console().print(f"{slug}: registered now")
    if written:
        named = " ".join(shlex.quote(str(_near(file))) for file in written)
        console().print("\nCommit it alone, before the program is run at the root seeds that count:", highlight=False)
        console().print(
            f"git add {named} && git commit -m 'Register claims before they are judged'", highlight=False, soft_wrap=True
        )
    return 0


def registration(module: str, size: str = "quick") -> dict[str, Any]:
    """What is registered of a claim: all that is fixed before it is judged."""
    experiment, card = catalogue.experiment(module), read_card(module)
    return {
        "seal": source_digest(module),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "statement": card.statement,
        "refuted_by": card.refuted_by,
        "size": size,
        "domain": [] if experiment.domain is None else experiment.domain.sentences(),
        "cells": [str(cell) for cell in experiment.grids[size].cells()],
        "judged": {},
    }


def _near(file: Path) -> Path:
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

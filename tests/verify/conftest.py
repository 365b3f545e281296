"""Rooms of claims that tests write."""

import itertools
import sys
from pathlib import Path

import pytest

HEAD = '''"""A claim of a test.

Statement: The order is what theory says. $$ m = m $$
Hypotheses: of a test.
Source: nobody, “nothing”.
Refuted by: another order.
Cost: nothing.
"""
import dataclasses
from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, off_by

CLAIM = claim(Relation.EQUALS)

@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    layers: int = 3

GRIDS = dict.fromkeys(("test", "quick", "full", "paper"), Sizes())
'''


class Rooms:
    """Writes rooms into a package of its own, each under a name of its own."""

    def __init__(self, folder: Path, package: str):
        self.folder, self.package = folder, package
        self.written: list[str] = []
        self.head, self.change = HEAD, ("\0", "")  # what every claim begins with, and what is replaced in all texts

    def write(self, claim: str, measure: str, **files: str) -> str:
        """Write a room and return its module; the card and a grid of one cell stand above the claim."""
        module = self._next()
        room = self.folder.joinpath(*module.split("."))
        for folder in (room.parent.parent, room.parent, room):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "__init__.py").touch()
        (room / "claim.py").write_text((self.head + claim).replace(*self.change))
        (room / "measure.py").write_text(measure.replace(*self.change))
        for name, text in files.items():
            (room / f"{name}.py").write_text(text)
        return module

    def alone(self) -> str:
        """Write a claim in one file and return its module."""
        module = self._next()
        file = self.folder.joinpath(*module.split(".")).with_suffix(".py")
        for folder in (file.parent.parent, file.parent):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "__init__.py").touch()
        file.write_text(HEAD + "\ndef predict(cell): ...\n\ndef measure(cell, key): ...\n\nRIVALS = (off_by(1, of='order'),)\n")
        return module

    def forget(self) -> None:
        """Forget what this process has imported of them."""
        for name in [name for name in sys.modules if name.partition(".")[0] == self.package]:
            del sys.modules[name]

    @staticmethod
    def slug(module: str) -> str:
        """The claim's name."""
        return module.rpartition(".")[2]

    def _next(self) -> str:
        self.written.append(f"{self.package}.topic.room{len(self.written)}")
        return self.written[-1]


COUNT = itertools.count()


@pytest.fixture
def rooms(tmp_path, monkeypatch):
    """A place for rooms, in a package that no other test has."""
    found = Rooms(tmp_path, f"planted{next(COUNT)}")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield found
    found.forget()

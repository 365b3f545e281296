"""Rooms of claims that tests write."""

import itertools
import sys
from pathlib import Path

import pytest

from tests import toys


class Rooms:
    """Writes rooms into a package of its own, each under a name of its own."""

    def __init__(self, folder: Path, package: str):
        self.folder, self.package = folder, package
        self.written: list[str] = []
        self.head, self.change = toys.claim(), ("\0", "")  # what every claim begins with, and what is replaced in all texts

    def write(self, claim: str, measure: str, **files: str) -> str:
        """Write a room and return its module; the card and a grid of one cell stand above the claim."""
        module = self._next()
        room = toys.packages(self.folder, *module.split("."))
        toys.write(room, (self.head + claim).replace(*self.change), measure.replace(*self.change), **files)
        return module

    def alone(self) -> str:
        """Write a claim in one file and return its module."""
        module = self._next()
        *packages, name = module.split(".")
        file = toys.packages(self.folder, *packages) / f"{name}.py"
        file.write_text(
            self.head + "\ndef predict(cell): ...\n\ndef measure(cell, key): ...\n\nRIVALS = (off_by(1, of='order'),)\n"
        )
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

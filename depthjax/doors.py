"""The door of a package: its public names load the file that defines them when they are first used, not before.

A package lists its names once, as imports in the stub ``__init__.pyi`` beside its ``__init__.py``. Type checkers read the same
stub. So a question about one bound loads the files that answer it, and no other room.

`theory` has the same doors, and imports this file: nothing here knows of arrays or of numbers. The doors of
the package ``lazy_loader`` open files below their own package only, and most bounds lie in other rooms.
"""

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["opened"]


class _Room(ModuleType):
    """A package whose public names load on demand."""

    def __setattr__(self, name: str, value: Any) -> None:
        # The import system binds a file to its package. A file called like a public name must not hide it: `theory.lie.bch` is
        # the function of the file theory/lie/bch.py.
        if not (isinstance(value, ModuleType) and name in self.__dict__["_listed"]):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        listed: dict[str, tuple[str, str]] = self.__dict__["_listed"]
        if name not in listed:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}; it has {', '.join(sorted(listed))}")
        module, original = listed[name]
        value = _room(f"{module}.{name}") if module == self.__name__ else getattr(import_module(module), original)
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return sorted(self.__dict__["_listed"])


def _room(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:  # an extra that is not installed: `hasattr` says no
        raise AttributeError(str(error)) from error


def opened(package: str) -> None:
    """Let the names of a package's stub load on demand, and list them in its ``__all__``; to be called in its ``__init__.py``.

    Args:
        package: ``__name__`` of the package. Its stub holds absolute imports ``from module import name [as name]`` alone.

    >>> import depthjax
    >>> depthjax.verify.Outcome.SUPPORTED, "run" in dir(depthjax.verify)
    (<Outcome.SUPPORTED: 'SUPPORTED'>, True)
    """
    room = sys.modules[package]
    stub = Path(str(room.__file__)).with_suffix(".pyi")
    listed = {
        alias.asname or alias.name: (str(statement.module), alias.name)
        for statement in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    room.__dict__.update(_listed=listed, __all__=sorted(listed))
    room.__class__ = _Room

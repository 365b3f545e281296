"""A page for each room of `theory` and `depthjax`: the names that the room shows in front, or else those of its modules."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pages
from docstrings import restructured
from sphinx.application import Sphinx

PACKAGES = {"theory": "Exact", "depthjax": "Numerical"}


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before the sources are read."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write(app: Sphinx) -> None:
    every = {package: [package, *_rooms(package)] for package in PACKAGES}
    made = {f"{room}.rst": page(room) for rooms in every.values() for room in rooms}
    pages.write(Path(app.srcdir), "api", made | {"index.md": index(every)})


def index(every: dict[str, list[str]]) -> str:
    """The page that lists all rooms, each with its first sentence."""
    parts = ["# API by topic", "Public names by room. Every room loads when it is first used."]
    for package, rooms in every.items():
        rows = [f"| [`{room}`]({room}.rst) | {_summary(room)} |" for room in rooms]
        parts += [f"## {PACKAGES[package]}: {package}", "\n".join(["| room | content |", "|---|---|", *rows])]
        parts.append("\n".join(["```{toctree}", ":hidden:", *rooms, "```"]))
    return "\n\n".join(parts) + "\n"


def page(room: str) -> str:
    """The page of a room."""
    module = importlib.import_module(room)
    parts = [_title(room, "="), f".. automodule:: {room}\n   :no-members:\n   :no-index:"]
    if names := [name for name in front(module) if not inspect.ismodule(getattr(module, name))]:
        parts += _described(module, names)
        for part in _files(module) if room not in PACKAGES else ():
            parts += _section(part)
    elif room not in PACKAGES:
        for part in _modules(module):
            parts += _section(part)
    return "\n\n".join(parts) + "\n"


def _section(part: ModuleType) -> list[str]:
    """A file of a room with what it defines; nothing where it defines nothing."""
    own = [name for name, thing in vars(part).items() if _defined(part, name, thing)]
    head = [_title(part.__name__, "-"), f".. automodule:: {part.__name__}\n   :no-members:\n   :no-index:"]
    return [*head, *_described(part, own)] if own else []


def _files(module: ModuleType) -> Iterator[ModuleType]:
    """The files that a room shows in front as files, such as `depthjax.training.trackers`."""
    for name in front(module):
        part = getattr(module, name)
        if inspect.ismodule(part) and part.__name__ == f"{module.__name__}.{name}":
            yield part


def front(module: ModuleType) -> list[str]:
    """The names that a package lists in ``__all__``, or that it imports to show them."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [name for name, thing in vars(module).items() if _home(thing).startswith(tuple(PACKAGES))]
        listed = [name for name in listed if not name.startswith("_") and not inspect.ismodule(vars(module)[name])]
    return [name for name in listed if not name.startswith("__")]


def _rooms(package: str) -> list[str]:
    module = importlib.import_module(package)
    return [f"{package}.{name}" for name in front(module) if inspect.ismodule(getattr(module, name))]


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    if not hasattr(package, "__path__"):
        yield package
        return
    for found in pkgutil.iter_modules(package.__path__):
        if not found.name.startswith("_"):
            yield importlib.import_module(f"{package.__name__}.{found.name}")


def _defined(module: ModuleType, name: str, thing: Any) -> bool:
    return not name.startswith("_") and callable(thing) and _home(thing) == module.__name__


def _home(thing: Any) -> str:
    return getattr(thing, "__module__", None) or ""


def _described(module: ModuleType, names: list[str]) -> list[str]:
    """A table of the names, then each in full."""
    rows = [f"   * - :py:obj:`{name} <{module.__name__}.{name}>`\n     - {_first_line(module, name)}" for name in names]
    table = ".. list-table::\n   :widths: auto\n\n" + "\n".join(rows)
    return [table, *(_directive(module.__name__, name, getattr(module, name)) for name in names)]


def _first_line(module: ModuleType, name: str) -> str:
    thing = getattr(module, name)
    text = inspect.getdoc(thing) or "" if callable(thing) else ""
    return restructured([text.partition("\n")[0]])[0]


def _directive(room: str, name: str, thing: Any) -> str:
    described = f"{room}.{name}"
    if not inspect.isclass(thing):
        return f".. auto{'function' if callable(thing) else 'data'}:: {described}"
    kind = "exception" if issubclass(thing, BaseException) else "class"
    return f".. auto{kind}:: {described}\n   :members:" + "\n   :no-index:" * _shown_at_home(room, thing)


def _shown_at_home(room: str, thing: type) -> bool:
    """Whether the room in which a class is written is another one, and shows it too."""
    home = ".".join(_home(thing).split(".")[:2])
    return home != room and home in _rooms(home.partition(".")[0]) and hasattr(importlib.import_module(home), thing.__name__)


def _summary(room: str) -> str:
    text = inspect.getdoc(importlib.import_module(room)) or ""
    return text.partition("\n\n")[0].replace("\n", " ").replace("``", "`")


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"

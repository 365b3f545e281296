"""The names and signatures that docs/api.md promises, as they are now. As a script this writes them into the page."""

import enum
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
BEGIN, END = "<!-- names: begin -->", "<!-- names: end -->"
PACKAGES = ("theory", "depthjax")


def rooms() -> Iterator[tuple[str, list[str]]]:
    """Yield every public room with a line for each name in front of it."""
    for package in PACKAGES:
        root = importlib.import_module(package)
        names = [package, *(f"{package}.{name}" for name in root.__all__ if inspect.ismodule(getattr(root, name)))]
        for room in names:
            module = importlib.import_module(room)
            things = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
            lines = [f"{name}{signature(thing)}" for name, thing in sorted(things.items()) if not inspect.ismodule(thing)]
            if lines:
                yield room, lines


def signature(thing: Any) -> str:
    """Names, kinds and whether there is a default of what a call takes; of a class also its public members."""
    members = ""
    if inspect.isclass(thing):
        if issubclass(thing, enum.Enum):
            return " = " + " | ".join(thing.__members__)
        own = {name for kind in thing.__mro__ if kind.__module__.startswith(PACKAGES) for name in vars(kind)}
        members = " " + " ".join(sorted(f".{name}" for name in own if not name.startswith("_"))) if own else ""
    if not callable(thing):
        return ""
    try:
        taken = inspect.signature(thing).parameters.values()
    except ValueError:
        return members.rstrip()
    parts, named = [], False
    for one in taken:
        if one.kind is one.KEYWORD_ONLY and not named:
            parts, named = [*parts, "*"], True
        named = named or one.kind is one.VAR_POSITIONAL
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        parts.append(f"{stars}{one.name}{'=' if one.default is not one.empty else ''}")
    return f"({', '.join(parts)}){members}".rstrip()


def text() -> str:
    """What stands between the marks of the page."""
    return "\n\n".join(f"### {room}\n\n```text\n" + "\n".join(lines) + "\n```" for room, lines in rooms())


def promised(page: str) -> dict[str, set[str]]:
    """The lines of the page, by room."""
    inside = page.partition(BEGIN)[2].partition(END)[0]
    found = {}
    for part in inside.split("### ")[1:]:
        room, _, rest = part.partition("\n")
        found[room.strip()] = set(rest.partition("```text\n")[2].partition("\n```")[0].splitlines())
    return found


if __name__ == "__main__":
    page = PAGE.read_text()
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text()}\n\n{END}{after}")

"""The registered bounds by name. `theory.bounds` knows which file defines a name, and the registry what was loaded."""

from importlib import import_module

from theory.registry import REGISTRY, Entry

__all__ = ["entries", "entry"]

DOOR = import_module("theory.bounds")


def entries() -> dict[str, Entry]:
    """All bounds by name, in alphabetical order; loads every room."""
    for name in DOOR.__all__:
        getattr(DOOR, name)
    return dict(sorted(REGISTRY.items()))


def entry(name: str) -> Entry | None:
    """The bound of this name, or None if there is none; loads the file that defines it, and no other room if it exists."""
    if name not in REGISTRY and (public := name.replace("-", "_")) in DOOR.__all__:
        getattr(DOOR, public)
    return REGISTRY.get(name) or entries().get(name)

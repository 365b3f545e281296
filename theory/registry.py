"""The registry of bounds: every public function that returns a `Bound` (or a `Report` with one) enters itself by its name.

`depthjax bound` asks the registry. The arguments of a question are the parameters of the function, its help is the function's
docstring, and its example is the first call in the function's doctests; so nothing about a bound is written twice.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, TypeVar, overload

__all__ = ["REGISTRY", "Entry", "registered"]

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """A registered bound.

    Attributes:
        name: Its name on the command line.
        function: The public function that returns it.
        subject: How the help names the first argument, if that one is given without a flag; else "".
        usual: Values that a question takes for parameters that the function leaves open by default.
    """

    name: str
    function: Callable[..., Any]
    subject: str = ""
    usual: Mapping[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> inspect.Signature:
        """Parameters with their types and defaults."""
        return inspect.signature(self.function, eval_str=True)

    @property
    def docstring(self) -> str:
        """The docstring, without its indentation."""
        return inspect.getdoc(self.function) or ""

    @property
    def place(self) -> str:
        """File and line of the function."""
        code = inspect.unwrap(self.function).__code__  # type: ignore[attr-defined]
        return f"{code.co_filename}:{code.co_firstlineno}"


REGISTRY: dict[str, Entry] = {}
"""The registered bounds by name, of the files that have been loaded; `theory.bounds.index` loads the others."""


@overload
def registered(function: Function) -> Function: ...
@overload
def registered(
    *, name: str = "", subject: str = "", usual: Mapping[str, Any] | None = None
) -> Callable[[Function], Function]: ...
def registered(function: Any = None, *, name: str = "", subject: str = "", usual: Mapping[str, Any] | None = None) -> Any:
    """Enter a function that returns a bound into the registry, and return it unchanged; a decorator.

    Args:
        function: The function. It has annotated parameters, a docstring with an ``Args`` section, and a doctest whose first
            call can serve as an example.
        name: Name of the bound on the command line; by default the function's name with hyphens.
        subject: Placeholder of the first parameter in the help, such as "NAME"; the parameter is then given without a flag.
        usual: Values that a question takes for parameters that the function leaves open by default.

    Raises:
        ValueError: Another function has this name; the message names both files.
    """

    def enter(function: FunctionType) -> FunctionType:
        entry = Entry(name or function.__name__.replace("_", "-"), function, subject, dict(usual or {}))
        other = REGISTRY.get(entry.name)
        if other is not None and not _same_source(other.function, function):
            raise ValueError(
                f"two bounds are called {entry.name!r}: {other.function.__qualname__} at {other.place} and "
                f"{function.__qualname__} at {entry.place}. Rename one of the functions, or give one of them another name with "
                f"@registered(name=...)."
            )
        REGISTRY[entry.name] = entry
        return function

    return enter if function is None else enter(function)


def _same_source(first: Any, second: Any) -> bool:
    """Return whether two functions are the same one, perhaps after its module was loaded again."""
    return (first.__module__, first.__qualname__) == (second.__module__, second.__qualname__)

"""Functions that compute an answer once for each object: the answer is stored on the object and is freed with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["once_per_object"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def once_per_object(function: _Function) -> _Function:
    """Cache a function of one object, and of further hashable arguments, in the object's own dictionary.

    `functools.cache` would keep every object alive, with its tables of hundreds of megabytes.

    >>> class Table: ...
    >>> @once_per_object
    ... def answer(table):
    ...     print("computed")
    ...     return 42
    >>> table = Table()
    >>> answer(table), answer(table)
    computed
    (42, 42)
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def cached(target: Any, *arguments: Any) -> Any:
        answers = vars(target).setdefault("_answers", {})
        key = (name, *arguments)
        if key not in answers:
            answers[key] = function(target, *arguments)
        return answers[key]

    return cached  # type: ignore[return-value]

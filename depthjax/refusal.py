"""Checks that come before a call: they may refuse it, and cannot change what it gives.

So they are no part of the seal of a claim (`depthjax.runs.definitions` leaves them out): a claim that was judged without such a
check, and that runs with it, has the same verdict. `theory` imports this file too: nothing here knows of arrays or of numbers.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

__all__ = ["refusing"]

F = TypeVar("F", bound=Callable[..., Any])


def refusing(check: Callable[..., object]) -> Callable[[F], F]:
    """Return a decorator that calls `check` before each call, for the error that it may raise.

    Args:
        check: Takes some of the arguments of the function, or all of them as ``**given``, by their names, with the defaults of
            the function. It changes none of them, and what it returns is not read.

    Raises:
        TypeError: The check takes an argument that the function does not have. It is raised when the function is defined.

    >>> def even(number):
    ...     if number % 2:
    ...         raise ValueError(f"number = {number}: expected an even number, because it is halved")
    >>> @refusing(even)
    ... def half(number, times=1):
    ...     return number * times // 2
    >>> half(6)
    3
    >>> half(5, times=2)
    Traceback (most recent call last):
    ValueError: number = 5: expected an even number, because it is halved
    """
    parameters = inspect.signature(check).parameters.values()
    everything = any(one.kind is one.VAR_KEYWORD for one in parameters)

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        asked = tuple(signature.parameters) if everything else tuple(one.name for one in parameters)
        if strange := [name for name in asked if name not in signature.parameters]:
            raise TypeError(f"the check of {function.__name__} asks for {', '.join(strange)}, which is no argument of it")

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            ask(check, asked, signature, args, kwargs)
            return function(*args, **kwargs)

        return cast("F", checked)

    return decorate


def ask(check: Callable[..., object], asked: tuple[str, ...], signature: inspect.Signature, args: Any, kwargs: Any) -> None:
    """Call a check with the arguments that it asks for; a call that the function itself refuses is left to the function."""
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError:
        return
    given.apply_defaults()
    check(**{name: given.arguments[name] for name in asked})

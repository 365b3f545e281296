"""Estimates of cost from sizes alone, and the refusal of questions that cost too much, before any work is done.

A routine whose cost explodes has an estimate beside it (`theory.lie.cost`, `theory.groups.cost`, ...), and its entry point
calls `refuse(estimate)`. The rates behind the estimates were measured on one core. They are right up to a factor of ten, which
is enough to distinguish a minute from a day.

>>> refuse(Estimate("a cup of tea", seconds=300.0))
Traceback (most recent call last):
theory.cost.TooExpensive: a cup of tea would take about 5 minutes and 0 GiB, but the limit is 1 minute and 4 GiB. ...
>>> with allow(5):
...     refuse(Estimate("a cup of tea", seconds=300.0))
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from numbers import Real

__all__ = ["GIB", "SECONDS", "Estimate", "TooExpensive", "allow", "digits", "power", "refuse", "share"]

SECONDS = 60.0
"""Default limit on the time of one question, on one core."""
GIB = 4.0
"""Default limit on the memory of one question, in units of 2^30 bytes."""

_UNITS = (("year", 365.25 * 86400), ("day", 86400.0), ("hour", 3600.0), ("minute", 60.0), ("second", 1.0))
_LONG = 100 * _UNITS[0][1]
_factor: ContextVar[float] = ContextVar("factor", default=1.0)


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of some work.

    Attributes:
        work: The work and its sizes, in words.
        seconds: Time on one core; infinite if no float holds the count.
        gib: Peak memory in units of 2^30 bytes.
    """

    work: str
    seconds: float = 0.0
    gib: float = 0.0

    @property
    def factor(self) -> float:
        """Multiple of the default limit that would allow the work."""
        return max(self.seconds / SECONDS, self.gib / GIB)


class TooExpensive(ValueError):
    """A question was refused before any work was done, because of its estimated cost.

    Attributes:
        estimate: The work and its cost.
        limit: Multiple of `SECONDS` and `GIB` that was allowed.
        needed: Multiple that would allow the work.
        switch: The way to allow the work, on the command line and in Python.
    """

    def __init__(self, estimate: Estimate, limit: float) -> None:
        self.estimate, self.limit = estimate, limit
        self.needed = math.ceil(estimate.factor) if estimate.factor < 1e6 else math.inf
        self.switch = f"--limit {self.needed} (in Python: with theory.cost.allow({_python(self.needed)}))"
        super().__init__(
            f"{estimate.work} would take {'' if estimate.seconds > _LONG else 'about '}{_time(estimate.seconds)} and "
            f"{_memory(estimate.gib)}, but the limit is {_time(limit * SECONDS)} and {_memory(limit * GIB)}. Ask for less, or "
            f"allow {'any cost' if self.needed == math.inf else f'{self.needed} times the usual limit'}: {self.switch}."
        )


def allow(limit: float) -> contextlib.AbstractContextManager[None]:
    """Return a context in which `refuse` allows work of up to `limit` times `SECONDS` and `GIB`; ``math.inf`` allows any work.

    Raises:
        ValueError: `limit` is not a positive number.
    """
    if isinstance(limit, bool) or not isinstance(limit, Real) or not limit > 0:
        raise ValueError(f"limit = {limit!r}: expected a number > 0, a multiple of {SECONDS:g} s and {GIB:g} GiB.")
    return _allowed(float(limit))


def share(part: float) -> contextlib.AbstractContextManager[None]:
    """Return a context in which `refuse` allows a part of what it allows now, for work that an answer can do without."""
    return _allowed(_factor.get() * part)


@contextlib.contextmanager
def _allowed(factor: float) -> Iterator[None]:
    token = _factor.set(factor)
    try:
        yield
    finally:
        _factor.reset(token)


def refuse(estimate: Estimate) -> None:
    """Refuse work beyond the limit; call this before the work.

    Raises:
        TooExpensive: The work costs too much. The error names the work, its estimate, the limit and the switch that lifts it.
    """
    if estimate.factor > _factor.get():
        raise TooExpensive(estimate, _factor.get())


def power(base: float, exponent: float) -> float:
    """Return ``base ** exponent`` for counts, or infinity if no float holds it.

    >>> power(10**400, 2), round(power(3, 2), 9)
    (inf, 9.0)
    """
    if base <= 0:
        return 0.0
    logarithm = max(min(exponent, 10**9), -(10**9)) * math.log(base)  # a larger exponent does not fit a float itself
    return math.exp(logarithm) if logarithm < 700 else math.inf


def digits(work: str, bits: float) -> Estimate:
    """Estimate the cost of arithmetic with integers of a number of bits, by Karatsuba's method.

    >>> digits("a power", 1e12).factor > 1000 > 1 > digits("a power", 1e6).factor
    True
    """
    return Estimate(work, 1e-8 * power(bits / 30, 1.585), 1e-9 * bits)


def _time(seconds: float) -> str:
    if seconds > _LONG:
        return "more than 100 years"
    name, size = next((unit for unit in _UNITS if seconds >= unit[1]), _UNITS[-1])
    number = f"{seconds / size:.2g}" if seconds < 100 * size else f"{seconds / size:.0f}"
    return f"{number} {name}{'' if number == '1' else 's'}"


def _memory(gib: float) -> str:
    return "more than a million GiB" if gib > 1e6 else f"{float(f'{gib:.2g}'):g} GiB"


def _python(number: float) -> str:
    return "math.inf" if number == math.inf else str(number)

"""What a layer or a network that someone brings can do, and the instruments that claims share.

`recurrence` asks a recurrence which algebra and group its transitions generate, `network` learns the automaton that a network
computes, and `adversary` gives a network inputs on which a class of networks must fail. They join the instruments with
`theory`, so they load when they are first used; a claim's `measure` cannot use them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from depthjax.probe.adversaries import adversary as adversary
    from depthjax.probe.networks import network as network
    from depthjax.probe.recurrences import recurrence as recurrence

_PLACES = {
    "adversary": "depthjax.probe.adversaries",
    "network": "depthjax.probe.networks",
    "recurrence": "depthjax.probe.recurrences",
}

__all__ = ["adversary", "network", "recurrence"]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its answers are {', '.join(__all__)}")

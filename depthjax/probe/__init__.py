"""What a layer or a network that someone brings can do.

`recurrence` asks a recurrence which algebra and group its transitions generate, `network` learns the automaton that a network
computes, and `adversary` gives a network inputs on which a class of networks must fail. They join the instruments with
`theory`, so they load when they are first used; a claim's `measure` cannot use them.
"""

from typing import TYPE_CHECKING, Any

from depthjax.located import check_own

if TYPE_CHECKING:
    from depthjax.probe.adversaries import adversary as adversary
    from depthjax.probe.networks import network as network
    from depthjax.probe.recurrences import recurrence as recurrence

__all__ = ["adversary", "network", "recurrence"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        check_own("theory")
    if name == "adversary":
        from depthjax.probe.adversaries import adversary as found
    elif name == "network":
        from depthjax.probe.networks import network as found
    elif name == "recurrence":
        from depthjax.probe.recurrences import recurrence as found
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its answers are {', '.join(__all__)}")
    return found

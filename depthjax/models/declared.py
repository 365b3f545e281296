"""The class of a layer of one's own: what its transitions may be, said beside the layer, so that sweeps predict something.

Theory knows what a class can do at any width (`theory.automata.limits`), and cannot read it off a program. A declaration is a
promise of the layer's author; `depthjax.probe` may check it on trained weights.
"""

from collections.abc import Callable
from typing import TypeVar

from depthjax.models.kinds import KINDS
from depthjax.models.mixer import Mixer

Layer = TypeVar("Layer", bound=type[Mixer])
DECLARED: dict[type[Mixer], str] = {}


def of_class(name: str) -> Callable[[Layer], Layer]:
    """Return a decorator that declares the class of a mixer.

    Args:
        name: A name of `theory.automata.limits.LIMITS`, such as "positive", "signed", "complex" or "delta_product"; a sweep
            refuses another one. A subclass declares its own.

    Raises:
        TypeError: What is decorated is no subclass of `Mixer`.

    >>> from depthjax.models.diagonal import Mamba
    >>> @of_class("positive")
    ... class Mine(Mamba): ...
    >>> declared_class("mamba"), DECLARED[Mine]
    (None, 'positive')
    """

    def declare(mixer: Layer) -> Layer:
        if not (isinstance(mixer, type) and issubclass(mixer, Mixer)):
            raise TypeError(f"{mixer!r} is no layer: expected a subclass of depthjax.models.Mixer")
        DECLARED[mixer] = name
        return mixer

    return declare


def declared_class(kind: str) -> str | None:
    """Return the declared class of a kind that sweeps know, or None if its layer declares none.

    Args:
        kind: A name of `depthjax.models.kinds.KINDS`, or another network.
    """
    return DECLARED.get(KINDS[kind].mixer) if kind in KINDS else None

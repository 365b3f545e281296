"""What theory says of a layer on words of a group: of published kinds by name, of one's own by their declared class."""

from functools import lru_cache

from depthjax.models.declared import declared_class
from theory import groups
from theory.automata.limits import class_layers
from theory.automata.semiautomaton import Semiautomaton
from theory.groups.depth import expressible


def succeeds(model: str, group: str, depth: int) -> bool | None:
    """Whether layers of a kind can follow a group at this depth; None where this is not known.

    Args:
        model: A kind of layer (`depthjax.models.kinds.KINDS`), or another network.
        group: Name of a group.
        depth: Number of layers.

    Raises:
        ValueError: No group has this name, or no class that which the layer declares.

    >>> [succeeds("signed_mamba", "C2", depth) for depth in (1, 2)], succeeds("transformer", "S3", 2)
    ([True, True], None)
    """
    declared = declared_class(model)
    if declared is None:
        return expressible(model, groups.group(group), depth)
    fewest, enough = _layers(declared, group)
    if enough is not None and depth >= enough:
        return True
    return False if enough is None or depth < fewest else None


@lru_cache
def _layers(declared: str, group: str) -> tuple[int, int | None]:
    """At least how many layers of a class follow a group, and how many do; None if no number does."""
    table = groups.group(group).table
    found = class_layers(declared, Semiautomaton.from_table(table), group).depth
    return found.fewest, found.layers

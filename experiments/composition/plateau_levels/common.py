"""What both sides of the claim know."""

from experiments.composition._alone import Sizes, parts
from experiments.composition._alone import objects as objects
from theory.composition import Component, learning_order, path_losses, plateau_levels
from theory.groups import group


def _levels(cell: Sizes) -> list[float]:
    """Levels irrep by irrep; those behind the first jump of the last irrep are what its other jumps leave."""
    known, order = parts(cell), group(cell.group).order
    task, irreps = list(known.values()), enumerate(group(cell.group).irreps)
    absent = [Component.scalar(irrep.dimension, irrep.kind, 0) for number, irrep in irreps if number not in known]
    both = [part for part in task for _ in range(2 if part.kind == "complex" else 1)] + absent
    last = path_losses(task[learning_order(task, cell.length)[-1]], order)
    levels = [*plateau_levels(both, cell.length, order)[:-1], *(sum(last[jump:]) for jump in range(1, len(last) + 1))]
    return [float(level) for level in levels]

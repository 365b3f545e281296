"""What one layer that is blind to order could reach in a study at best: the line that depth must beat.

A reader of letter counts and of the last letter is right no more often (`theory.bounds.ceiling`). It is a bound for layers of
prefix sums; attention with positions may pass it with one layer, and recurrences that do not commute do.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from experiments.studies.comparison import same_group
from experiments.studies.published import Row
from theory.bounds import ceiling
from theory.cost import TooExpensive

METRIC = "token_1x"  # share of right positions of words of the training length


def order_blind(row: Row, configuration: Mapping[str, Any]) -> float | None:
    """Return the ceiling at the cell of a published number; None where the task or the metric is another, or it costs too much.

    The symbol that begins a word counts as a position, and is right.
    """
    task, length = configuration["task"], int(configuration["length"])
    axis = {"words": "group", "automaton": "automaton"}.get(task)
    if row.metric != METRIC or axis is None or axis not in row.cell:
        return None
    name, letters = str(row.cell[axis]), "generators"
    if task == "words":
        own = {one: tuple(letters) for one, letters in configuration.get("letters", {}).items() if same_group(one, name)}
        name, letters = next(iter(own.items())) if own else (name, configuration.get("alphabet", "all"))
    share = _mean(name, length, letters)
    bos = bool(configuration.get("bos"))
    return None if share is None else (length * share + bos) / (length + bos)


@cache
def _mean(target: str, length: int, letters: str | tuple[int | str, ...]) -> float | None:
    try:
        return float(ceiling(target, length, letters=letters, last=1).mean)
    except (TooExpensive, ValueError):
        return None

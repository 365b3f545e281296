"""What one layer that is blind to order could reach in a study at best: the line that depth must beat.

A reader of letter counts and of the last letter is right no more often (`theory.bounds.ceiling`). It is a bound for layers of
prefix sums; attention with positions may pass it with one layer, and recurrences that do not commute do.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from experiments.studies.comparison import same_group
from experiments.studies.published import Row
from experiments.studies.tasks import moves_of
from theory.automata import Semiautomaton
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
    chosen = {one: tuple(some) for one, some in configuration.get("letters", {}).items()}
    if task == "words":
        own = {one: some for one, some in chosen.items() if same_group(one, name)}
        name, letters = next(iter(own.items())) if own else (name, configuration.get("alphabet", "all"))
    elif name in chosen:
        letters = chosen[name]
    share = _mean(task, name, length, letters)
    bos = bool(configuration.get("bos"))
    return None if share is None else (length * share + bos) / (length + bos)


@cache
def _mean(task: str, target: str, length: int, letters: str | tuple[Any, ...]) -> float | None:
    try:
        if task == "automaton":
            return float(ceiling(Semiautomaton(moves_of(target, letters), target), length, last=1).mean)
        return float(ceiling(target, length, letters=letters, last=1).mean)
    except (TooExpensive, ValueError):
        return None

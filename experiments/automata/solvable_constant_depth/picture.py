"""The layers of the cascade of each automaton."""

import xarray as xr

from depthjax.figures.layer_stacks import draw_stacks
from depthjax.verify import Picture


def _draw(place, dataset: xr.Dataset) -> None:
    """The layers that simulate each automaton, the lowest first.

    Blue boxes count in a group, and orange ones remember the last write. No stack grows with the length of the words.
    """
    stacks = [str(text).split("|") if str(text) else [] for text in dataset["layers"].to_numpy()]
    title = "the cascade of each automaton: blue counts, orange remembers the last write"
    draw_stacks(place, dataset["automaton"].to_numpy().tolist(), stacks, title)


PICTURES = (Picture(3.2, _draw),)

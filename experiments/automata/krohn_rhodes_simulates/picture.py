"""The cascade of one automaton as it reads a word."""

import xarray as xr

from depthjax.figures.cascades import draw_cascade
from depthjax.verify import Picture
from experiments.networks.cascade import drawing
from theory.automata import semiautomaton

LAMP = {"off": {"p": "on", "s": "on"}, "on": {"p": "off", "s": "broken"}, "broken": {"p": "broken", "s": "broken"}}

EXAMPLE = drawing(semiautomaton(LAMP).holonomy(), "pspps", "off")


def _draw(figure, dataset: xr.Dataset) -> None:
    """A lamp that p switches and a surge s breaks, reading a word; the last level's sets are its states after every letter."""
    draw_cascade(figure, EXAMPLE)


PICTURES = (Picture(EXAMPLE.height, _draw),)

"""The picture."""

from experiments.attention._routes import GRIDS as GRIDS
from experiments.attention._routes import picture

PICTURES = (picture("strict"),)

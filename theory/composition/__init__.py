"""Sequential composition in finite groups: what networks learn first, what it costs, and how wide they must be."""

from depthjax.doors import opened

opened(__name__)

"""Explicit weights and programs that realise a theorem, in five rooms, one for each idea.

- `directions`: transformers whose residual stream has named directions, and the layer that all of them share;
- `doubling`: layers that double the reach of every position;
- `towers`: cascades of prefix sums along the derived series of a group or of a Lie algebra;
- `composition`: polynomial units that compose the elements of a group;
- `compiled`: formulas of temporal logic and cascades of automata, compiled to layers.

The public names below load the file that defines them when they are first used.
"""

from depthjax.doors import opened

opened(__name__)

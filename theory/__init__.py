"""The exact side of the toolkit: integers, fractions and symbols. It never imports JAX.

The rooms `attention`, `automata`, `bounds`, `composition`, `groups`, `identify`, `lie`, `logic`, `strategies` and `width` load
when they are first used; `strategies` needs the extra ``testing``.

>>> import theory
>>> theory.lie.witt_dimension(2, 5), theory.bounds.tower(letters=2, layers=2).at()
(6, 5.0)
"""

from depthjax.doors import opened

opened(__name__)

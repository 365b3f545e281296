"""Every bound of `theory` by its public name: ``theory.bounds.<name>(...)``.

A bound stands beside the mathematics it comes from; this module collects the bounds of all rooms and completes the registry.
Each one is a `Bound` (or a report with one) and refuses to evaluate outside its hypotheses.

>>> from theory import bounds
>>> bounds.tower(letters=3, layers=2).expr
eps**4
"""

from depthjax.doors import opened

opened(__name__)

"""Strategies of hypothesis for the objects of `theory`; they need the extra ``testing``.

Every strategy shrinks towards the smallest object: the trivial group, one state, a single letter, the zero series, small
numbers. Without arguments they are also registered for their types, so ``st.from_type(FiniteGroup)`` and annotated tests find
them as soon as hypothesis is imported.

>>> from hypothesis import given, settings
>>> @settings(max_examples=20, database=None)
... @given(groups(max_order=12, solvable=True))
... def element_orders_divide_the_order(group):
...     assert not (group.order % group.element_orders).any()
>>> element_orders_divide_the_order()
"""

from importlib.util import find_spec

from depthjax.doors import opened

if find_spec("hypothesis") is None:
    raise ModuleNotFoundError(
        "theory.strategies needs hypothesis, the extra `testing`: pip install 'depthjax[testing]'", name="hypothesis"
    )

opened(__name__)

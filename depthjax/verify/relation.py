"""How a measured quantity should stand to the predicted one."""

import enum


class Relation(enum.Enum):
    """The seven statements that the judge knows; a claim names one, and a prediction may name another for its own quantity.

    >>> Relation("at most"), len(Relation)
    (<Relation.AT_MOST: 'at most'>, 7)
    """

    EQUALS = "equals"
    AT_MOST = "at most"
    AT_LEAST = "at least"
    ORDER = "order"
    RANKING = "ranking"
    IMPOSSIBLE = "impossible"
    TREND = "trend"

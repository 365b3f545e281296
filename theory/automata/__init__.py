"""Finite automata, exactly: transition monoids, the groups inside, Krohn-Rhodes decompositions, and regular languages."""

from depthjax.doors import opened

opened(__name__)

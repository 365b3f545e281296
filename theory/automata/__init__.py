"""Finite automata, exactly: transition monoids, the groups inside, Krohn-Rhodes decompositions, and regular languages."""

from theory.doors import opened

opened(__name__)

"""The alphabet of the automata that are tried."""

LETTERS = 2

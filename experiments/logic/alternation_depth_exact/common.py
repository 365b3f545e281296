"""Sizes that both sides know."""

PARITY = 10  # letters of the longest words whose parity is asked

"""The three automata that are learned, by name."""

LADDER = ("gridworld5", "D5", "A5")

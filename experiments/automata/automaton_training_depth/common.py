"""What both sides of the claim know."""

LADDER = ("gridworld5", "D5", "A5")

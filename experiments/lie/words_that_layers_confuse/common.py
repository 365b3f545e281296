"""What both sides of the claim know."""

LAYERS = 3  # lowest ones, whose states are compared over all short words
CASCADE = 5  # layers of a cascade
LONGEST = 10  # letters of the longest short words

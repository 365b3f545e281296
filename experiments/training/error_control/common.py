"""What both sides of the claim know."""

LONGER = 6  # times the length of the other words, so that wrong maps drift visibly

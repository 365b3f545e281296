"""What both sides of the claim know."""

SPOKEN = {"none": "no penalty", "balance": "penalty on closers", "openers": "penalty on openers"}

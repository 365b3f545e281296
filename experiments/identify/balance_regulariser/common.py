"""What the penalties are called in labels and in the picture."""

SPOKEN = {"none": "no penalty", "balance": "penalty on closers", "openers": "penalty on openers"}

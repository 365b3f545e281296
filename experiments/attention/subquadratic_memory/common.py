"""The largest layers that are tried, as smaller ones share their programs, and the softmax head beside them."""

RANK, WIDTH = 3, 5  # features and values
SHARP = 100.0  # scores of the head: so many times the inner products of places on a circle

"""The largest layers that are tried: smaller ones share their programs."""

RANK, WIDTH = 3, 5  # features and values

"""The largest layers that are tried."""

MOST = 2  # features, and values, of the largest layer: smaller ones share its programs

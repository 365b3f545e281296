"""The families of graphs, and up to how many vertices all graphs and all tokens are tried."""

ALL, BITS = 5, 10  # the most vertices for which all graphs are tried, and for which there are n^3 tokens

FAMILIES = ("path", "cycle", "lollipop", "star", "binary tree")

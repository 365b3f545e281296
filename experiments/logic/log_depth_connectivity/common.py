"""What both sides of the claim know."""

ALL, BITS = 5, 10  # the most vertices for which all graphs are tried, and for which there are n^3 tokens


FAMILIES = ("path", "cycle", "lollipop", "star", "binary tree")

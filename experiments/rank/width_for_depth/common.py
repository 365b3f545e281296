"""The networks whose ranks are compared, in the order of the dimension ``network``, and those whose degree is measured."""

NETWORKS = ("deep", "narrower", "wide")

WIDTHS, SMALL = (1, 2, 3, 4), 64  # of networks of two layers, and their templates

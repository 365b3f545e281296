"""The networks whose ranks are compared, in the order of the dimension ``network``."""

NETWORKS = ("deep", "narrower", "wide")

"""What both sides of the claim know."""

NETWORKS = ("deep", "narrower", "wide")

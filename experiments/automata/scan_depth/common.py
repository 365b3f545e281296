"""What both sides of the claim know."""

OWN_DEPTH = (3, 96, 128)  # lengths of networks with the construction's own number of layers

"""What both sides of the claim know."""

FORGET, MIDDLE = 0.7, 1  # rate of the layer that forgets; number of the eps that controls are trained at

"""Lengths at which networks have the construction's own number of layers."""

OWN_DEPTH = (3, 96, 128)

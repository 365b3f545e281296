"""Polynomial units that compose the elements of a group."""

"""Trained networks, held against the floors and the depths that theory gives."""

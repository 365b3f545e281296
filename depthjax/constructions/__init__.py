"""Explicit programs that realise a theorem: cascades, towers, recorders."""

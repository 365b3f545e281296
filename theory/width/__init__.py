"""What width does for depth: the moments of residual networks."""

"""Tasks: pure samplers, and the objects that they need as arrays."""

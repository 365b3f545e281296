"""Tasks: pure samplers and the objects they need, as arrays."""

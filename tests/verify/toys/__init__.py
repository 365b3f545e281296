"""Claims for trying the runner, not about anything."""

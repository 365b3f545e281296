"""Quick ones: true, false, not a number, raising."""

"""What the claim measures."""

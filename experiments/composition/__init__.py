"""Sequential composition in finite groups: explicit networks, and what gradient flow learns first."""

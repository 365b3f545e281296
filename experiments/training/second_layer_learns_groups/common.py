"""What both sides of the claim know."""

KIND = "signed_mamba"

"""Transformers whose residual stream has named directions, and the layer that all of them share."""

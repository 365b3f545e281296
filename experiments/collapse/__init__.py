"""Rank collapse of pure attention: how fast, by what law, and what stops it."""

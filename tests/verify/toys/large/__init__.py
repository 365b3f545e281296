"""Slow ones, in many cells."""

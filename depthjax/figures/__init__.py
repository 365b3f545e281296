"""Figures: what was predicted against what was measured, drawn by the relation between them."""

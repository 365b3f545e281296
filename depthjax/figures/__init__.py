"""Figures: what was predicted against what was measured, drawn by the relation between them."""

from depthjax.doors import opened

opened(__name__)

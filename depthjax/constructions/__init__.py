"""Explicit programs that realise a theorem: cascades, towers, recorders, attention that hops."""

from depthjax.constructions.hop import hop_transformer as hop_transformer

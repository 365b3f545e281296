"""Finite groups, exactly: structure, characters, representations, Fourier transform, abelian towers."""

from depthjax.doors import opened

opened(__name__)

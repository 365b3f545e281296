"""Finite groups, exactly: structure, characters, representations, Fourier transform, abelian towers."""

from theory.doors import opened

opened(__name__)

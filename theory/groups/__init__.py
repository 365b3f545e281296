"""Finite groups, exactly: structure, characters, representations, Fourier transform, abelian towers."""

from theory.groups.fourier import fourier, inverse_fourier
from theory.groups.group import FiniteGroup
from theory.groups.irreps import Irrep
from theory.groups.named import direct_product, group, semidirect_product

__all__ = ["FiniteGroup", "Irrep", "direct_product", "fourier", "group", "inverse_fourier", "semidirect_product"]

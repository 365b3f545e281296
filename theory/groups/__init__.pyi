from theory.groups.fourier import fourier as fourier
from theory.groups.fourier import inverse_fourier as inverse_fourier
from theory.groups.group import FiniteGroup as FiniteGroup
from theory.groups.irreps import Irrep as Irrep
from theory.groups.named import direct_product as direct_product
from theory.groups.named import group as group
from theory.groups.named import semidirect_product as semidirect_product

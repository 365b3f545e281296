"""Finite groups, exactly."""

from theory.groups.group import FiniteGroup as FiniteGroup
from theory.groups.named import group as group

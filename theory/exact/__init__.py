"""Exact arithmetic: integers of any size, linear algebra, residues, quadratic and cyclotomic numbers."""

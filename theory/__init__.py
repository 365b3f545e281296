"""Exact side of the toolkit: integers, fractions and symbols; never imports JAX."""

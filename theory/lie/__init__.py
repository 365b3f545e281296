"""Lie algebras, exactly: free Lie algebras, the BCH and Magnus series, structure theory, and bounds on depth."""

from depthjax.doors import opened

opened(__name__)

"""Mutants: the program with one wrong line of mathematics each, and the claims that must notice it.

``python -m experiments.mutants run`` is the campaign; ``experiments/mutants.json`` is its committed result.
"""

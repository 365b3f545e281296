"""Formulas of temporal logic and cascades of automata, compiled to layers."""

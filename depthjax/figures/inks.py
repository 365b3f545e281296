"""Ink and paper of every figure. Reports replace both, so that a figure follows light and dark."""

INK, PAPER = "#1a1a1b", "#fefefe"

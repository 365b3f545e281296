"""Layers that double the reach of every position: pointers, labels, paths, and automata with and without positions."""

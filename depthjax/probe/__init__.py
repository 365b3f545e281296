"""Instruments that measure what a layer or a network computes."""

"""Cascades of prefix sums, one for each step of the derived series of a group or of a Lie algebra."""

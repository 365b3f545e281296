"""Separation rank of linearised attention: exact ranks, heads, depth against width."""

"""Attention, once: masks, heads, exact lookup and prefix softmax, for trained and constructed networks alike."""

from depthjax.doors import opened

opened(__name__)

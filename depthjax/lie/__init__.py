"""Tensors and brackets: Lyndon words, series, signatures, exponentials and ordered products."""

from depthjax.doors import opened

opened(__name__)

"""Tensors and brackets: Lyndon words, series, signatures, exponentials and ordered products."""

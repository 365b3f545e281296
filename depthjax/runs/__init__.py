"""Runs of claims on disk: the runner, its processes, records, provenance and seals."""

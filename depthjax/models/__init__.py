"""Trainable networks: pure functions of weights and inputs."""

from depthjax.doors import opened

opened(__name__)

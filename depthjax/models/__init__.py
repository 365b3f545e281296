"""Trainable networks: pure functions of weights and inputs."""

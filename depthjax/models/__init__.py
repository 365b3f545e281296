"""Trainable networks: pure functions of weights and inputs."""

from depthjax.models.stack import SequenceModel as SequenceModel
from depthjax.models.stack import sequence_model as sequence_model

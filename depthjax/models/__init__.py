"""Trainable networks: pure functions of weights and inputs."""

from depthjax.models.kinds import sequence_model as sequence_model
from depthjax.models.stack import SequenceModel as SequenceModel

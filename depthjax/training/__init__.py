"""Training: single runs, ensembles and gradient flows, each as one compiled program."""

from depthjax.doors import opened

opened(__name__)

"""Training: single runs, runs of many rows, depths and seeds, and gradient flows, each as one compiled program."""

from depthjax.doors import opened

opened(__name__)

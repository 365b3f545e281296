from depthjax.probe.adversaries import adversary as adversary
from depthjax.probe.networks import network as network
from depthjax.probe.recurrences import recurrence as recurrence

from depthjax.probe.adversaries import adversary as adversary
from depthjax.probe.compared import compare as compare
from depthjax.probe.layers import layer as layer
from depthjax.probe.networks import network as network
from depthjax.probe.published.parameters import parameters as parameters
from depthjax.probe.recurrences import recurrence as recurrence

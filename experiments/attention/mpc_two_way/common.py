"""The network that stands for components."""

HOPS = 3  # a chain of pointers is a problem of the same kind
